"""Runs the tests that act as an attacker, and prints a row for each attack: who, what, and what stops it.

The tests are those that docs/security.md names; here they are only grouped by attacker. The table is therefore about
this machine: its kernel, its bubblewrap, and its users.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table
from rich.text import Text

_ROOT: Final = Path(__file__).parents[2]
_SECONDS: Final = 1_200.0
_SHOWN: Final = 200


@dataclass(frozen=True, kw_only=True)
class Attack:
    who: str
    what: str
    stopped_by: str
    test: str
    """A test function; all of its parameters count."""


_CODE: Final = "code under review"
_AGENT: Final = "the agent"
_USER: Final = "another local user"
_PEOPLE: Final = "people"
ATTACKS: Final = tuple(
    Attack(who=who, what=what, stopped_by=stopped_by, test=f"tests/{test}")
    for who, what, stopped_by, test in (
        (_CODE, "prints a forged outcome in the agent's name", "execute-only program, no files of process 1",
         "edges/test_agent_impersonation.py::test_a_test_can_not_write_to_the_agents_input_or_output"),
        (_CODE, "has the agent's program print what the model did not say", "the gateway's witness",
         "edges/test_agent_impersonation.py::test_what_the_model_did_not_say_counts_for_nothing"),
        (_CODE, "calls the model itself", "one process for each gateway",
         "edges/test_agents_admission.py::test_a_program_of_the_agent_can_not_call_the_model"),
        (_CODE, "writes to the session of another turn", "random sessions that their attempt owns",
         "edges/test_agent_impersonation.py::test_a_tool_can_not_write_to_the_session_of_another_turn"),
        (_CODE, "plants settings, hooks and transcripts", "nothing is read back",
         "edges/test_agent_impersonation.py::test_settings_hooks_and_transcripts_planted_by_a_tool_have_no_effect"),
        (_CODE, "uses system calls that lead out", "seccomp",
         "edges/test_sandbox_attacks.py::test_system_calls_that_nobody_needs_are_refused"),
        (_CODE, "takes all memory", "limits of the sandbox",
         "edges/test_sandbox_limits.py::test_a_memory_hog_ends_its_own_command"),
        (_CODE, "forks without end", "limits of the sandbox",
         "edges/test_sandbox_limits.py::test_a_fork_bomb_ends_its_own_command"),
        (_CODE, "fills the disk", "limits of the sandbox",
         "edges/test_sandbox_limits.py::test_a_full_worktree_ends_its_own_command"),
        (_CODE, "takes a neighbour's machine", "limits of the sandbox",
         "edges/test_sandbox_limits.py::test_a_neighbour_of_two_hogs_passes"),
        (_CODE, "fills the memory of git by conflict markers", "attributes of our own",
         "edges/test_workspaces_merging.py::test_a_repository_can_not_make_conflict_markers_of_megabytes"),
        (_CODE, "writes a report that leads elsewhere", "reports are hostile input",
         "edges/test_test_reports.py::test_a_report_that_is_no_regular_file_is_not_opened"),
        (_CODE, "makes a program that runs with the worker's rights", "seccomp: no setuid and setgid bits",
         "edges/test_sandbox_attacks.py::test_system_calls_that_nobody_needs_are_refused"),
        (_CODE, "leaves a link, so that set-up shows a folder of the user's", "links are not mounted",
         "edges/test_environment_attacks.py::test_a_link_that_set_up_leaves_shows_nothing_of_the_machine"),
        (_CODE, "names a file so that another one is mounted", "names end with a zero byte",
         "edges/test_environment_attacks.py::test_a_name_with_a_line_end_shows_nothing_of_the_machine"),
        (_CODE, "has the worker delete files of the user's", "links are removed, not followed",
         "edges/test_environment_attacks.py::test_a_link_in_the_place_of_the_downloads_deletes_nothing"),
        (_CODE, "has the worker make files elsewhere", "mounts have no link on their way",
         "edges/test_environment_attacks.py::test_a_link_on_the_way_to_a_mount_makes_no_file_elsewhere"),
        (_CODE, "leaves a huge file, or a pipe, to be read outside", "regular files of limited size",
         "edges/test_environment_attacks.py::test_a_huge_or_endless_file_is_not_read_into_memory"),
        (_AGENT, "lists the work of other cases and branches", "a history of the base alone",
         "edges/test_workspaces_inside.py::test_no_object_of_another_case_or_branch_is_there"),
        (_AGENT, "changes the repository behind its worktree", "read-only mounts",
         "edges/test_workspaces_inside.py::test_the_repository_can_not_be_changed_from_inside"),
        (_USER, "reads a case in Temporal's histories", "sealed payloads",
         "scenarios/test_strangers.py::test_a_stranger_reads_nothing_of_a_case"),
        (_USER, "calls an activity: a push", "sealed payloads",
         "scenarios/test_strangers.py::test_a_stranger_can_not_call_an_activity"),
        (_USER, "signals: approve, close", "sealed payloads",
         "scenarios/test_strangers.py::test_the_signals_of_a_stranger_are_dropped"),
        (_USER, "reports a failure of an activity", "sealed failures",
         "scenarios/test_strangers.py::test_a_failure_that_a_stranger_reports_is_not_believed"),
        (_USER, "reports an activity as done", "results that must be there",
         "scenarios/test_strangers.py::test_a_result_that_a_stranger_leaves_out_is_not_believed"),
        (_USER, "starts a workflow under a case's id", "input that must be there",
         "scenarios/test_strangers.py::test_a_workflow_without_input_does_not_keep_a_case_from_its_own"),
        (_USER, "asks the codec server", "a secret address, one origin",
         "edges/test_payload_codec.py::test_the_codec_server_shows_payloads_to_the_web_ui_alone"),
        (_PEOPLE, "open cases without end", "cases_per_hour",
         "intake/test_slack.py::test_a_burst_of_reports_opens_a_bounded_number_of_cases_and_is_told_once"),
        (_PEOPLE, "write messages that take for ever to read", "linear patterns",
         "intake/test_slack.py::test_messages_that_once_froze_the_intake_are_taken_like_any_other"),
        (_PEOPLE, "spend more than a day may cost", "daily_budget_usd",
         "edges/test_store_ledger.py::test_all_cases_together_never_pass_the_daily_cap"),
    )
)  # fmt: skip


async def attacks(folder: Path, only: str, console: Console) -> bool:
    """True: every attack was tried and failed. `only`: a part of what the attackers do."""
    chosen = [attack for attack in ATTACKS if only in attack.what]
    report = folder / "attacks.xml"
    tests = dict.fromkeys(attack.test for attack in chosen)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "slow or not slow"),
        *(f"--junitxml={report}", *tests),
        cwd=_ROOT,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.wait_for(process.wait(), _SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
    results = results_of(report) if report.exists() else {}
    _show(chosen, results, console)
    return all(results.get(attack.test) == "stopped" for attack in chosen)


def results_of(report: Path) -> dict[str, str]:
    """By test function: `stopped`, or how a run ended that was not, with the beginning of its message."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '').partition('[')[0]}"
        ends = [(tag, end) for tag in ("failure", "error", "skipped") if (end := case.find(tag)) is not None]
        bad = next((f"{tag}: {end.get('message', '')[:_SHOWN]}" for tag, end in ends), None)
        found[name] = bad or found.get(name, "stopped")
    return found


def _show(chosen: Sequence[Attack], results: dict[str, str], console: Console) -> None:
    table = Table(title=f"{len(chosen)} attacks", title_justify="left", title_style="bold")
    for column in ("who", "what", "stopped by"):
        table.add_column(column)
    for attack in chosen:
        result = results.get(attack.test, "not run")
        wrong = Text(f"NOT stopped ({result}): {attack.test} ✗", style="bold red")
        table.add_row(attack.who, attack.what, Text(attack.stopped_by) if result == "stopped" else wrong)
    console.print(table)
    gaps = sum(results.get(attack.test) != "stopped" for attack in chosen)
    console.print(f"{len(chosen)} attacks, {gaps} not stopped\n", highlight=False)
