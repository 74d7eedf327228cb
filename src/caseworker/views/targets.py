"""Which branch the work of a case is to be merged into, from its records."""

from caseworker.core.base.ids import CaseId
from caseworker.ports import Store


async def merged_into(store: Store, case: CaseId) -> str:
    """Empty: nothing was delivered yet."""
    pulls = await store.pulls.of(case)
    return pulls[-1].base if pulls else ""
