"""Kills the host or Temporal's server with -9 in every state of a case; command, host and agent process are real."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote

import pytest

from caseworker.core.issue.states import WORKING, IssueState
from tests.patience import PATIENCE
from tests.world.project import git, make_project
from tests.world.terminal import EVERYWHERE, REHEARSAL, Terminal, open_terminal, processes_about

S = IssueState

CASE = "#1"
TESTED_ELSEWHERE = {S.INVESTIGATING}
"""test_killed_investigating.py kills every iteration."""
WAY = [
    *(S.ANALYZING_REQUIREMENTS, S.REQUIREMENTS_UNCLEAR, S.WAITING_FOR_REQUIREMENTS_CLARIFICATION),
    *(S.REQUIREMENTS_CLARIFIED, S.ANALYZING_REQUIREMENTS, S.PLANNING_APPROACH),
    *(S.CREATING_TESTS, S.UPDATING_TESTS, S.IMPLEMENTING, S.RUNNING_TESTS),
    *(S.FIXING_ISSUES, S.RUNNING_TESTS, S.REVIEWING_CODE, S.REVIEWING_ARCHITECTURE, S.WAITING_FOR_HUMAN_INPUT),
    *(S.HUMAN_INPUT_RECEIVED, S.REFACTORING, S.RUNNING_TESTS),
    *(S.REVIEWING_CODE, S.REVIEWING_INTEGRATION, S.REVIEWING_CODE, S.VALIDATING_SOLUTION),
    *(S.CREATING_PR, S.WAITING_FOR_HUMAN_INPUT, S.HUMAN_INPUT_RECEIVED, S.ADDRESSING_FEEDBACK),
    *(S.RUNNING_TESTS, S.REVIEWING_CODE, S.VALIDATING_SOLUTION, S.CREATING_PR, S.WAITING_FOR_HUMAN_INPUT),
]
"""The states of an undisturbed case with the script everywhere.yaml."""
JUDGED = 11
"""The number of the only move that stays in its state: a red build is given to the tester to judge."""
TOLD = (
    "Before the work can go on, please tell us:\n1. Which world is meant?",
    "The only world there is; it is analysed again.",
    "The tech lead wants to change the architecture: “The worlds belong in a file of their own.”",
    "Mars will be greeted as well.",
    "> Ada: Please greet Mars as well.\n\nMars is greeted.",
)
TURNS = range(1, 23)
BUILDS = range(1, 7)


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """The path of a file that builds can see. While the file exists, builds prepared by `make_slow` don't end."""
    (tmp_path / "gate").mkdir()
    return tmp_path / "gate" / "closed"


@pytest.fixture
def terminal(tmp_path: Path, gate: Path) -> Iterator[Terminal]:
    # A turn that waits repeats rehearsed answers. They cost nothing, but the ledger counts them.
    settings = {"CASEWORKER_BUDGET_USD": "1000", "CASEWORKER_EXPOSE": str(gate.parent)}
    with open_terminal(tmp_path / "home", **settings) as terminal:
        yield terminal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    issue = tmp_path / "issue.md"
    issue.write_text("# The greeting misspells the world\n\nIt says wrold.\n")
    return issue


@pytest.fixture
def run(project: Path, issue: Path) -> list[str]:
    return ["run", "--repo", str(project), "--issue", str(issue), "--rehearse", str(REHEARSAL)]


def expect_one_of_everything(terminal: Terminal, project: Path) -> None:
    """One branch, one pull request, one entry per transition, and no half-edited file."""
    assert git(project, "branch", "--list", "agent/*") == "agent/issue-1"
    assert git(project, "rev-list", "--count", "main..agent/issue-1") == "1"
    assert git(project, "diff", "--name-only", "main", "agent/issue-1").split() == ["greeting.txt", "tests/world.sh"]
    assert git(project, "show", "agent/issue-1:greeting.txt") == "Hello world"
    assert len(terminal.entries("pull_request_opened")) == 1
    assert len(terminal.entries("branch_pushed")) == 1
    assert [entry["number"] for entry in terminal.entries("transitioned")] == [1, 2, 3, 4, 5, 6, 7]
    assert [entry["turn"] for entry in terminal.entries("turn_completed")] == [1, 2, 3, 4, 5]


class Saboteur:
    """Kills the host with -9 and then sends a message to the case, which starts the host again.

    In tests/world/everywhere.yaml the first turn in each state can't end before a message arrives. So a kill always
    hits the middle of a turn, and the second attempt ends with the message that was sent while the host was dead.
    """

    def __init__(self, terminal: Terminal, project: Path, gate: Path) -> None:
        self._terminal = terminal
        self._project = project
        self._gate = gate
        self._speaking: list[subprocess.Popen[str]] = []
        self.killed_in: set[IssueState] = set()
        self.killed_turns: set[object] = set()
        self.said: dict[str, object] = {}
        """From the message's text to the turn that was under way when it was sent, or None."""

    def kills_in(self, *states: IssueState) -> None:
        for state in states:
            turn = self._waits_for_a_turn_in(state)
            self._kills(state, turn)
            self._says(f"Said when {state} had been interrupted.", turn)

    def kills_after_a_message_in(self, state: IssueState) -> None:
        """Kills an attempt that was given a message. The next attempt reads it and the two sent after the kill."""
        turn = self._waits_for_a_turn_in(state)
        self._says("Said to an attempt that dies.", turn)
        self._terminal.waits_until(lambda: "messages_claimed" in self._here()[2], f"a message claimed in {state}")
        self._kills(state, turn)
        self._says("Said to the one after it.", turn)
        self._says("Said by somebody else meanwhile.", turn)

    def kills_in_the_build(self) -> None:
        self._terminal.waits_until(self._builds, "a build")
        self._kills(S.RUNNING_TESTS)
        self._gate.unlink()
        self._says("Said when the build had been interrupted.")

    def kills_in_the_push(self, words: str, *, git_as_well: bool) -> None:
        """Kills the host while its push waits for a lock. Git then pushes without the host; with `git_as_well` it is
        killed, too, and nothing is pushed."""
        self._terminal.waits_until(lambda: bool(self._pushing()), "a push")
        before = self._branch()
        self._kills(S.CREATING_PR)
        for pid in self._pushing() if git_as_well else ():
            with suppress(ProcessLookupError):  # one of them ends when the other is killed
                self._terminal.kills(pid)
        _lock_of(self._project).unlink()
        self._terminal.waits_until(lambda: not self._pushing(), "the end of the push")
        assert (self._branch() == before) is git_as_well
        self._says(words)

    def waits_in(self, state: IssueState) -> None:
        self._terminal.waits_until(lambda: self._here()[0] is state, state)

    def has_spoken(self) -> None:
        for speaking in self._speaking:
            _, err = speaking.communicate(timeout=PATIENCE)
            assert speaking.returncode == 0, err

    def _waits_for_a_turn_in(self, state: IssueState) -> object:
        """Waits until the turn has used a tool, so that a file may be half edited."""

        def is_at_work() -> bool:
            now, turn, since = self._here()
            return now is state and turn is not None and "tool_returned" in since

        self._terminal.waits_until(is_at_work, f"a turn in {state}")
        return self._here()[1]

    def _kills(self, state: IssueState, turn: object = None) -> None:
        self._terminal.kills(self._terminal.host_pid)
        assert self._here()[:2] == (state, turn)
        self.killed_in.add(state)
        self.killed_turns |= {turn} - {None}

    def _says(self, words: str, turn: object = None) -> None:
        """Sends a message, which starts the host if none runs. Does not wait for the command's end."""
        self.said[words] = turn
        self._speaking.append(self._terminal.starts("say", CASE, words, "--name", "Ada"))

    def _here(self) -> tuple[IssueState, object, list[object]]:
        """Returns the state, the turn that has begun in it, and the entries since: all from one read of the record."""
        state, turn, since = S.RECEIVED, None, list[object]()
        for entry in self._terminal.entries("transitioned", "turn_started", "tool_returned", "messages_claimed"):
            match entry["kind"]:
                case "transitioned":
                    state, turn, since = S(str(entry["to_state"])), None, []
                case "turn_started":
                    turn, since = entry["turn"], []
                case kind:
                    since.append(kind)
        return state, turn, since

    def _builds(self) -> bool:
        is_under_way = any(self._terminal.home.glob("workspaces/*/tree/building.tmp"))
        return is_under_way and self._here()[0] is S.RUNNING_TESTS

    def _pushing(self) -> list[int]:
        return processes_about("receive-pack", str(self._project))

    def _branch(self) -> str:
        return git(self._project, "for-each-ref", "--format=%(objectname)", "refs/heads/agent/")


def make_slow(project: Path, gate: Path) -> None:
    """Adds a test that shows that it runs by a file, and ends when the gate file is gone."""
    waits = f"touch building.tmp; while test -e {quote(str(gate))}; do sleep 0.05; done; rm building.tmp\n"
    (project / "tests" / "a_moment.sh").write_text(waits)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "A slow test")


def hold_pushes(project: Path) -> None:
    """Makes pushes wait for as long as a lock file is there."""
    git(project, "config", "core.filesRefLockTimeout", "-1")
    _lock_of(project).parent.mkdir(exist_ok=True)
    _lock_of(project).touch()


def _lock_of(project: Path) -> Path:
    return project / ".git" / "refs" / "heads" / "agent" / "issue-1.lock"


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_case_whose_host_is_killed_in_every_working_state_loses_nothing(
    terminal: Terminal, project: Path, issue: Path, gate: Path
) -> None:
    make_slow(project, gate)
    hold_pushes(project)
    run = ["run", "--repo", str(project), "--issue", str(issue), "--rehearse", str(EVERYWHERE)]
    assert terminal.types(*run, "--detach").code == 0
    saboteur = Saboteur(terminal, project, gate)

    saboteur.kills_in(S.RECEIVED, S.ANALYZING_REQUIREMENTS, S.REQUIREMENTS_UNCLEAR)
    saboteur.waits_in(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION)
    assert terminal.types("answer", CASE, "The only one there is.").code == 0
    saboteur.kills_in(S.REQUIREMENTS_CLARIFIED, S.PLANNING_APPROACH, S.CREATING_TESTS, S.UPDATING_TESTS)
    saboteur.waits_in(S.IMPLEMENTING)
    gate.touch()
    saboteur.kills_after_a_message_in(S.IMPLEMENTING)
    saboteur.kills_in_the_build()
    saboteur.kills_in(S.RUNNING_TESTS, S.FIXING_ISSUES, S.REVIEWING_CODE, S.REVIEWING_ARCHITECTURE)
    saboteur.waits_in(S.WAITING_FOR_HUMAN_INPUT)
    assert terminal.types("approve", CASE).code == 0
    saboteur.kills_in(S.REFACTORING, S.REVIEWING_INTEGRATION, S.VALIDATING_SOLUTION)
    saboteur.kills_in_the_push("Please greet Mars as well.", git_as_well=False)
    saboteur.kills_in(S.HUMAN_INPUT_RECEIVED)
    hold_pushes(project)
    saboteur.kills_in(S.ADDRESSING_FEEDBACK)
    saboteur.kills_in_the_push("Thanks!", git_as_well=True)
    saboteur.waits_in(S.WAITING_FOR_HUMAN_INPUT)
    saboteur.has_spoken()

    assert saboteur.killed_in == WORKING - TESTED_ELSEWHERE
    expect_the_way_of_an_undisturbed_case(terminal, saboteur.killed_turns)
    expect_one_pull_request_brought_up_to_date(terminal, project)
    expect_everything_said_once_and_answered_for(terminal, saboteur.said)


def expect_the_way_of_an_undisturbed_case(terminal: Terminal, killed: set[object]) -> None:
    """Each transition, turn and build is recorded once and in order. Only attempt numbers show the kills."""
    moves = terminal.entries("transitioned")
    assert [S(str(move["to_state"])) for move in moves] == WAY
    assert [move["from_state"] for move in moves] == [S.RECEIVED, *WAY[:-1]]
    assert [move["number"] for move in moves] == [number for number in range(1, len(WAY) + 2) if number != JUDGED]
    turns = [(entry["turn"], entry["attempt"]) for entry in terminal.entries("turn_completed")]
    assert turns == [(turn, 2 if turn in killed else 1) for turn in TURNS]
    assert [entry["number"] for entry in terminal.entries("build_ran")] == [*BUILDS]


def expect_one_pull_request_brought_up_to_date(terminal: Terminal, project: Path) -> None:
    """One pull request, updated once, with no half-edited file in it."""
    branch = "agent/issue-1"
    assert git(project, "branch", "--list", "agent/*") == branch
    (pull,) = json.loads(terminal.types("show", CASE, "--pull-request", "--json").out)
    assert (pull["state"], pull["head_sha"]) == ("open", git(project, "rev-parse", branch))
    assert len(terminal.entries("pull_request_opened")) == 1
    updates = [entry for entry in terminal.entries("noted") if entry["text"] == "branch `agent/issue-1` was updated"]
    assert len(updates) == 1
    pushed = [entry["commit"] for entry in terminal.entries("branch_pushed")]
    assert pushed == git(project, "rev-list", "--reverse", f"main..{branch}").split()
    files = git(project, "diff", "--name-only", "main", branch).split()
    assert files == ["greeting.txt", "tests/world.sh", "worlds.txt"]
    assert git(project, "show", f"{branch}:greeting.txt") == "Hello world\nHello Mars"
    assert git(project, "show", f"{branch}:tests/world.sh") == 'grep -qx "Hello world" greeting.txt'
    assert git(project, "show", f"{branch}:worlds.txt") == "world\nMars"


def expect_everything_said_once_and_answered_for(terminal: Terminal, said: dict[str, object]) -> None:
    posts = [str(entry["text"]) for entry in terminal.entries("posted")]
    assert len(posts) == len(TOLD)
    assert all(post.startswith(told) for post, told in zip(posts, TOLD, strict=True)), posts
    terminal.waits_until(lambda: all(message["outcome"] for message in _messages(terminal)), "an end of every message")
    _, *heard = _messages(terminal)  # the issue itself is the first
    assert sorted(message["text"] for message in heard) == sorted([*said, "The only one there is.", "Approved."])
    for message in heard:
        assert said.get(message["text"]) in (None, message["turn"]), message


def _messages(terminal: Terminal) -> list[dict[str, str]]:
    messages = terminal.reads_json("show", CASE)["messages"]
    assert isinstance(messages, list)
    return messages


def _is_in_the_middle(terminal: Terminal, role: str) -> bool:
    started = [entry for entry in terminal.entries("turn_started") if entry["role"] == role]
    return bool(started) and any(entry["turn"] == started[-1]["turn"] for entry in terminal.entries("tool_called"))


@pytest.mark.slow
def test_run_keeps_watching_when_the_host_is_killed(terminal: Terminal, project: Path, run: list[str]) -> None:
    watcher = terminal.starts(*run)
    terminal.waits_until(partial(_is_in_the_middle, terminal, "analyst"), "the analyst in its turn")
    terminal.kills(terminal.host_pid)
    _, err = watcher.communicate(timeout=PATIENCE)
    assert watcher.returncode == 0, err
    expect_one_of_everything(terminal, project)


@pytest.mark.slow
def test_a_killed_temporal_server_is_restarted_by_the_host(terminal: Terminal, project: Path, run: list[str]) -> None:
    assert terminal.types(*run, "--detach").code == 0
    terminal.waits_until(lambda: len(terminal.entries("turn_completed")) >= 2, "the second turn's end")
    before = terminal.temporal_pid
    terminal.kills(before)
    answer = terminal.types(*run)
    assert answer.code == 0, answer.err + terminal.host_log()
    assert terminal.temporal_pid != before
    expect_one_of_everything(terminal, project)


@pytest.mark.slow
def test_an_interrupted_run_can_be_watched_again_by_two_commands(
    terminal: Terminal, project: Path, run: list[str]
) -> None:
    first = terminal.starts(*run)
    terminal.waits_until(lambda: len(terminal.entries("turn_started")) >= 1, "the first turn")
    first.send_signal(2)
    _, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 130
    assert "--follow` watches it again" in err
    watchers = [terminal.starts(*run) for _ in range(2)]
    for watcher in watchers:
        _, err = watcher.communicate(timeout=PATIENCE)
        assert watcher.returncode == 0, err
    expect_one_of_everything(terminal, project)
