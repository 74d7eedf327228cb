"""Texts of posts about the messages themselves: the reporter's words for developers, and files that are lost."""

from collections.abc import Sequence

from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Standing


def quoted(kind: MessageKind, text: str) -> str:
    how = {MessageKind.EDIT: "changed a message, which now says", MessageKind.DELETION: "took a message back"}
    quote = "\n".join(f"> {line}" for line in text.splitlines())
    return f"The reporter {how.get(kind, 'wrote')}:\n{quote}"


def lost_for_reporter(titles: Sequence[str]) -> str:
    files, them = ("file", "it") if len(titles) == 1 else ("files", "them")
    lost = f"We could not open your {files} {', '.join(titles)}, so we are carrying on without {them}."
    return f"{lost} You can attach {them} again (up to 10 MB), or paste the part that matters here." if titles else ""


def lost_for_developers(lost_files: Sequence[tuple[str, str]], speaker: Standing) -> str:
    one = len(lost_files) == 1
    whose = "the reporter" if speaker is Standing.REPORTER else "a developer"
    files = ", ".join(f"{title} ({problem.rstrip('.')})" for title, problem in lost_files)
    lost = f"{'A file' if one else 'Files'} of {whose} could not be had: {files}."
    return f"{lost} The investigation goes on without {'it' if one else 'them'}." if files else ""
