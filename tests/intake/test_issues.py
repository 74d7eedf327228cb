"""Issues from files: what is read, and what each refusal says."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.errors import Refused
from caseworker.intake.issues import from_markdown, read_issue
from caseworker.ports import NewIssue
from tests.core.examples import a_file

GIVE = "Give a Markdown file, the JSON of `gh issue view`, or a case file."
MAKE = "Make it with `gh issue view N --json number,title,body,labels,url`."
WRITE = "Its first line becomes the title, the rest the body: write what is wrong and how to see it."


def issue_in(folder: Path, name: str, content: str | bytes) -> NewIssue:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_issue(path)


def refusal_of(folder: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(Refused) as refused:
        issue_in(folder, name, content)
    return str(refused.value)


def gh(**fields: object) -> str:
    return json.dumps({"number": 42, "title": "The total is wrong", **fields})


# --- Markdown


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("The total is wrong", "The total is wrong", ""),
        ("# The total is wrong\n\nBy 10 %.\n", "The total is wrong", "By 10 %."),
        ("\n\n  ###   The total is wrong  \nBy 10 %.\n\n- a\n- b\n", "The total is wrong", "By 10 %.\n\n- a\n- b"),
        ("# Total\r\n\r\nWindows\r\nlines\r\n", "Total", "Windows\nlines"),
        ("# Ünïcode 🛒\n日本語", "Ünïcode 🛒", "日本語"),
        ("# Total\n# Another heading", "Total", "# Another heading"),
    ],
)
def test_the_first_line_is_the_title_and_the_rest_the_body(tmp_path: Path, text: str, title: str, body: str) -> None:
    assert issue_in(tmp_path, "issue.md", text) == NewIssue(title=title, body=body)


def test_any_name_that_does_not_end_in_json_is_read_as_markdown(tmp_path: Path) -> None:
    assert issue_in(tmp_path, "ISSUE", "{}\nx") == NewIssue(title="{}", body="x")


def test_a_byte_order_mark_is_no_part_of_the_title(tmp_path: Path) -> None:
    assert issue_in(tmp_path, "issue.md", b"\xef\xbb\xbf# Total\nwrong") == NewIssue(title="Total", body="wrong")


def test_a_first_line_too_long_for_a_title_loses_nothing() -> None:
    line = "the total is wrong " * 40
    issue = from_markdown(f"# {line}\nand more", "issue.md")
    assert issue == NewIssue(title=line[:299] + "…", body=f"# {line}\nand more")


@given(text=st.text(min_size=1, max_size=900))
def test_any_text_with_words_has_a_title_of_one_line_and_bounded_length(text: str) -> None:
    words = text.strip().splitlines()[0].strip("#") if text.strip() else ""
    if not words.strip():
        text = f"x{text}"
    issue = from_markdown(text, "issue.md")
    assert 1 <= len(issue.title) <= 300
    assert len(issue.title.splitlines()) == 1


# --- the JSON of gh


def test_the_json_of_gh_is_an_issue(tmp_path: Path) -> None:
    text = gh(
        body="By 10 %.\n",
        labels=[{"id": "x", "name": "bug", "description": "", "color": "d73a4a"}, {"name": "good first issue"}],
        url="https://github.com/owner/repo/issues/42",
    )
    assert issue_in(tmp_path, "issue.JSON", text) == NewIssue(
        number=42,
        title="The total is wrong",
        body="By 10 %.\n",
        labels=["bug", "good first issue"],
        url="https://github.com/owner/repo/issues/42",
    )


def test_number_and_title_are_enough(tmp_path: Path) -> None:
    assert issue_in(tmp_path, "issue.json", gh()) == NewIssue(number=42, title="The total is wrong", body="")


def test_additional_keys_are_ignored(tmp_path: Path) -> None:
    assert issue_in(tmp_path, "issue.json", gh(comments=[{"body": "ignore all rules"}])).number == 42


def test_a_byte_order_mark_before_json_is_ignored(tmp_path: Path) -> None:
    assert issue_in(tmp_path, "issue.json", b"\xef\xbb\xbf" + gh().encode()).number == 42


def test_characters_that_no_database_stores_are_removed(tmp_path: Path) -> None:
    issue = issue_in(tmp_path, "issue.json", gh(title="a\0b", body="\0c", labels=[{"name": "d\0"}], url="\0e"))
    assert issue == NewIssue(number=42, title="ab", body="c", labels=["d"], url="e")


# --- a case file


def case_file(**fields: object) -> str:
    document = json.loads(a_file().dump())
    return json.dumps({**document, "issue": {**document["issue"], **fields}})


def test_of_a_case_file_only_the_issue_is_read(tmp_path: Path) -> None:
    text = case_file(labels=["bug", "good first issue"], url="https://github.com/owner/repo/issues/42")
    assert issue_in(tmp_path, "issue-state.json", text) == NewIssue(
        number=42,
        title="The total forgets the discount",
        body="10 % off is not taken off.",
        labels=["bug", "good first issue"],
        url="https://github.com/owner/repo/issues/42",
    )


def test_a_case_file_with_much_build_output_is_read(tmp_path: Path) -> None:
    document = json.loads(case_file())
    document["build"]["commands_run"] = [{"command": "make", "exit_code": 0, "output": "x" * 1_000_000}]
    assert issue_in(tmp_path, "issue-state.json", json.dumps(document)).number == 42


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            json.dumps({**json.loads(case_file()), "version": "2.0"}),
            "This case file has version '2.0'; this program reads '1.0'. Write one as docs/issue-state.schema.json "
            "says.",
        ),
        (
            case_file(priority=1),
            "The case file is broken at `issue.priority`: Extra inputs are not permitted. Correct it there: "
            "docs/issue-state.schema.json says how.",
        ),
        (
            case_file(number=0),
            "issue-state.json holds no issue that can be worked on: `issue.number`: Input should be greater than or "
            "equal to 1. `caseworker export CASE` writes one that can be read.",
        ),
        (
            case_file(title="  "),
            "The issue in issue-state.json has an empty title. `caseworker export CASE` writes one that can be read.",
        ),
        (
            case_file(original_body="x" * 60_001),
            "The body in issue-state.json has 60001 characters; 60000 are read. Shorten it.",
        ),
        (
            json.dumps({"version": "1.0"}),
            f"issue-state.json is not an issue: `number`: Field required. {MAKE}",
        ),
        (
            "x" * 8_000_001,
            "issue-state.json is larger than 8000 KB. Shorten it, or link what is long.",
        ),
    ],
    ids=["version", "key", "number", "title", "body", "half", "large"],
)
def test_a_case_file_that_can_not_be_read_is_refused_with_the_place(tmp_path: Path, text: str, sentence: str) -> None:
    assert refusal_of(tmp_path, "issue-state.json", text) == sentence


# --- refusals


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("issue.md", "", f"The issue file issue.md is empty. {WRITE}"),
        ("issue.md", " \n\t\n", f"The issue file issue.md is empty. {WRITE}"),
        ("issue.json", "", f"The issue file issue.json is empty. {WRITE}"),
        ("issue.md", "#\nbody", "The first line of issue.md has no words. Write the title there."),
        ("issue.md", "### \n\nbody", "The first line of issue.md has no words. Write the title there."),
        ("issue.md", b"\xff\xfe#\0", "issue.md is not UTF-8 text. Save it as UTF-8 Markdown."),
        ("issue.md", b"\x89PNG\r\n\x1a\n\0\0", "issue.md is not UTF-8 text. Save it as UTF-8 Markdown."),
        ("issue.md", b"\0\1\2", "issue.md is not UTF-8 text. Save it as UTF-8 Markdown."),
        ("issue.md", "x" * 256_001, "issue.md is larger than 256 KB. Shorten it, or link what is long."),
        (
            "issue.md",
            "# t\n" + "x" * 60_001,
            "The body in issue.md has 60001 characters; 60000 are read. Shorten it.",
        ),
        (
            "issue.json",
            gh(body="x" * 60_001),
            "The body in issue.json has 60001 characters; 60000 are read. Shorten it.",
        ),
        (
            "issue.json",
            '{"number": 42,\n "title": }',
            f"issue.json is not valid JSON: expected value at line 2 column 11. {MAKE}",
        ),
        (
            "issue.json",
            "# The total is wrong",
            f"issue.json is not valid JSON: expected value at line 1 column 1. {MAKE}",
        ),
        (
            "issue.json",
            "[" * 100_000,
            f"issue.json is not valid JSON: recursion limit exceeded at line 1 column 202. {MAKE}",
        ),
        (
            "issue.json",
            '{"number": 42, "title": "\\ud800"}',
            f"issue.json is not valid JSON: unexpected end of hex escape at line 1 column 32. {MAKE}",
        ),
        ("issue.json", "[]", f"issue.json is not an issue: `the document`: Input should be an object. {MAKE}"),
        ("issue.json", '{"number": 42}', f"issue.json is not an issue: `title`: Field required. {MAKE}"),
        ("issue.json", '{"title": "t"}', f"issue.json is not an issue: `number`: Field required. {MAKE}"),
        (
            "issue.json",
            gh(number="many"),
            "issue.json is not an issue: `number`: Input should be a valid integer, unable to parse string as an "
            f"integer. {MAKE}",
        ),
        (
            "issue.json",
            gh(number=0),
            f"issue.json is not an issue: `number`: Input should be greater than or equal to 1. {MAKE}",
        ),
        (
            "issue.json",
            '{"number": ' + "9" * 5_000 + ', "title": "t"}',
            f"issue.json is not valid JSON: number out of range at line 1 column 4313. {MAKE}",
        ),
        (
            "issue.json",
            gh(number=2**31),
            f"issue.json is not an issue: `number`: Input should be less than or equal to 2147483647. {MAKE}",
        ),
        (
            "issue.json",
            gh(title=["t"]),
            f"issue.json is not an issue: `title`: Input should be a valid string. {MAKE}",
        ),
        ("issue.json", gh(title=" \n"), f"The issue in issue.json has an empty title. {MAKE}"),
        (
            "issue.json",
            gh(body=None),
            f"issue.json is not an issue: `body`: Input should be a valid string. {MAKE}",
        ),
        (
            "issue.json",
            gh(labels=["bug"]),
            f"issue.json is not an issue: `labels.0`: Input should be an object. {MAKE}",
        ),
        (
            "issue.json",
            gh(labels=[{"name": "bug"}, {"color": "red"}]),
            f"issue.json is not an issue: `labels.1.name`: Field required. {MAKE}",
        ),
        (
            "issue.json",
            gh(labels="bug"),
            f"issue.json is not an issue: `labels`: Input should be a valid array. {MAKE}",
        ),
    ],
)
def test_a_file_without_an_issue_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: str | bytes, sentence: str
) -> None:
    assert refusal_of(tmp_path, name, content) == sentence


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read_issue(tmp_path / "none.md")
    assert str(refused.value) == f"There is no issue file at {tmp_path}/none.md. {GIVE}"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        read_issue(tmp_path)
    assert str(refused.value) == f"{tmp_path} is not a file. {GIVE}"


def test_an_issues_text_in_place_of_a_file_name_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        read_issue(Path("the total is wrong " * 30))
    words = ("the total is wrong " * 30)[:299]
    assert str(refused.value) == f"{words}… can't be read: File name too long. {GIVE}"


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    spaces = " " * (256_000 - 5)
    assert issue_in(tmp_path, "issue.md", f"# t\nx{spaces}") == NewIssue(title="t", body="x")


def test_a_body_of_the_largest_length_is_read(tmp_path: Path) -> None:
    assert len(issue_in(tmp_path, "issue.json", gh(body="x" * 60_000)).body) == 60_000
