"""Checks that a validation which passes has a check for every requirement."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.outcomes.tester import ValidationOutcome

_MOST_NAMED: Final = 10


def unchecked(outcome: ValidationOutcome, must_do: Sequence[str], must_not_do: Sequence[str]) -> str:
    """What is wrong with a PASS that has fewer checks than there are requirements. Empty: nothing.

    Checks are counted, because an agent may reword a requirement. Requirements not found in any check are named."""
    points = list(dict.fromkeys([*must_do, *must_not_do]))
    checked = {_plain(check.requirement) for check in outcome.checks if check.requirement.strip()}
    if outcome.status != "PASS" or len(checked) >= len(points):
        return ""
    missing = [point for point in points if not any(_plain(point) in check for check in checked)]
    listed = [f"- {point}" for point in missing[:_MOST_NAMED]]
    if len(missing) > _MOST_NAMED:
        listed.append(f"- and {len(missing) - _MOST_NAMED} more")
    told = (
        f"PASS needs a check of its own for each must_do and must_not_do: there are {len(points)}, and `checks` has "
        f"{len(checked)} different ones. Check all of them, or use the status that fits what you have seen."
    )
    return "\n".join([told, "Not among them:", *listed]) if listed else told


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip("-*`. ")
