"""The verdict over a build of the change, compared with the base. A model's claims don't count."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import (
    NOTHING_TO_RUN,
    OUTPUT_TAIL,
    Build,
    BuildVerdict,
    CommandRun,
    Purpose,
    how_it_ended,
)
from caseworker.core.evidence.failure_names import failures_named
from caseworker.core.evidence.obstacle_words import stopped_words
from caseworker.core.evidence.obstacles import obstacle_of, tells_of_tests, what_stopped
from caseworker.core.evidence.test_report import TestOutcome
from caseworker.core.evidence.untold_results import ended_untold


def judge_base(base: Build, *, has_tests: bool = True) -> BuildVerdict:
    """Judges a build of the base, before anything is changed. Red is no obstacle: what fails there is known then."""
    if (obstacle := obstacle_of(base, has_tests=has_tests)) is not None:
        return BuildVerdict(kind="could_not_run", reason=stopped_words(obstacle))
    if not base.tested:
        return NOTHING_TO_RUN
    failed = next((run for run in base.runs if not run.passed), None)
    if failed is not None:
        return BuildVerdict(kind="red", reason=f"{code(failed.command)} {how_it_ended(failed)}")
    judging = _judging(base)
    return BuildVerdict(kind="green", reason=f"{len(judging)} of {len(judging)} commands passed")


def judge_head(
    head: Build, base: Build | None, red_tests: Sequence[str] = (), reported: Collection[str] = ()
) -> BuildVerdict:
    """Judges a head build. Green: every command passes, or also fails on the base; the new test has to pass. A base
    that could not run is compared with nothing: a head that can't run either could not run.
    `red_tests`: tests that were seen to fail without the change. They have to be run, and pass. `reported`: commands
    that reported their tests without the change. They have to report some again: code can end its runner early."""
    stopped = [obstacle_of(build, has_tests=False) if build is not None else None for build in (base, head)]
    if stopped[0] is not None and stopped[1] is not None:
        return BuildVerdict(kind="could_not_run", reason=stopped_words(stopped[1]))
    unexcused = _unexcused_failures(head, base)
    if unexcused and (head.tested or head.set_up_failed):
        return BuildVerdict(kind="red", reason=f"{code(unexcused[0].command)} {how_it_ended(unexcused[0])}")
    if not head.tested:
        return NOTHING_TO_RUN
    if (missing := _not_passed(head, red_tests)) is not None:
        return BuildVerdict(
            kind="red", reason=f"{code(missing)} was seen to fail without the change, and was not run on it"
        )
    if (silent := next((run for run in head.runs if run.report is None and run.command in reported), None)) is not None:
        return BuildVerdict(
            kind="red", reason=f"{code(silent.command)} reported tests before the change, and none on it"
        )
    if (untold := next((run for run in head.runs if ended_untold(run)), None)) is not None:
        return BuildVerdict(kind="red", reason=f"{code(untold.command)} ended before it told its results")
    if (empty := _without_tests(head)) is not None:
        return BuildVerdict(kind="nothing_to_run", reason=f"{code(empty.command)} ran no test")
    unchecked = [run for run in head.runs if could_not_check(run, base)]
    excused = next((run for run in head.runs if not run.passed and run not in unchecked), None)
    if excused is not None:
        return BuildVerdict(
            kind="green", reason=f"{code(excused.command)} fails on the base as well; nothing else failed"
        )
    judging = _judging(head)
    ran = len(judging) - len(unchecked)
    left = f"; {' and '.join(code(run.command) for run in unchecked)} could not be run" if unchecked else ""
    return BuildVerdict(kind="green", reason=f"{ran} of {len(judging)} commands passed{left}")


def _judging(build: Build) -> list[CommandRun]:
    """The runs that judge the code. A set-up judges nothing, and may come from the cache."""
    return [run for run in build.runs if run.purpose is not Purpose.SETUP]


def could_not_check(run: CommandRun, base: Build | None) -> bool:
    """Whether a linter or type checker is not there, on the base either. It says nothing of the change, and only tests
    are worth stopping for."""
    if run.passed or run.purpose not in (Purpose.LINT, Purpose.TYPES):
        return False
    before = _failed_run_on_base(run, base)
    return before is not None and _is_missing(run) and _is_missing(before)


def _was_stopped(run: CommandRun) -> bool:
    """Whether it could not run. One without tests did: it has none yet."""
    stopped = what_stopped(run)
    return stopped is not None and stopped.why != "no_test"


def _is_missing(run: CommandRun) -> bool:
    stopped = what_stopped(run)
    return stopped is not None and stopped.why in ("missing_command", "not_fetched")


def reporting(builds: Iterable[Build]) -> frozenset[str]:
    """The commands that reported tests in these builds."""
    runs = [run for build in builds for run in build.runs]
    return frozenset(run.command for run in runs if run.report is not None and run.report.ran)


def _not_passed(head: Build, red_tests: Sequence[str]) -> str | None:
    """A test that was red and is not among those that passed. None: all are, or passed ones are not named."""
    own = head.run_of(Purpose.NEW_TEST)
    runs = [own] if own is not None else [run for run in head.runs if run.purpose is Purpose.TEST]
    reports = [run.report for run in runs if run.report is not None]
    passed = {test.name for report in reports for test in report.tests if test.outcome is TestOutcome.PASSED}
    if len(passed) < sum(report.passed for report in reports):
        return None
    return next((name for name in red_tests if name not in passed), None)


def _without_tests(head: Build) -> CommandRun | None:
    """A test command that reports no test, if none of them reports one."""
    tests = [run for run in head.runs if run.purpose in (Purpose.TEST, Purpose.NEW_TEST)]
    is_empty = all(run.report is not None and run.passed and not run.report.ran for run in tests)
    return tests[0] if tests and is_empty else None


def base_fails_too(head: Build, base: Build | None) -> bool:
    """Whether each command that made the head red also failed on the base, in a way that can't be told apart.

    A command that passed there, names a new failure, or is the new test, fails because of the change."""
    unexcused = _unexcused_failures(head, base)
    return bool(unexcused) and all(_may_have_failed_before(run, base) for run in unexcused)


def _unexcused_failures(head: Build, base: Build | None) -> list[CommandRun]:
    """Failed commands that the base does not excuse. A set-up is never excused if no test ran after it."""
    failed = [run for run in head.runs if not run.passed and not could_not_check(run, base)]
    if head.set_up_failed and not head.tested:
        return failed
    return [run for run in failed if not _fails_the_same_on_base(run, base)]


def _fails_the_same_on_base(run: CommandRun, base: Build | None) -> bool:
    """Whether both runs name their failures and this one names no new one. Equal exit codes are not enough, and a test
    command that a linter has ended says nothing of the tests."""
    before = _failed_run_on_base(run, base)
    if before is None or run.cut_short or before.cut_short or _was_stopped(before):
        return False
    if run.purpose is Purpose.TEST and not (tells_of_tests(run) and tells_of_tests(before)):
        return False
    named, known = _all_failures(run), _all_failures(before)
    return False if not named or known is None else named <= known


def _may_have_failed_before(run: CommandRun, base: Build | None) -> bool:
    """Whether it also failed on the base, and names no failure that is missing there."""
    before = _failed_run_on_base(run, base)
    if before is None:
        return False
    if before.cut_short:
        return True
    if _was_stopped(before):
        return False  # it could not run there, which excuses nothing
    if run.cut_short:
        return False  # the base did not time out
    named, known = _all_failures(run), _all_failures(before)
    return not named or not known or named <= known


def _failed_run_on_base(run: CommandRun, base: Build | None) -> CommandRun | None:
    """The run of the same command on the base, if it failed there. The new test is never compared."""
    if base is None or run.purpose is Purpose.NEW_TEST:
        return None
    before = next((other for other in base.runs if other.command == run.command), None)
    return None if before is None or before.passed else before


def _all_failures(run: CommandRun) -> Counter[str] | None:
    """The failures that a run named. None: its output was cut, so there may be more and a comparison is impossible."""
    if run.report is not None and run.report.is_bad:
        return Counter(test.name for test in (*run.report.failed, *run.report.broken))
    if run.failures is not None:
        return Counter(run.failures)
    return failures_named(run.output) if len(run.output) < OUTPUT_TAIL else None
