"""What a run on a pull request shows below its figures: the verdict, or the artifact of a review or a resolve."""

from collections.abc import Sequence

from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.pull.case import PullCase
from caseworker.core.runs.run import Run
from caseworker.core.runs.workflow_names import WorkflowName
from caseworker.core.telling.verdict_words import verdict_section


def pull_page(run: Run, case: PullCase, outcomes: Sequence[Outcome]) -> str | None:
    """Null: there is nothing to show yet."""
    if run.workflow is WorkflowName.SHIP:
        return verdict_section(case.sight.verdict) if case.sight.verdict is not None else None
    return None
