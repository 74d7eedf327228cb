"""The words for what came of an event from the forge: for the list of deliveries, and for replies to people."""

from collections.abc import Sequence
from typing import Final, assert_never

from caseworker.core.base.text import code
from caseworker.core.people.registry import REGISTRY, VERBS
from caseworker.core.runs.deadlines import DEADLINE_FORM
from caseworker.core.runs.delivery_outcomes import (
    Answered,
    BecameMessage,
    Dispatched,
    Duplicate,
    Failed,
    Ignored,
    IgnoreReason,
    NotDone,
    Outcome,
    Received,
    RefusalReason,
    Unreadable,
    Woken,
)

_I = IgnoreReason
_R = RefusalReason

_IGNORED: Final = {
    _I.UNUSED_EVENT: "Caseworker does not use this event",
    _I.UNUSED_ACTION: "Caseworker does not use this action",
    _I.NOBODY_WAITS: "no case waits for this",
    _I.NOT_OUR_LABEL: "not a label of Caseworker",
    _I.OURS: "written by Caseworker itself",
    _I.BOT: "written by another bot",
    _I.NO_CASE: "no case here, and nothing was asked for",
    _I.CASE_OVER: "the case is over, and nothing was asked for",
    _I.UNKNOWN_COMMENT: "a change of a comment that was never a message",
    _I.NOTHING_NEW: "nothing has changed",
    _I.REPOSITORY_NOT_SERVED: "this repository is not served",
    _I.OVERTAKEN: "the label is gone again, or the comment was deleted",
}
_LISTED: Final = ", ".join(sorted(VERBS))


def outcome_words(outcome: Outcome) -> str:
    """One line for the list of deliveries."""
    match outcome:
        case Received():
            return "not processed yet"
        case Dispatched(workflow=workflow, case=case):
            return f"{workflow} on {case}" if case else workflow.value
        case Woken(case=case):
            return f"{case} was woken to look again"
        case BecameMessage(case=case):
            return f"a message of {case}"
        case Answered():
            return "answered in the conversation"
        case Duplicate(of="", workflow=workflow):
            return f"{workflow} is running already" if workflow else "it is there already"
        case Duplicate(of=of):
            return f"the same as {of}"
        case Ignored(reason=reason, detail=detail):
            return f"{_IGNORED[reason]}: {detail}" if detail else _IGNORED[reason]
        case NotDone():
            return _reason(outcome)
        case Unreadable(problem=problem):
            return problem
        case Failed(error=error, gave_up=gave_up):
            return f"{error} ({'given up' if gave_up else 'tried again'})"
        case _:
            assert_never(outcome)


def _reason(refused: NotDone) -> str:
    if refused.reason is _R.NOT_ALLOWED:
        return f"not allowed to ask: {refused.detail}"
    if refused.reason is _R.TARGET_GONE:
        return "the issue or pull request is gone"
    return reply_words(refused)


def reply_words(refused: NotDone) -> str:
    """The reply to a person whose request was refused: what, why, what to do next. Empty: they are not answered."""
    name, detail = refused.workflow or "", refused.detail
    match refused.reason:
        case _R.NOT_ALLOWED | _R.TARGET_GONE:
            return ""
        case _R.UNKNOWN_WORKFLOW:
            return f"There is no workflow {code(detail)}. There are: {_LISTED}."
        case _R.WRONG_TARGET:
            wanted = " and ".join(sorted(f"{_noun(kind)}s" for kind in REGISTRY[name].targets))
            return f"{code(name)} works on {wanted}, and this is {_a(_noun(detail))}."
        case _R.TARGET_CLOSED:
            return f"{code(name)} needs an open {_noun(detail)}, and this one is closed. Reopen it, then ask again."
        case _R.TARGET_LOCKED:
            return f"{code(name)} can't tell you anything here: the conversation is locked. Unlock it, then ask again."
        case _R.NEEDS_EARLIER:
            return _needs_earlier(name, detail.split())
        case _R.ALREADY_DONE:
            return (
                f"{code(name)} is done here already. Comment what should be different, and the case goes on with that."
            )
        case _R.WORK_IN_FLIGHT:
            return (
                f"{code(name)} can't be run now: {code(detail)} is running. Comment what should be different, "
                "and it is taken in; or ask again when it has ended."
            )
        case _R.PULL_OPEN:
            return (
                f"{code(name)} is not run again: the pull request is open. Comment what should be different, and the "
                "same pull request is changed."
            )
        case _R.CASE_ENDED:
            return f"{code(name)} can't go on: the case of this issue has ended. Comment `retry` to work on it again."
        case _R.CASE_AT_WORK:
            return (
                f"{code(name)} can't begin now: {code(detail)}, which opened this pull request, is working on it. "
                "Ask again when it waits for the merge."
            )
        case _R.FOR_AN_OWNER:
            return (
                f"Nothing was done: {code(detail)} is for an owner to ask for, because it replaces commits by copies. "
                "Owners have the role maintain or admin here, or are named in the setting `allowed_owners`."
            )
        case _R.NOTHING_RUNS:
            return f"There is nothing to {detail}: no session runs on this. `bot:ship` begins one on a pull request."
        case _R.NOTHING_TO_REMEMBER:
            return "There is nothing to remember. Write it behind the command: `bot:remember --path 'src/**' Use tabs.`"
        case _R.BAD_OPTION:
            return f"{code(name)} has no option {code(detail)}."
        case _R.BAD_DEADLINE:
            return f"{code(detail or 'nothing')} is no deadline for {code(name)}. It is {DEADLINE_FORM}."
        case _R.UNCLEAR:
            return f"I am not sure what you want. You can ask for: {_LISTED}; for example `bot:triage`."
        case _:
            assert_never(refused.reason)


def _needs_earlier(name: str, missing: Sequence[str]) -> str:
    """All steps on the way, so that nobody is refused a second time."""
    needs = " and ".join(f"a finished {step}" for step in missing)
    first, *others = [code(f"bot:{step}") for step in (*missing, name)]
    way = ", ".join([f"add the label {first}", *(f"when it is done {label}" for label in others)])
    return f"{code(name)} needs {needs} first: {way}."


def _noun(kind: str) -> str:
    return "pull request" if kind == "pull" else kind


def _a(noun: str) -> str:
    return f"an {noun}" if noun.startswith("i") else f"a {noun}"
