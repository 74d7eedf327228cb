"""Aliases of statuses, per role: INCOMPLETE means different statuses for different roles."""

from typing import Final

from caseworker.core.base.roles import Role

ALIASES: Final[dict[Role, dict[str, str]]] = {
    Role.DEVELOPER: {"INCOMPLETE": "PARTIAL"},
    Role.TECH_LEAD: {"REJECTED": "CHANGES_REQUESTED", "UNBLOCKING_GUIDANCE_PROVIDED": "UNBLOCKING_GUIDANCE"},
    Role.INVESTIGATOR: {
        "WAITING_FOR_RESULTS": "NEED_DEVELOPER_DIAGNOSTIC",
        "INCOMPLETE": "INVESTIGATION_INCOMPLETE",
    },
}

UNOFFERED: Final = frozenset({"READY_FOR_REVIEW", "NEEDS_TECH_LEAD_VALIDATION", "ESCALATE"})
"""Statuses that lead where another one leads. They are understood, and agents are not told of them."""


def canonical(role: Role, status: str) -> str:
    return ALIASES.get(role, {}).get(status, status)
