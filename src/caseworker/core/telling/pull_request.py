"""The title and body of a pull request, and the words for costs."""

from collections.abc import Mapping, Sequence, Set
from typing import Final

from caseworker.core.base.contained_text import contained, contained_line, quoted
from caseworker.core.base.ids import noun
from caseworker.core.base.outgoing_text import Ours, outgoing, outgoing_line
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.roles import Role
from caseworker.core.base.text import code
from caseworker.core.casefile.model import CaseFile
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.evidence.obstacle_words import remedy_words, stopped_words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.subjects import WAIVERS, Subject
from caseworker.core.outcomes.developer import Change
from caseworker.core.outcomes.tech_lead import Finding
from caseworker.core.telling.build_texts import _bullets, latest, run_words
from caseworker.core.telling.commit_messages import _unsigned
from caseworker.core.telling.issue_reference import closable, closing_line, forge_reference
from caseworker.core.telling.unseen import Unseen, unseen_words

_MOST_FILES: Final = 100
"""Most files named in a pull request."""


def pull_request_title(file: CaseFile, message: str, words: str = "") -> str:
    """`words`: the pm's title, if there is one. Otherwise the subject of the developer's commit message; not of the
    commit itself, which may be a merge."""
    return outgoing_line(words or (_unsigned(message) or file.issue.title.strip()).splitlines()[0], Redactor())


def pull_request_updated(case: IssueCase) -> str:
    return f"{name_of(case)} was updated"


def pull_request_body(
    file: CaseFile,
    case: IssueCase,
    builds: Sequence[Build],
    *,
    cost: str,
    changed: Sequence[str],
    written: Sequence[Change] = (),
    test_was_changed: bool = False,
    weakened_reasons: Mapping[str, str] | None = None,
    investigated: str = "",
    conflicts: Sequence[str] = (),
    opening: str = "",
    followed: str = "",
    unseen: Sequence[Unseen] = (),
) -> str:
    """What, why, evidence, cost, and the issue that the merge closes. Missing evidence is named as plainly, with who
    waived it. `changed`: the files that the commit changes according to git. `written`: what developers said of
    them in all attempts, oldest first. `conflicts`: the files that conflict with the base branch. `opening`: the pm's
    paragraph. `followed`: the rules of owners that the review relied on. `weakened_reasons`: why each weakened test may
    stay, in the review's words. `unseen`: claims of agents that nothing confirms."""
    evidence = [*_red_words(case, builds), *_changed_test(case, test_was_changed), *_head_words(case, builds)]
    parts = [
        *_conflicts(conflicts),
        *_said("pm", opening),
        "\n\n".join(["## What", *_said("developer", file.writer.summary), _changes(file, changed, written)]),
        f"## Why\n\n{_issue_words(file)}\n\n{_must_do(file)}".rstrip(),
        "\n\n".join(["## Evidence", *evidence, *_weakened(case, weakened_reasons or {}), *_unseen(unseen)]),
        *([investigated] if investigated else []),
        "\n\n".join(part for part in (f"## Review\n\n{_review(file, unseen)}", followed) if part),
        *_decided(case),
        f"## Cost\n\n{cost}, {case.progress.turns} agent turns, attempt {case.limits.attempt}.",
        *([closing_line(file.issue)] if forge_reference(file.issue) else []),
    ]
    ours = Ours(closes=closable(file.issue))
    return outgoing("\n\n".join(parts) + "\n", Redactor(), ours=ours)


def _said(role: str, text: str) -> list[str]:
    """A model's words, and whose they are. Empty: it said nothing."""
    return [f"The {role} says:", contained(text)] if text.strip() else []


def _issue_words(file: CaseFile) -> str:
    reference = forge_reference(file.issue)
    title = contained_line(file.issue.title)
    return f"Issue {reference}: {title}" if reference else f"Issue: {title}"


def _conflicts(files: Sequence[str]) -> list[str]:
    """The warning about conflicts. It comes first: nobody can merge the pull request as it is."""
    if not files:
        return []
    named = [code(path) for path in files[:_MOST_FILES]]
    more = len(files) - len(named)
    listed = _bullets([*named, *([f"and {more} more files"] if more > 0 else [])])
    return [
        "**The base branch has moved, and this change conflicts with it.** What is said below was seen on the base "
        f"that the work began from. Merge the base branch into this one and resolve it in:\n\n{listed}"
    ]


def _changes(file: CaseFile, changed: Sequence[str], written: Sequence[Change]) -> str:
    """Every file that git names, with its author's newest description if there is one."""
    said = {change.file: change.description for change in (*written, *file.writer.changes)}
    if file.writer.test_file:
        said[file.writer.test_file] = "the test"
    told = [path for path in said if path in changed]
    lines = [f"- {code(path)}: {contained_line(said[path])}" for path in told]
    lines += [f"- {code(path)}: changed as well; its author says nothing of it" for path in changed if path not in said]
    more = len(lines) - _MOST_FILES
    return "\n".join([*lines[:_MOST_FILES], *([f"- and {more} more files"] if more > 0 else [])])


def _items(said: Sequence[str]) -> list[str]:
    """Items of a list in a model's words. An empty one would make a heading of the line above it."""
    return [line for one in said if (line := contained_line(one))]


def _must_do(file: CaseFile) -> str:
    return _bullets(_items(file.analysis.must_do))


def _red_words(case: IssueCase, builds: Sequence[Build]) -> list[str]:
    head, red = latest(builds, Stage.HEAD), latest(builds, Stage.RED)
    proof = head.proof if head is not None and head.commit == case.proof.proved else None
    if proof is not None and head is not None:
        told = f"**Red first**: the tests of `{head.commit[:12]}` on the base's code, without the change."
        runs = [run_words(run) for run in proof.runs if run.purpose in (Purpose.NEW_TEST, Purpose.TEST)]
        return [f"{told} {proof.verdict.reason}.{_by_exit_code(proof.runs)}", *runs]
    if not case.requirements.test_required:
        return ["No new test was asked for: the change alters no behaviour."]
    if case.evidence.red and red is not None:
        return [f"**Red first**: on `{red.commit[:12]}`, with the new test and without the change.\n\n{_red_run(red)}"]
    if case.evidence.red:
        return []
    if case.evidence.obstacle is not None:
        return [f"**No red test**: no test could be run.{_waived(case, Subject.NOT_RUN)}"]
    return [f"**No red test**: no test was seen to fail without the change.{_waived(case, Subject.NO_RED_TEST)}"]


def _by_exit_code(runs: Sequence[CommandRun]) -> str:
    """Says which test commands report no single tests. Empty: all do."""
    tests = [run for run in runs if run.purpose in (Purpose.NEW_TEST, Purpose.TEST)]
    silent = dict.fromkeys(code(run.command) for run in tests if run.report is None)
    if not silent:
        return ""
    verb = "report" if len(silent) > 1 else "reports"
    return f" {' and '.join(silent)} {verb} no single tests: exit code and output were judged."


def _changed_test(case: IssueCase, test_was_changed: bool) -> list[str]:
    if not test_was_changed:
        return []
    again = ", and was run again as it is now" if case.proof.proved == case.delivery.checkpoint else ""
    return [
        f"**The test was changed after it was first seen to fail**{again}: compare {code(case.evidence.test_file)} "
        f"in `{(case.evidence.tests or '')[:12]}` and in this {noun(case.id)}."
    ]


def _head_words(case: IssueCase, builds: Sequence[Build]) -> list[str]:
    head = latest(builds, Stage.HEAD)
    if head is None:
        return []
    where = f"on `{head.commit[:12]}`, the commit of this {noun(case.id)}"
    if case.evidence.obstacle is not None:
        stopped = f"{stopped_words(case.evidence.obstacle)}. {remedy_words(case.evidence.obstacle)}"
        told = f"**Could not run**: nothing was tested, with or without the change: {stopped}"
        told += _waived(case, Subject.NOT_RUN)
    elif not head.tested and not head.set_up_failed:
        told = f"**No command proves this**: no test command was found.{_waived(case, Subject.NO_COMMAND)}"
    elif case.evidence.green != head.commit:
        told = (
            f"**Red, as before the change**: {where}. What fails here fails without the change as well, and nothing "
            f"tells whether it fails for the same reasons.{_waived(case, Subject.RED_BASE)}"
        )
    elif all(run.passed for run in head.runs):
        told = f"**Green after**: {where}."
    else:
        told = f"**Green after**: {where}. What fails here fails without the change as well, and nothing more fails."
    by = f" The commands are from {head.recipe}." if head.recipe else ""
    return [f"{told}{_by_exit_code(head.runs)}{by}", *(run_words(run) for run in head.runs)]


def _weakened(case: IssueCase, reasons: Mapping[str, str]) -> list[str]:
    if not case.proof.weakened:
        return []
    waived = _waived(case, Subject.WEAKENED)
    lines = [f"{one} {_why_it_may_stay(one, reasons, waived)}".strip() for one in case.proof.weakened]
    return [f"**Tests that check less, and changes of what decides**, found by code:\n\n{_bullets(lines)}"]


def _why_it_may_stay(finding: str, reasons: Mapping[str, str], waived: str) -> str:
    return f"The review: {quoted(reasons[finding])}" if finding in reasons else waived.strip()


def _unseen(claims: Sequence[Unseen]) -> list[str]:
    if not claims:
        return []
    return [f"**Said by agents, and not seen**:\n\n{_bullets(unseen_words(claims))}"]


def _waived(case: IssueCase, subject: Subject) -> str:
    who = dict.fromkeys(code(grant.by) for grant in case.people.grants if grant.subject is subject)
    return f" Waived by {', '.join(who)}." if who else ""


def _decided(case: IssueCase) -> list[str]:
    """What people approved or waived, and who did."""
    told = dict.fromkeys(
        f"{'Waived' if grant.subject in WAIVERS else 'Approved'} by {code(grant.by)}: {grant.what}"
        for grant in case.people.grants
    )
    return [f"## Decided by people\n\n{_bullets(list(told))}"] if told else []


def _red_run(red: Build) -> str:
    failing = red.run_of(Purpose.NEW_TEST) or red.run_of(Purpose.TEST)
    return run_words(failing) if failing is not None else ""


def _review(file: CaseFile, unseen: Sequence[Unseen]) -> str:
    """The verdict, then the reviewer's words, marked as said. A finding at a place that is not there is marked."""
    wrong = {one.what.claim for one in unseen if one.role is Role.TECH_LEAD}
    good = [f"- {line}" for line in _items(file.review.findings.good)]
    minor = [
        f"- minor, {code(f'{f.file}:{f.line}')}: {contained_line(f.issue)}{_mark(f, wrong)}"
        for f in file.review.findings.issues
    ]
    said = ["", "The tech lead says:", "", *good, *minor] if good or minor else []
    return "\n".join([f"{file.review.verdict}.", *said])


def _mark(finding: Finding, wrong: Set[str]) -> str:
    return " (not seen)" if {finding.file, f"{finding.file}:{finding.line}"} & wrong else ""
