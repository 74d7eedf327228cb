"""Texts of receipts for messages to a bug case."""

from typing import Final

from caseworker.core.outcomes.bug import BugAction

CLOSED: Final = "closed the case"

RESOLUTION_ASKED: Final = "asked for the resolution type and a reason"

TAKEN: Final = "the agent stopped: a developer has the case"

HANDED_BACK: Final = "the investigation goes on"

NOTHING_TAKEN: Final = "nobody had taken the case over"

KEPT_FOR_LATER: Final = "kept for the hand-back: a developer has the case"

PASSED_ON: Final = "told to everybody in the case"

TURN_FAILED: Final = "given to a turn that failed; people were called"

SETTLED_BY: Final = {
    BugAction.ASK_REPORTER: "read by the investigator, who asked the reporter",
    BugAction.POST_FINDINGS: "read by the investigator, who answered with findings",
    BugAction.ESCALATE: "read by the investigator, who called people",
    BugAction.RESOLVED: "read by the investigator; the case is resolved",
    BugAction.CREATE_FIX: "acted on: the fix is under way",
}
