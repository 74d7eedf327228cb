"""Over random interleavings of people's pushes and ours, no commit of a person's is lost by an act of ours."""

from pathlib import Path

import pytest

from caseworker.forges import local_push
from tests.edges.pull_desk import github_desk, local_desk
from tests.edges.pull_walk import Lost, Walk


async def _walk(folder: Path, seed: int, steps: int, *, has_lease: bool = True) -> Walk:
    async with local_desk(folder) as desk:
        desk.git.has_lease = has_lease
        walk = Walk(desk=desk, seed=seed)
        await walk.go(steps)
    return walk


async def _first_loss(folder: Path, *, has_lease: bool = True) -> str:
    """What the first seed says that finds a loss."""
    for seed in range(20):
        try:
            await _walk(folder / str(seed), seed, 40, has_lease=has_lease)
        except Lost as lost:
            return str(lost)
    return "nothing was lost"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
async def test_nothing_of_a_persons_is_lost_on_a_repository_of_this_disk(tmp_path: Path, seed: int) -> None:
    walk = await _walk(tmp_path / "walk", seed, 40)
    assert walk.pushed  # otherwise it shows nothing
    assert walk.refused


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
async def test_nothing_of_a_persons_is_lost_on_github(tmp_path: Path, seed: int) -> None:
    async with github_desk(tmp_path) as desk:
        walk = Walk(desk=desk, seed=seed)
        await walk.go(14)
    assert walk.pushed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 144))
async def test_nothing_of_a_persons_is_lost_over_long_walks(tmp_path: Path, seed: int) -> None:
    await _walk(tmp_path / "walk", seed, 60)


@pytest.mark.slow
async def test_without_a_lease_the_walk_finds_a_loss(tmp_path: Path) -> None:
    assert "are not in" in await _first_loss(tmp_path, has_lease=False)


async def test_without_the_look_at_dropped_commits_the_walk_finds_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing_is_dropped(*_: object, **__: object) -> bool:
        return False

    monkeypatch.setattr(local_push, "drops_others_work", nothing_is_dropped)
    assert "are not in" in await _first_loss(tmp_path)
