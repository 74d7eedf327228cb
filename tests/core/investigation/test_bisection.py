"""Requests for a bisect: which are valid, and the texts about its result."""

import pytest
from pydantic import ValidationError

from caseworker.core.evidence.builds import CommandRun, Purpose
from caseworker.core.investigation import bisection_words as words
from caseworker.core.investigation.bisection import (
    Bisection,
    BisectRequest,
    BisectStep,
    CulpritCommit,
    verdict_of_commit,
)
from caseworker.core.outcomes.bug import Culprit

COMMIT = "a" * 40


@pytest.mark.parametrize("revision", ["HEAD", "HEAD~30", "HEAD^2~3", "main", "feature/x.y-z~2", "0123abcd", COMMIT])
def test_a_revision_is_a_name_and_a_way_back_from_it(revision: str) -> None:
    assert BisectRequest(good=revision, bad=revision, script="true").good == revision


@pytest.mark.parametrize(
    "revision",
    ["", "-x", "--all", "a b", "a..b", "a:b", ":/fix", "HEAD^{/fix}", "@{u}", "a\nb", "x" * 201, "a//b", "a.lock", "ä"],
)
def test_text_that_git_could_misread_is_no_revision(revision: str) -> None:
    with pytest.raises(ValidationError):
        BisectRequest(good=revision, script="true")


@pytest.mark.parametrize(
    ("script", "runs"), [("", 1), ("  \n", 1), ("x" * 4_001, 1), ("a\0b", 1), ("true", 0), ("true", 51)]
)
def test_scripts_and_runs_have_limits(script: str, runs: int) -> None:
    with pytest.raises(ValidationError):
        BisectRequest(good="HEAD~3", script=script, runs=runs)


@pytest.mark.parametrize(
    ("exit_code", "verdict"),
    [
        (0, "good"),
        (1, "bad"),
        (124, "bad"),
        (125, "skip"),
        (126, "bad"),
        (127, "bad"),
        (128, None),
        (139, None),
        (-9, None),
    ],
)
def test_exit_codes_mean_the_same_as_in_git_bisect(exit_code: int, verdict: str | None) -> None:
    assert verdict_of_commit(exit_code) == verdict


def test_a_culprit_has_the_fields_of_an_outcomes_culprit() -> None:
    found = CulpritCommit(hash=COMMIT, author="Ada", date="2026-01-01T00:00:00+00:00", message="Break it")
    assert Culprit(**found.model_dump()).hash == COMMIT
    result = Bisection(status="found", reason="x", culprit=found)
    assert Bisection.model_validate_json(result.model_dump_json()) == result


def _step(verdict: str, *, exit_code: int, runs: int = 1) -> BisectStep:
    return BisectStep.model_validate({"commit": COMMIT, "verdict": verdict, "exit_code": exit_code, "runs": runs})


def test_every_sentence_says_what_to_do_next() -> None:
    request = BisectRequest(good="HEAD~9", script="./try.sh")
    killed = CommandRun(purpose=Purpose.TEST, command="x", exit_code=137, seconds=1, output="Killed\n")
    culprit = CulpritCommit(hash=COMMIT, author="Ada", date="", message="Break it\n\nBecause.")
    said = [
        words.unknown("v9", "main"),
        words.wrong_order(request, same=True),
        words.wrong_order(request, same=False),
        words.wrong_end("HEAD", _step("good", exit_code=0)),
        words.wrong_end("HEAD", _step("good", exit_code=0, runs=50)),
        words.wrong_end("HEAD~9", _step("bad", exit_code=2, runs=3)),
        words.wrong_end("HEAD~9", _step("skip", exit_code=125)),
        words.says_nothing(COMMIT, killed),
        words.time_is_up(600, 1, hanging=True),
        words.time_is_up(600, 4, hanging=False),
        words.too_many_steps(),
        words.only_skipped(),
        words.repaired_before(request),
        words.one_of([COMMIT] * 12),
        words.found(culprit, 5),
    ]
    assert "\n".join(said) == EXPECTED


EXPECTED = """\
`v9` names no commit that can be seen here. Name one by its hash, as HEAD or as main, with ~3 for the third before it; \
`git log --oneline` lists them.
`HEAD~9` and `HEAD` are the same commit, so nothing lies between them. Name an older one as good.
`HEAD` is older than `HEAD~9`, but bad has to come after good. Exchange them, or name an older one as good.
The script passes on `HEAD` (aaaaaaaaaaaa), which should be bad. Give one that fails there, or more runs (up to 50) if \
it fails only sometimes.
The script passes in all 50 runs on `HEAD` (aaaaaaaaaaaa), which should be bad. Give one that fails there.
The script fails on `HEAD~9` (aaaaaaaaaaaa), which should be good: exit code 2 in run 3. Name an older commit as good; \
or correct the script, if it fails for another reason (see the log).
The script can't judge `HEAD~9` (aaaaaaaaaaaa): exit code 125. Name a commit that it can judge.
The script ended with 137 on aaaaaaaaaaaa: it was killed or never began, and that says nothing about the commit. It \
said: `Killed`. Make it end with 0 (good), 125 (skip) or 1 to 127 (bad), and ask again.
The 600 s for bisecting were over after 1 commit. If the script may hang, let it run under `timeout 60`. Ask again \
with good and bad nearer to each other.
The 600 s for bisecting were over after 4 commits. Ask again with good and bad nearer to each other.
60 commits were tried without a result. Ask again with good and bad nearer to each other.
The commits that are left can't be judged: the script skips them. Give one that can judge more of them.
Where `HEAD~9` and `HEAD` part, it was bad already: so it was repaired on the way to `HEAD~9`. Name as good a commit \
that `HEAD` is built on.
The culprit is one of 12: aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa, \
aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa, aaaaaaaaaaaa and 2 more.
aaaaaaaaaaaa (Break it) is the first bad commit, found in 5 steps. Read its change: it is where the behaviour began, \
not always where the mistake is."""
