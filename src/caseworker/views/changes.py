"""Which commits make up the change of a case, for `caseworker diff` and the dashboard."""

from typing import assert_never

from caseworker.core.base.ids import Sha
from caseworker.ports import StoredAny, StoredBug, StoredCase, StoredPull


def commits_of(stored: StoredAny) -> tuple[Sha, Sha] | None:
    """The commits before and after the change in hand. Null: nothing has changed."""
    match stored:
        case StoredCase(case=case):
            base, commit = case.delivery.base, case.delivery.checkpoint
            return None if base is None or commit is None or commit == base else (base, commit)
        case StoredBug():
            return None
        case StoredPull(case=pull):
            if pull.work.base is None and pull.rest.unpushed_from is not None and pull.rest.unpushed is not None:
                return pull.rest.unpushed_from, pull.rest.unpushed
            return None if pull.work.base is None or pull.commit is None else (pull.work.base, pull.commit)
        case _:
            assert_never(stored)
