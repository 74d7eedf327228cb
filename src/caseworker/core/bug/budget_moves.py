"""The budget of a bug case: people are warned of its end, and may raise it."""

from caseworker.core.base.budget import dollars
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugCase, BugState, cap_of
from caseworker.core.bug.moves import enter, say
from caseworker.core.bug.options import is_out_of_money
from caseworker.core.people.messages import Audience
from caseworker.core.people.receipts import budget_raised


def raise_budget(bug: BugCase, by: str, micros: int, policy: Policy) -> tuple[BugCase, str]:
    """The case with more to spend, and the receipt. A case that stopped for want of money goes on."""
    raised = bug.updated(extra_micros=bug.people.extra_micros + micros)
    receipt = budget_raised(micros, cap_of(raised, policy))
    if not is_out_of_money(bug):
        return raised, receipt
    again = enter(raised, BugState.INVESTIGATING, f"{by} has raised the budget", waited_in=bug.state)
    return again.updated(out_of_money=False), f"{receipt}; the investigation goes on"


def warn_of_budget(bug: BugCase, spent_micros: int, policy: Policy) -> BugCase:
    """Adds a post for developers, once for each budget, when four fifths of it are spent."""
    cap = cap_of(bug, policy)
    if bug.is_over or not cap or spent_micros < cap * 4 // 5 or bug.people.warned_of_cap == cap:
        return bug
    used = f"{spent_micros * 100 // cap} % of the budget of {dollars(cap)} are used"
    return say(bug, About.BUDGET_NEAR, Audience.DEVELOPERS, bug.progress.turns, note=used).updated(warned_of_cap=cap)
