"""Parts of a case's page: diffs in colour, the proof side by side, the diagram of its states."""

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import Sha
from caseworker.core.bug.case import BugState
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.issue.states import IssueState
from caseworker.core.pull.case import PullState
from caseworker.dashboard.coloured_diff import MOST_LINES, diff_files
from caseworker.dashboard.diagrams import state_diagram
from caseworker.views.red_and_green import proof_of
from caseworker.views.whole_cases import StateStep

STATES = {CaseKind.ISSUE: IssueState, CaseKind.BUG: BugState, CaseKind.PULL: PullState}
DIFF = """diff --git a/shop/cart.py b/shop/cart.py
index 1..2 100644
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -30,3 +30,3 @@ def shipping():
 text = '''<b>
-    if goods() > 50:
+    if goods() >= 50:  # <script>
"""


def run(purpose: Purpose, code: int) -> CommandRun:
    return CommandRun(purpose=purpose, command="pytest", exit_code=code, seconds=1, output="")


def build(number: int, stage: Stage, code: int) -> Build:
    runs = (run(Purpose.TEST, 0), run(Purpose.NEW_TEST, code))
    return Build(number=number, stage=stage, commit=Sha("a" * 40), runs=runs)


def test_a_diff_has_line_numbers_of_both_sides() -> None:
    [file], cut = diff_files(DIFF)
    assert (file.name, file.added, file.removed, cut) == ("shop/cart.py", 1, 1, False)
    assert [(line.kind, line.old, line.new) for line in file.lines] == [
        ("hunk", None, None),
        ("same", 30, 30),
        ("del", 31, None),
        ("add", None, 31),
    ]


def test_a_new_file_has_only_its_own_lines() -> None:
    head = "diff --git a/x.py b/x.py\nnew file mode 100644\nindex 0000000..87647ec\n--- /dev/null\n+++ b/x.py\n"
    [file], _ = diff_files(f"{head}@@ -0,0 +1,2 @@\n+++ i\n+pass\n")
    assert (file.added, file.removed) == (2, 0)
    assert [line.text for line in file.lines] == ["new file mode 100644", "", "++ i", "pass"]


def test_code_in_a_diff_is_coloured_and_escaped() -> None:
    [file], _ = diff_files(DIFF)
    added = str(file.lines[-1].html)
    assert "&lt;script&gt;" in added
    assert "<script" not in added
    assert "<span" in str(file.lines[1].html)


def test_a_very_long_diff_is_cut() -> None:
    [file], cut = diff_files("diff --git a/x b/x\n@@ -1 +1 @@\n" + "+line\n" * (MOST_LINES + 10))
    assert cut
    assert file.added < MOST_LINES


def test_the_proof_is_the_new_test_red_and_green() -> None:
    proof = proof_of([build(1, Stage.BASE, 0), build(2, Stage.RED, 1), build(3, Stage.HEAD, 0)])
    assert proof is not None
    assert [one.exit_code for one in (*proof.red, *proof.green)] == [1, 0]


def test_there_is_no_proof_before_both_were_seen() -> None:
    assert proof_of([build(1, Stage.BASE, 0), build(2, Stage.RED, 1)]) is None


def test_every_state_of_every_kind_has_a_place_in_its_diagram() -> None:
    for kind, states in STATES.items():
        for state in states:
            drawn = state_diagram(kind, state, [])
            assert 'class="state here"' in drawn, f"{kind} {state}"


def test_the_way_of_a_case_is_told_to_those_who_do_not_see_it() -> None:
    way = [StateStep(from_state="received", to_state="analyzing_requirements", reason="", sequence=3)]
    drawn = state_diagram(CaseKind.ISSUE, "analyzing_requirements", way)
    assert "it stands at analysis. Its way: analysis" in drawn
    assert drawn.count('class="way"') == 1
