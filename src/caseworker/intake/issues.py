"""Reads issues from files: Markdown, the JSON of `gh issue view`, or an exported case file. Parsing only."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import LARGEST_NUMBER
from caseworker.core.casefile.model import load_case_file
from caseworker.ports import NewIssue

_LARGEST = 256_000
_LARGEST_JSON = 8_000_000
"""A case file also holds build output. Its issue has the same limits as any other."""
_BODY_LIMIT = 60_000
_TITLE_LIMIT = 300


_Text = Annotated[str, AfterValidator(lambda text: text.replace("\0", ""))]
"""Text without NUL, which PostgreSQL can't store and nobody sees."""


class _GhLabel(BaseModel):
    name: _Text


class _GhIssue(BaseModel):
    """`gh issue view N --json number,title,body,labels,url`."""

    model_config = ConfigDict(extra="ignore")
    number: int = Field(ge=1, le=LARGEST_NUMBER)
    title: _Text
    body: _Text = ""
    labels: list[_GhLabel] = []
    url: _Text = ""


def read_issue(path: Path) -> NewIssue:
    """Read the issue in a file. Every mistake in it is reported before anything is created."""
    text = _text_of(path)
    if path.suffix.lower() != ".json":
        return from_markdown(text, path.name)
    case_file = _case_file_in(text)
    return _from_gh(text, path.name) if case_file is None else _from_case_file(case_file, path.name)


def read_issue_text(content: bytes) -> NewIssue:
    """Read the issue on standard input: JSON if it is an object, Markdown otherwise."""
    name = "standard input"
    if len(content) > _LARGEST_JSON:
        raise Refused(f"{name} is larger than {_LARGEST_JSON // 1000} KB.", todo="Shorten it, or link what is long.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{name} is not UTF-8 text.", todo="Pipe UTF-8 Markdown or JSON in.") from error
    if not text.strip() or "\0" in text:
        raise Refused("`-` reads the issue from standard input, and there is no text.", todo="Pipe it in.")
    if not text.lstrip().startswith("{"):
        return from_markdown(text, name)
    case_file = _case_file_in(text)
    return _from_gh(text, name) if case_file is None else _from_case_file(case_file, name)


def _text_of(path: Path) -> str:
    wanted = "Give a Markdown file, the JSON of `gh issue view`, or a case file."
    largest = _LARGEST_JSON if path.suffix.lower() == ".json" else _LARGEST
    try:
        if not path.exists():
            raise Refused(f"There is no issue file at {path}.", todo=wanted)
        if not path.is_file():
            raise Refused(f"{path} is not a file.", todo=wanted)
        if path.stat().st_size > largest:
            raise Refused(f"{path.name} is larger than {largest // 1000} KB.", todo="Shorten it, or link what is long.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{path.name} is not UTF-8 text.", todo="Save it as UTF-8 Markdown.") from error
    except OSError as error:
        raise Refused(f"{_shortened(str(path))} can't be read: {error.strerror}.", todo=wanted) from error
    if "\0" in text:
        raise Refused(f"{path.name} is not UTF-8 text.", todo="Save it as UTF-8 Markdown.")
    if not text.strip():
        raise Refused(
            f"The issue file {path.name} is empty.",
            todo="Its first line becomes the title, the rest the body: write what is wrong and how to see it.",
        )
    return text


def from_markdown(text: str, name: str) -> NewIssue:
    """The first line with text is the title, with or without `#`; the rest is the body.

    A first line too long for a title is also kept in the body, so that nothing is lost.
    """
    lines = text.strip().splitlines()
    title = re.sub(r"^#+\s*", "", lines[0]).strip()
    if not title:
        raise Refused(f"The first line of {name} has no words.", todo="Write the title there.")
    body = lines if len(title) > _TITLE_LIMIT else lines[1:]
    return NewIssue(title=_shortened(title), body=_bounded("\n".join(body).strip(), name))


def _from_gh(text: str, name: str) -> NewIssue:
    hint = "Make it with `gh issue view N --json number,title,body,labels,url`."
    try:
        issue = _GhIssue.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            raise Refused(f"{name} is not valid JSON: {first['ctx']['error']}.", todo=hint) from error
        where = ".".join(str(part) for part in first["loc"]) or "the document"
        raise Refused(f"{name} is not an issue: `{where}`: {first['msg']}.", todo=hint) from error
    return _checked(issue, name, hint)


def _case_file_in(text: str) -> dict[str, object] | None:
    """Recognised by two keys that no JSON of GitHub's has. None also for invalid JSON, which is reported when it is
    read as an issue."""
    try:
        document = from_json(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) and {"version", "issue"} <= document.keys() else None


def _from_case_file(document: dict[str, object], name: str) -> NewIssue:
    """Take only its issue, to be worked on from the beginning; the other case's work is not taken over."""
    hint = "`caseworker export CASE` writes one that can be read."
    section = load_case_file(document).issue
    labels = [{"name": label} for label in section.labels]
    fields = {"number": section.number, "title": section.title, "body": section.original_body, "url": section.url}
    try:
        issue = _GhIssue.model_validate({**fields, "labels": labels})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in ("issue", *first["loc"]))
        raise Refused(f"{name} holds no issue that can be worked on: `{where}`: {first['msg']}.", todo=hint) from error
    return _checked(issue, name, hint)


def _checked(issue: _GhIssue, name: str, hint: str) -> NewIssue:
    if not issue.title.strip():
        raise Refused(f"The issue in {name} has an empty title.", todo=hint)
    return NewIssue(
        title=_shortened(issue.title.strip()),
        body=_bounded(issue.body, name),
        labels=[label.name for label in issue.labels],
        url=issue.url,
        number=issue.number,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE_LIMIT else text[: _TITLE_LIMIT - 1] + "…"


def _bounded(body: str, name: str) -> str:
    if len(body) > _BODY_LIMIT:
        raise Refused(f"The body in {name} has {len(body)} characters; {_BODY_LIMIT} are read.", todo="Shorten it.")
    return body
