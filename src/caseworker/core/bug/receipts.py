"""Texts of receipts for messages to a bug case."""

from typing import Final

from caseworker.core.bug.turns import Step
from caseworker.core.people import receipts

CLOSED: Final = "closed the case"

RESOLUTION_ASKED: Final = "asked for the resolution type and a reason"

STOP_ASKED: Final = "asked again whether the fix shall stop"

FIX_STOPS: Final = "the fix stops"

FIX_GOES_ON: Final = "the fix goes on"

TAKEN: Final = "the agent stopped: a developer has the case"

HANDED_BACK: Final = "the investigation goes on"

NOT_FOR_BUGS: Final = "not for a bug case"

NOTHING_TAKEN: Final = "nobody had taken the case over"

KEPT_FOR_LATER: Final = "kept for the hand-back: a developer has the case"

TRIED_AGAIN: Final = "the investigation is tried again"

NOTHING_TO_TRY: Final = "nothing has failed that could be tried again"

PASSED_ON: Final = "told to everybody in the case"

TURN_FAILED: Final = f"{receipts.TURN_FAILED}; people were called"

SETTLED_BY: Final = {
    Step.ASK_REPORTER: "read by the investigator, who asked the reporter",
    Step.ASK_DEVELOPERS: "read by the investigator, who asked the developers: the reporter had not answered",
    Step.POST_FINDINGS: "read by the investigator, who answered with findings",
    Step.POST_ANSWER: "read by the investigator, who answered",
    Step.ESCALATE: "read by the investigator, who called people",
    Step.RESOLVE: "read by the investigator; the case is resolved",
    Step.CREATE_FIX: "acted on: work on a fix begins",
}
