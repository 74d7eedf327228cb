"""Meanings of outcome keys for docs/outcomes.md, where the models themselves have no description.

They are not in the models, because descriptions of models are sent to the agent with every call.
"""

from typing import Final

COMMON: Final = ("observations", "ask", "escalation")
"""Keys that are described once for all outcomes."""

PARTS: Final = {
    "Observation": "An observation",
    "RoleQuestion": "A question to a role",
    "InvestigationRequest": "An investigation",
    "Hypothesis": "A hypothesis",
}
"""Models that are part of several outcomes, with their headings."""

RULES: Final = {
    "QuestionsOutcome": "`NEEDS_CLARIFICATION` needs `questions`.",
    "PlanOutcome": "`INVESTIGATION_NEEDED` needs an `investigation`.",
    "InterpretOutcome": "`NEEDS_CLARIFICATION` needs `questions`, and `INVESTIGATION_NEEDED` an `investigation`.",
    "ValidationOutcome": "`PASS` is refused if one of the `checks` is not met.",
    "ImplementationOutcome": "`BLOCKED` and `SPAWN_INVESTIGATOR` need an `investigation`, and `BLOCKED` also "
    "`evidence`.",
    "ReviewOutcome": "`APPROVED` and `APPROVED_WITH_NOTES` let only `minor` issues pass. Every other status needs "
    "`feedback_for_writer`. `SPAWN_INVESTIGATOR` and `ESCALATE` also need an `investigation`, with at least two of its "
    "`criteria`.",
    "BugOutcome": "`ask_reporter` needs `clarification_questions`, and every other action `for_reporter`. "
    "`post_findings` and `create_fix` also need `evidence`, `escalate` also `escalate_because`. "
    "What the reporter reads (`for_reporter`, `clarification_questions`) holds no file, no code in backticks "
    "and no name of an error.",
    "InvestigationOutcome": "`NEED_DEVELOPER_DIAGNOSTIC` needs a `diagnostic` of a hypothesis that is not eliminated. "
    "`BLOCKED` and `EXHAUSTED` need `needs`; with `EXHAUSTED` every hypothesis is eliminated. `ROOT_CAUSE_FOUND` needs "
    "a `root_cause` with three different pieces of evidence; its hypothesis is the only one that is confirmed, and all "
    "others are eliminated.",
    "DeveloperDiagnosticOutcome": "`DIAGNOSTIC_DONE` needs at least one of `commands`.",
    "DiagnosticOutcome": (
        "`DIAGNOSTIC_DONE` and `ROOT_CAUSE_FOUND` need at least one of `commands`; "
        "`ROOT_CAUSE_FOUND` also `root_cause`."
    ),
    "CauseReviewOutcome": "`APPROVED` needs `hypothesis`, and every other status a `feedback` that is not empty.",
    "UnblockingOutcome": "`CONTINUE` needs `resources`, `NEEDS_CLARIFICATION` needs `questions`.",
    "PullReviewOutcome": "`REVIEWED` needs `findings` or `checked`. Each finding quotes a line that the diff shows on "
    "its new side.",
    "PullResolveOutcome": "Every numbered thread of the brief has exactly one answer, whatever the status.",
}
"""Keys that a status or an action needs in addition to those that are always needed."""

MEANINGS: Final = {
    "TriageOutcome.status": "Work on it, refuse it, or let a person decide first.",
    "TriageOutcome.type": "What kind of issue it is.",
    "TriageOutcome.complexity": "How hard it seems.",
    "TriageOutcome.scope": "How many files: 1 or 2, 3 to 5, 6 or more. Only a `SMALL` issue goes without a plan.",
    "DefectPlace.path": "From the root of the repository.",
    "DefectPlace.line": "In which line.",
    "TriageOutcome.topics": "Which of these it would change: a person is asked first.",
    "PlanOutcome.status": "The plan is there; or people, an investigation or something outside is needed first.",
    "PlanOutcome.plan": "In Markdown: steps, files, tests, risks.",
    "PlanOutcome.reason": "What keeps the pm from planning.",
    "QuestionsOutcome.status": "People have to be asked; or the answer was found after all.",
    "InterpretOutcome.status": "What people want: go on, be asked again, nothing, an end, or something else first.",
    "InterpretOutcome.next": "With `CONTINUE`: the next state; if left out, the state from before the wait.",
    "AnalysisOutcome.status": "The issue is understood; it is unclear; or something is in the way.",
    "AnalysisOutcome.files": "The files that matter.",
    "AnalysisOutcome.patterns": "Conventions of this code that the change should follow.",
    "AnalysisOutcome.test_requirement": "Which test is wanted.",
    "AnalysisOutcome.must_do": "What has to be true in the end.",
    "AnalysisOutcome.must_not_do": "What must not change.",
    "AnalysisOutcome.questions": "What is unclear, for `UNCLEAR`.",
    "AnalysisOutcome.brief": "In Markdown, for the tester and the developer.",
    "FileNote.path": "From the root of the repository.",
    "FileNote.purpose": "What it is for.",
    "FileNote.action": "What is to be done with it.",
    "TestRequirement.required": "Whether a new test has to be seen to fail first.",
    "TestRequirement.type": "For a bug, for a new feature, or only the existing tests.",
    "TestRequirement.location": "The file of the test.",
    "TestRequirement.description": "What it shows.",
    "TestsOutcome.status": "The test is written; needs another turn; the requirements have a gap; or it can't be done.",
    "TestsOutcome.test_file": "The test's path from the root of the repository.",
    "TestsOutcome.test_command": "A shell command that runs the new test alone, from the root of the repository.",
    "TestsOutcome.summary": "What it shows, and how it fails today.",
    "JudgeOutcome.status": "The code is wrong; the tech lead should look; the test is wrong; it was chance; or stuck.",
    "ValidationOutcome.status": "The requirements are met; not met; met in part; the tests are wrong; or unknown.",
    "ValidationOutcome.checks": "One for each `must_do` and `must_not_do` of the analysis.",
    "ValidationOutcome.summary": "What was checked, and how it went.",
    "Met.requirement": "The requirement, in its own words.",
    "Met.met": "Whether it is met.",
    "ImplementationOutcome.status": "`READY_FOR_QA`: done, the build is next. Others: not done, or needs a look.",
    "ImplementationOutcome.changes": "What was changed, file by file.",
    "ImplementationOutcome.evidence": "What is in the way, with `BLOCKED`.",
    "Change.file": "From the root of the repository.",
    "Change.description": "What changed there.",
    "EvidenceBundle.expected": "What should have happened.",
    "EvidenceBundle.actual": "What happened.",
    "EvidenceBundle.environment": "Where: versions, system, settings.",
    "ReviewOutcome.status": "The change is approved; it has to be changed; or something else is needed first.",
    "ReviewOutcome.good": "What is good about it.",
    "ReviewOutcome.issues": "What was found.",
    "ReviewOutcome.feedback_for_writer": "What the developer is to do, or what is asked.",
    "ReviewOutcome.investigation": "What is to be found out.",
    "NamedWeakening.number": "As the prompt numbers it.",
    "NamedWeakening.reason": "Why it may stay.",
    "Finding.file": "From the root of the repository.",
    "Finding.line": "In which line.",
    "Finding.issue": "What is wrong there.",
    "Finding.severity": "How bad it is.",
    "AnswerOutcome.status": "The questions are answered; or they can't be.",
    "BugOutcome.action": "Ask the reporter, post findings, escalate, resolve, or begin the fix.",
    "BugOutcome.escalate_because": "With `escalate`: why people are called.",
    "BugOutcome.root_cause": "What is wrong, at which file and line.",
    "BugOutcome.fix_type": "What would repair it.",
    "BugOutcome.confidence": "How sure it is.",
    "BugOutcome.relevant_services": "The parts of the system that it concerns.",
    "BugOutcome.recommended_actions": "What developers should do.",
    "BugOutcome.evidence": "What was run or read.",
    "BugOutcome.culprit_commit": "The commit that began it, where it is known.",
    "Culprit.hash": "The commit.",
    "Culprit.author": "Who made it.",
    "Culprit.date": "When.",
    "Culprit.message": "Its message.",
    "Proof.shows": "What it showed.",
    "InvestigationOutcome.status": "One of `ROOT_CAUSE_FOUND`, `NEED_DEVELOPER_DIAGNOSTIC`, `HYPOTHESIS_ELIMINATED`, "
    "`NEED_MORE_ANALYSIS`, `BLOCKED`, `EXHAUSTED`.",
    "RootCause.hypothesis": "Which one it is.",
    "RootCause.fix": "What would repair it.",
    "RootCause.evidence": "Three or more; each is looked up.",
    "Evidence.kind": "What `source` is.",
    "Evidence.shows": "What it shows.",
    "Diagnostic.hypothesis": "Which one is tested.",
    "Diagnostic.file": "The file to instrument.",
    "Diagnostic.instrumentation": "What to add there.",
    "Diagnostic.collect": "What to bring back.",
    "Diagnostic.if_true": "What will be seen if the hypothesis holds.",
    "Diagnostic.if_false": "What will be seen if it does not.",
    "DiagnosticOutcome.status": "It was measured; it showed the cause; or it could not be measured.",
    "DiagnosticOutcome.agrees": "Which prediction was seen: the one for a true or for a false hypothesis.",
    "DiagnosticOutcome.summary": "What was seen.",
    "DeveloperDiagnosticOutcome.status": "It was measured; or it could not be.",
    "DeveloperDiagnosticOutcome.agrees": "Which prediction was seen: the one for a true or for a false hypothesis.",
    "DeveloperDiagnosticOutcome.summary": "What was seen.",
    "DeveloperDiagnosticOutcome.root_cause": "For a senior developer only.",
    "CauseReviewOutcome.status": "The cause is proven; it is not proven yet; plan without it; or ask a person.",
    "UnblockingOutcome.status": "It goes on; plan without a cause; something outside is missing; or ask people.",
    "UnblockingOutcome.reason": "Why.",
    "PullReviewOutcome.status": "The whole change was read; or it could not be.",
    "PullReviewOutcome.findings": "What is wrong, each on a line of the change.",
    "PullFinding.file": "From the root of the repository.",
    "PullFinding.line": "In which line of the new version.",
    "PullFinding.severity": "How bad it is.",
    "PullResolveOutcome.status": "All is answered and repaired; something is left; or stuck.",
    "PullResolveOutcome.threads": "One for each open review thread.",
    "PullResolveOutcome.checks": "One for each failed check.",
    "ThreadAnswer.verdict": "Whether the thread is right.",
    "CheckAnswer.check": "Its name.",
    "CheckAnswer.cause": "Why it failed.",
    "CheckAnswer.fixed": "Whether it is repaired.",
    "Observation.type": "A word for it, for example `pattern_discovered`.",
    "Observation.content": "What later cases should know.",
    "RoleQuestion.to": "Who is asked.",
    "RoleQuestion.question": "What.",
    "InvestigationRequest.problem_summary": "What is to be found out.",
    "InvestigationRequest.criteria": "Why reading alone will not find it.",
    "InvestigationRequest.hypothesis_matrix": "The hypotheses to begin with.",
    "InvestigationRequest.suggested_skills": "What may help.",
    "Hypothesis.hypothesis": "What is suspected.",
    "Hypothesis.likelihood": "How likely it is, in a word.",
    "Hypothesis.percent": "How likely it is, in percent.",
    "Hypothesis.evidence_for": "What speaks for it.",
    "Hypothesis.evidence_against": "What speaks against it.",
    "Hypothesis.next_test": "How to test it next.",
    "Hypothesis.effort": "How much work the next test is.",
    "Hypothesis.status": "How far it has been tested.",
}
"""By model and key. They replace the model's own description, which was written for an agent."""
