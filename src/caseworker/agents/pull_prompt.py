"""What fills the prompts of a pull case. Text from people, programs and the repository is cleaned, labelled, fenced."""

from collections.abc import Sequence
from typing import Final

from caseworker.agents import case_words
from caseworker.agents.prompt_inputs import DiffInputs, PullInputs, ResolveInputs, ReviewInputs
from caseworker.agents.templates import BODY_LIMIT, command_list, listed, template, titled
from caseworker.core.base.outgoing_text import marker_of
from caseworker.core.base.roles import Role, Task
from caseworker.core.base.text import clip
from caseworker.core.base.untrusted_text import Fence, cleaned, one_line, revealed
from caseworker.core.people.digest import rendered
from caseworker.core.pull.failures import FailedCheck
from caseworker.core.pull.findings import EarlierFinding
from caseworker.core.pull.review_threads import ReviewThread, ThreadWord

DIFF_LIMIT: Final = 80_000
"""Characters of a diff that is shown in the prompt."""
_FILES_LIMIT: Final = 24_000
_THREADS_LIMIT: Final = 60_000
_THREAD_FLOOR: Final = 600
"""Characters that each thread keeps, however many there are: the agent has to answer every one."""
_EARLIER_LIMIT: Final = 16_000
_CHECKS_LIMIT: Final = 40_000
_CHECK_FLOOR: Final = 1_500
_MOST_ANNOTATIONS: Final = 20


def pull_template(role: Role, task: Task) -> str:
    """The name of the file."""
    return f"{role}.{task}"


def pull_blocks(inputs: PullInputs, fence: Fence) -> dict[str, str]:
    text = f"{one_line(inputs.title)}\n\n{clip(cleaned(inputs.body), BODY_LIMIT)}"
    quoted = fence.around(text, what="pull request", source=f"{inputs.author or 'a deleted account'}, its author")
    discussion = rendered(inputs.discussion, fence) if inputs.discussion is not None else ""
    return {
        "pull": f"{quoted}\n\n{discussion}" if discussion else quoted,
        "base": f" into `{one_line(inputs.base_branch, 200)}`" if inputs.base_branch else "",
        "diff": _diff(inputs.diff, fence),
        "commands": command_list([one_line(text) for text in inputs.commands]),
        "messages": titled("Said below the pull request, oldest first:", case_words.spoken(fence, inputs.said)),
        **_review_blocks(inputs.review, fence),
        **_resolve_blocks(inputs.resolve, fence),
    }


def _review_blocks(inputs: ReviewInputs, fence: Fence) -> dict[str, str]:
    lines = case_words.newest([_earlier(one) for one in inputs.earlier], _EARLIER_LIMIT)
    earlier = fence.around(
        "\n".join(lines), what="earlier findings", source="reviews of ours, and what owners answered"
    )
    title = "You found these before. What still holds keeps its title; what was rejected is not raised again:"
    return {"earlier": titled(title, earlier), "rules": case_words.remembered_rules(fence, inputs.rules)}


def _resolve_blocks(inputs: ResolveInputs, fence: Fence) -> dict[str, str]:
    each = max(_THREAD_FLOOR, _THREADS_LIMIT // max(len(inputs.threads), 1))
    threads = "\n\n".join(_thread(number, one, fence, each) for number, one in inputs.threads)
    room = max(_CHECK_FLOOR, _CHECKS_LIMIT // max(len(inputs.failures), 1))
    checks = "\n".join(_check(one, fence, room) for one in inputs.failures)
    others = [f"{one_line(name, 200)}: {why}" for name, why in inputs.not_ours]
    feedback = clip(revealed(inputs.feedback), BODY_LIMIT)
    return {
        "threads": titled("Open review threads, by number:", threads),
        "checks": titled("Failed checks on the head:", checks),
        "other_checks": _fenced_list("Failed as well, and not yours to fix:", others, "checks", fence),
        "conflicts": _conflicts(inputs, fence),
        "feedback": fence.around(feedback, what="why your last change was not pushed", source="Caseworker's build"),
        "task": template("developer.resolve_pull.answer" if inputs.is_read_only else "developer.resolve_pull.change"),
    }


def _diff(diff: DiffInputs, fence: Fence) -> str:
    if diff.file is None:
        return fence.around(revealed(diff.text), what="diff against the base", source="the working tree")
    lines = [f"{one_line(path, 300)} +{added} -{removed}" for path, added, removed in diff.files]
    kept: list[str] = []
    room = _FILES_LIMIT
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    rest = [f"(and {len(lines) - len(kept):,} more)"] if len(kept) < len(lines) else []
    shown = fence.around("\n".join([*kept, *rest]), what="changed files", source="the working tree")
    head = f"The diff is too long to show here: {len(lines):,} files. The whole of it is in `{diff.file}`."
    return f"{head}\n{shown}"


def _thread(number: str, thread: ReviewThread, fence: Fence, limit: int) -> str:
    """A long thread keeps its first comment and the newest ones."""
    about = ", outdated: the code under it has changed" if thread.is_outdated else ""
    head = f"{number}: `{one_line(thread.place, 300)}`{about}"
    first, rest = _word(thread.words[0], fence, limit // 2), thread.words[1:]
    shown = case_words.newest([_word(word, fence, limit // 2) for word in rest], limit // 2) if rest else []
    left_out = [f"({len(rest) - len(shown)} more are left out)"] if len(shown) < len(rest) else []
    return "\n".join([head, first, *left_out, *shown])


def _word(word: ThreadWord, fence: Fence, limit: int) -> str:
    text = clip(cleaned(word.text), limit).strip() or "(no visible words)"
    return fence.around(text, what="comment", source=word.label)


def _earlier(one: EarlierFinding) -> str:
    first, *rest = one.thread.words
    said = first.text.removeprefix(f"<!-- {marker_of(first.text)} -->")
    lines = [f"- {one.state}, {one_line(one.thread.place, 200)}: {one_line(said, 200)}"]
    lines += [f"  {one_line(word.label, 100)}: {one_line(word.text, 500)}" for word in rest if word.by != "us"]
    return "\n".join(lines)


def _check(check: FailedCheck, fence: Fence, limit: int) -> str:
    """The log is told last and keeps its end, where it says what failed."""
    head = [f"result: {one_line(check.newest.result or check.newest.state, 60)}"]
    head += [f"it said: {clip(revealed(check.summary), limit // 4)}"] if check.summary.strip() else []
    head += [_annotation_line(one.path, one.line, one.message) for one in check.annotations[:_MOST_ANNOTATIONS]]
    if len(check.annotations) > _MOST_ANNOTATIONS:
        head.append(f"(and {len(check.annotations) - _MOST_ANNOTATIONS} more annotations)")
    head += [f"could not be read: {', '.join(one_line(part, 60) for part in check.unread)}"] if check.unread else []
    told = clip("\n".join(head), limit // 2)
    log = revealed(check.log_tail)[-(limit - len(told)) :].strip()
    text = f"{told}\nend of its log:\n{log}" if log else told
    return fence.around(text, what=f"check {one_line(check.name, 200)}", source=check.app or "a commit status")


def _annotation_line(path: str, line: int, message: str) -> str:
    return f"{one_line(path, 300)}:{line}: {one_line(message, 400)}"


def _conflicts(inputs: ResolveInputs, fence: Fence) -> str:
    title = (
        "The base was brought in, and these files conflict. They hold both versions between markers. Solve each so "
        "that both changes keep their purpose, and leave no marker:"
    )
    marked = [path for path in inputs.conflicts if path not in inputs.one_sided]
    both = _fenced_list(title, marked, "conflicts", fence)
    sided = "These conflict as well and hold only the branch's version, without markers; decide what is right:"
    return "\n\n".join(part for part in (both, _fenced_list(sided, inputs.one_sided, "conflicts", fence)) if part)


def _fenced_list(title: str, lines: Sequence[str], what: str, fence: Fence) -> str:
    text = listed("", [one_line(line, 400) for line in lines])
    return titled(title, fence.around(text, what=what, source="the repository"))
