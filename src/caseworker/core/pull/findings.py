"""Findings of reviews over re-runs: what is new, what was said before, what an owner has rejected; and their words.

A finding has an id of its file, its title and the quoted line, so that it stays the same when lines move.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.outgoing_text import marked, marker_of, outgoing
from caseworker.core.base.path_patterns import pattern_covers
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.text import code
from caseworker.core.outcomes.pull_work import PullFinding
from caseworker.core.people.messages import Standing
from caseworker.core.pull.review_threads import ReviewThread

SEVERITIES: Final = ("blocker", "major", "minor", "nit")
TO_BE_SHOWN: Final = frozenset({"blocker", "major"})
"""Severities whose findings need a reproduction."""
_LENGTH: Final = 12
_MARKER: Final = re.compile(r"caseworker-finding ([0-9a-f]{12}) ([0-9a-f]{12})")
_NO: Final = re.compile(
    r"\b(?:won'?t\s*fix|will\s+not\s+(?:fix|be\s+fixed)|wontfix|not\s+a\s+(?:bug|problem|defect)|"
    r"(?:works\s+as|as)\s+(?:intended|designed)|by\s+design|false\s+positive|don'?t\s+(?:raise|report)\s+(?:this|it))\b",
    re.IGNORECASE,
)
_NOT_NO: Final = re.compile(
    r"\b(?:not|isn'?t|no)\s+(?:as\s+(?:intended|designed)|by\s+design|a\s+false\s+positive)", re.IGNORECASE
)
_TITLE_END: Final = " \t.:;,!?-–—`'\""
_OUTPUT: Final = 1_500
_NEVER_RAN: Final = frozenset({126, 127})
"""Exit codes of a shell that could not start the command."""

FindingState = Literal["open", "resolved", "rejected"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class EarlierFinding(_Value):
    """A finding of ours that a thread of the pull request holds."""

    id: str
    topic: str
    state: FindingState
    thread: ReviewThread


class OwnersRule(_Value):
    """What an owner told to be remembered for reviews. An empty pattern: the whole repository."""

    glob: str = ""
    text: str


class SortedFindings(_Value):
    new: tuple[PullFinding, ...] = ()
    said: tuple[PullFinding, ...] = ()
    """Already in a thread, open or resolved."""
    rejected: tuple[PullFinding, ...] = ()
    """An owner does not want them."""


class Reproduction(_Value):
    """What came of a finding's command, run by code on the head."""

    commit: Sha
    command: str
    result: Literal["failed", "passed", "timed_out", "not_run"]
    exit_code: int | None = None
    output: str = ""

    @property
    def is_shown(self) -> bool:
        return self.result == "failed" and self.exit_code not in _NEVER_RAN


def finding_id(finding: PullFinding) -> str:
    return _digest(finding.file, _normal_title(finding.title), " ".join(finding.quote.split()))


def finding_topic(finding: PullFinding) -> str:
    """The same after the line was changed: what an owner rejected once is rejected then, too."""
    return _digest(finding.file, _normal_title(finding.title))


def finding_marker(finding: PullFinding) -> str:
    return f"caseworker-finding {finding_id(finding)} {finding_topic(finding)}"


def earlier_findings(threads: Iterable[ReviewThread]) -> list[EarlierFinding]:
    """Our findings in the threads of a pull request. A marker that somebody else wrote does not count."""
    found = []
    for thread in threads:
        first = thread.opener
        marker = _MARKER.fullmatch(marker_of(first.text)) if first is not None and first.by == "us" else None
        if marker is not None:
            found.append(EarlierFinding(id=marker[1], topic=marker[2], state=_state(thread), thread=thread))
    return found


def sort_findings(
    findings: Iterable[PullFinding], threads: Iterable[ReviewThread], rules: Sequence[OwnersRule] = ()
) -> SortedFindings:
    earlier = earlier_findings(threads)
    said = {one.id for one in earlier}
    rejected = {one.topic for one in earlier if one.state == "rejected"}
    new: list[PullFinding] = []
    known: list[PullFinding] = []
    unwanted: list[PullFinding] = []
    for finding in findings:
        number = finding_id(finding)
        if finding_topic(finding) in rejected or any(_rejects(rule, finding) for rule in rules):
            unwanted.append(finding)
        elif number in said:
            known.append(finding)
        else:
            new.append(finding)
            said.add(number)  # a review may say the same twice
    return SortedFindings(new=tuple(new), said=tuple(known), rejected=tuple(unwanted))


def is_rejection(text: str) -> bool:
    """Whether an owner's words in the thread of a finding say that it is not wanted."""
    unquoted = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(">"))
    return _NO.search(unquoted) is not None and _NOT_NO.search(unquoted) is None


def comment_text(finding: PullFinding, reproduction: Reproduction | None, redactor: Redactor) -> str:
    """The comment that begins the finding's thread, with its hidden marker as the first line."""
    parts = [f"**{finding.severity.capitalize()}: {finding.title}**", finding.body.strip()]
    text = outgoing("\n\n".join(parts), redactor)
    suggested = _suggestion(finding, redactor)
    shown = outgoing(shown_words(finding, reproduction), redactor)
    return marked("\n\n".join(part for part in (text, suggested, shown) if part), finding_marker(finding))


def shown_words(finding: PullFinding, reproduction: Reproduction | None) -> str:
    """Whether the finding was shown by a command. Empty: its severity needs none, and none was given."""
    if reproduction is None:
        return "Not shown: there is no command that fails because of it." if finding.severity in TO_BE_SHOWN else ""
    command, commit = code(reproduction.command), reproduction.commit[:10]
    match reproduction.result:
        case "passed":
            return f"Not shown: {command} passes on {commit}."
        case "timed_out":
            return f"Not shown: {command} did not end in time on {commit}."
        case "not_run":
            return f"Not shown: {command} could not be run."
        case "failed" if not reproduction.is_shown:
            return f"Not shown: {command} could not be started on {commit}."
        case "failed":
            words = f"Shown: {command} fails on {commit} with exit code {reproduction.exit_code}."
            output = reproduction.output.strip()[-_OUTPUT:]
            return (
                f"{words}\n\n<details><summary>Output</summary>\n\n{_block(output)}\n\n</details>" if output else words
            )


def _suggestion(finding: PullFinding, redactor: Redactor) -> str:
    """A block that the author can apply by a click. Only for one line, and only if it may leave as it is."""
    text = finding.suggestion.rstrip("\r\n")
    if not text.strip() or text == finding.quote:
        return ""
    if "\n" in text or outgoing(_block(text), redactor) != _block(text):
        return outgoing(f"Instead:\n\n{_block(text)}", redactor)
    return _block(text, "suggestion")


def _block(text: str, language: str = "") -> str:
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _state(thread: ReviewThread) -> FindingState:
    owners = [word for word in thread.words if word.by == "person" and word.standing is Standing.OWNER]
    if any(is_rejection(word.text) for word in owners):
        return "rejected"
    return "resolved" if thread.is_resolved else "open"


def _rejects(rule: OwnersRule, finding: PullFinding) -> bool:
    """A rule rejects a finding if it names its title and says that it is not wanted."""
    glob = rule.glob.removeprefix("./").rstrip("/")
    if glob and not pattern_covers(glob if "/" in glob else f"**/{glob}", finding.file):
        return False
    title = _normal_title(finding.title)
    return bool(title) and title in " ".join(rule.text.casefold().split()) and is_rejection(rule.text)


def _normal_title(title: str) -> str:
    return " ".join(title.casefold().split()).strip(_TITLE_END)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_LENGTH]
