"""Where the worktree is on this machine stays out of what agents hand in."""

from caseworker.agents.redacted_runtime import without_folder
from tests.world.agent import changes


def test_paths_in_an_outcome_begin_at_the_worktree() -> None:
    tree = "/home/ada/.caseworker/workspaces/local__shop__1/tree/"
    said = changes("Greet").model_copy(update={"summary": f"Lost in {tree}src/cart.py:3; see {tree}README."})
    told = without_folder(said.model_dump(mode="json"), tree)
    assert isinstance(told, dict)
    assert told["summary"] == "Lost in src/cart.py:3; see README."
    assert told["changes"] == said.model_dump(mode="json")["changes"]
