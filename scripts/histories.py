"""Records the histories that later versions must replay: one or two scenarios per flow and kind of ending.

`make histories` runs them on the real Temporal server and writes tests/replay/histories/<version>/.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from caseworker import __version__

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "replay" / "histories" / __version__
SCENARIOS = (
    "test_straight_path.py::test_an_issue_becomes_a_pull_request_and_is_completed_when_a_person_merges",
    "test_issue_people.py::test_an_authentication_change_waits_for_approval_and_goes_to_the_senior",
    "test_issue_people.py::test_a_case_fails_after_its_last_attempt_and_keeps_the_work_on_its_branch",
    "test_straight_path.py::test_a_turn_that_fails_for_good_fails_the_case_with_its_reason",
    "test_bug_time.py::test_silence_after_findings_leads_to_one_reminder_and_then_no_response",
    "test_bug_path.py::test_a_developer_asks_for_the_fix_and_its_pull_request_comes_back",
    "test_pull_work.py::test_a_red_check_is_repaired_and_read_back",
    "test_pull_waits.py::test_a_person_stops_it_lets_it_go_on_and_ends_it",
    "test_slack_fixes.py::test_a_fix_asks_in_the_thread_of_its_bug_and_an_approval_there_counts",
)


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    chosen = [str(ROOT / "tests" / "scenarios" / scenario) for scenario in SCENARIOS]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow", "--keep-histories", str(FOLDER), *chosen],
        cwd=ROOT,
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
