"""Which changes are reviewed as small and plain. Each fact that speaks against it suffices."""

import pytest

from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.case import InvestigationProgress
from caseworker.core.issue.plain_change import is_plain_change
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.pm import Topic
from tests.core.examples import HEAD, OTHER, a_proven_case, triaged


def a_diff(*files: str, lines: int = 1, head: str = "") -> str:
    one = "diff --git a/{0} b/{0}\n{1}--- a/{0}\n+++ b/{0}\n@@ -1,0 +1,{2} @@\n"
    return "".join(one.format(name, head, lines) + "+x\n" * lines for name in files)


SMALL = a_diff("cart.py", "test_cart.py")
PROVEN = a_proven_case(IssueState.REVIEWING_CODE, checkpoint=HEAD, green=HEAD, proved=HEAD)


def test_a_proven_small_change_at_its_first_review_is_plain() -> None:
    assert is_plain_change(PROVEN, triaged(), SMALL)


@pytest.mark.parametrize(
    "change",
    [
        {"green": OTHER},
        {"proved": None},
        {"checkpoint": OTHER},
        {"weakened": ("test_total is skipped",)},
        {"touches": (Touched(topic=Topic.PERMISSIONS, paths=("acl.py",)),)},
        {"forbidden": ("ci.yml",)},
        {"attempt": 2},
        {"round": 2},
        {"senior": True},
        {"guided": True},
        {"remarks": (1,)},
        {"investigation": InvestigationProgress()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_code_has_seen_against_it_asks_for_the_stronger_model(change: dict[str, object]) -> None:
    assert not is_plain_change(PROVEN.updated(**change), triaged(), SMALL)


@pytest.mark.parametrize(
    "claim",
    [{"scope": "MEDIUM"}, {"complexity": "moderate"}, {"topics": [Topic.CRYPTOGRAPHY]}],
    ids=lambda claim: next(iter(claim)),
)
def test_an_issue_that_triage_calls_larger_is_not_plain(claim: dict[str, object]) -> None:
    assert not is_plain_change(PROVEN, triaged().model_copy(update=claim), SMALL)
    assert not is_plain_change(PROVEN, None, SMALL)


@pytest.mark.parametrize(
    "diff",
    [
        "",
        a_diff("a.py", "b.py", "c.py"),
        a_diff("a.py", lines=61),
        a_diff("a.py", head="deleted file mode 100644\n"),
        a_diff("a.sh", head="old mode 100644\nnew mode 100755\n"),
        "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n",
    ],
    ids=["empty", "files", "lines", "deleted", "mode", "binary"],
)
def test_a_diff_that_is_not_small_is_not_plain_whatever_triage_said(diff: str) -> None:
    assert not is_plain_change(PROVEN, triaged(), diff)
