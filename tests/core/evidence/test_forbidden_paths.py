"""Code checks forbidden paths if a sentence forbids them outright."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.evidence.forbidden_paths import violated

CHANGED = [
    "src/api/views.py",
    "src/cart.py",
    "setup.cfg",
    "config/prod.yml",
    "config/deep/dev.yml",
    "docs/index.md",
    "tests/test_cart.py",
]

FORBIDS: list[tuple[str, list[str]]] = [
    ("Don't modify `src/api/`", ["src/api/views.py"]),
    ("Don’t modify src/api/", ["src/api/views.py"]),
    ("do not touch setup.cfg", ["setup.cfg"]),
    ("Do not touch setup.cfg.", ["setup.cfg"]),
    ("leave config/*.yml alone", ["config/prod.yml"]),
    ("Leave config/**/*.yml untouched", ["config/prod.yml", "config/deep/dev.yml"]),
    ("Keep `setup.cfg` as it is", ["setup.cfg"]),
    ("Never edit src/api/views.py:12", ["src/api/views.py"]),
    ("Modify src/api", ["src/api/views.py"]),
    ("- Touch the file setup.cfg", ["setup.cfg"]),
    ("Must not change anything in src/api/ or `docs`", ["src/api/views.py", "docs/index.md"]),
    ("Do not modify or delete setup.cfg, src/cart.py and docs/", ["src/cart.py", "setup.cfg", "docs/index.md"]),
    ("Don't delete or change setup.cfg", ["setup.cfg"]),
    ("No changes to setup.cfg", ["setup.cfg"]),
    ("Do not make any changes in config/", ["config/prod.yml", "config/deep/dev.yml"]),
    ("`setup.cfg` must not be changed", ["setup.cfg"]),
    ("src/api/ and docs/ should never be touched.", ["src/api/views.py", "docs/index.md"]),
    ("Don't touch cart.py", ["src/cart.py"]),
    ("Don't touch api/views.py", ["src/api/views.py"]),
    ("Do not edit ./setup.cfg (it is generated)", ["setup.cfg"]),
    ("Do not edit setup.cfg, it is generated", ["setup.cfg"]),
    ("Do not edit setup.cfg because it is generated", ["setup.cfg"]),
    ("Do not touch setup.cfg at all!", ["setup.cfg"]),
    ("Do not modify **/test_*.py", ["tests/test_cart.py"]),
]


@pytest.mark.parametrize(("line", "paths"), FORBIDS, ids=[line for line, _ in FORBIDS])
def test_a_changed_forbidden_path_is_named(line: str, paths: list[str]) -> None:
    [sentence] = violated(["Be slow", line], CHANGED)
    were = "was" if len(paths) == 1 else "were"
    named = ", ".join(f"`{path}`" for path in paths)
    assert sentence == f"{named} {were} changed, and the analysis says: {line}"


ALLOWS = [
    "Change the API",
    "Don't change the signature of src/cart.py",
    "Don't change src/cart.py signatures",
    "Don't change `src/cart.py` in a way that breaks callers",
    "Don't change the behaviour of `total` in src/cart.py",
    "Don't delete setup.cfg",
    "Don't edit setup.cfg directly",
    "Don't manually edit setup.cfg",
    "Don't change src/cart.py at import time",
    "Don't change src/cart.py as long as the API stays",
    "Don't rewrite src/cart.py",
    "Don't rename src/cart.py",
    "Do not modify the existing tests in tests/",
    "Do not change files outside src/cart.py",
    "Do not touch setup.cfg unless the version changes",
    "Do not modify anything other than src/cart.py",
    "Require users to edit config/prod.yml",
    "Do not make users update setup.cfg by hand",
    "Do not introduce code that will change setup.cfg",
    "Don't modify `Cart.total`",
    "Don't modify `total`",
    "Don't change docs",
    "Don't touch setup",
    "Don't modify src/apiary/",
    "Don't modify api/",
    "Don't touch https://example.org/setup.cfg",
    "Don't touch ../setup.cfg",
    "Don't modify config/*.yaml",
    "Don't change the read/write behaviour",
    "Keep the names in src/cart.py short",
    "Leave a note in docs/index.md",
    "src/cart.py must be changed",
    "",
    "`",
    "Don't modify /",
    "Don't modify `*`" + "*" * 40,
]


@pytest.mark.parametrize("line", ALLOWS)
def test_a_line_that_forbids_something_else_is_left_to_the_reviewer(line: str) -> None:
    assert violated([line], CHANGED) == []


def test_only_some_of_many_changed_paths_are_named() -> None:
    changed = [f"src/api/{number}.py" for number in range(8)]
    assert violated(["Don't modify src/api"], changed) == [
        "`src/api/0.py`, `src/api/1.py`, `src/api/2.py`, `src/api/3.py`, `src/api/4.py` and 3 more were changed, "
        "and the analysis says: Don't modify src/api"
    ]


PART = st.text(alphabet="abcxyz_-", min_size=1, max_size=6)
PATHS = st.lists(PART, min_size=2, max_size=4).map("/".join)


@given(path=PATHS, others=st.lists(PATHS, max_size=5))
def test_a_forbidden_path_is_found_exactly_if_it_was_changed(path: str, others: list[str]) -> None:
    line = f"Do not modify `{path}`"
    elsewhere = [other for other in others if other != path and not other.startswith(f"{path}/")]
    assert violated([line], elsewhere) == []
    assert violated([line], [*elsewhere, path]) == [f"`{path}` was changed, and the analysis says: {line}"]


HOSTILE = st.lists(
    st.sampled_from(["don't", "modify", "`", "*", "**/", "a/" * 90, "[", "x.py", ",", "not", "leave", "alone"])
    | st.text(max_size=5),
    max_size=60,
).map(" ".join)


@given(lines=st.lists(HOSTILE, max_size=4), paths=st.lists(st.text(max_size=30) | PATHS, max_size=5))
def test_any_line_and_any_path_can_be_read(lines: list[str], paths: list[str]) -> None:
    assert len(violated(lines, paths)) <= len(lines)
