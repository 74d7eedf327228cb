"""How the record of a case is phrased in tests: as the program does it."""

from caseworker.activities.shared.posts import RecordPhrasing
from caseworker.chats.button_words import ButtonPhrasing
from caseworker.chats.surface_phrasing import TerminalPhrasing

RECORDED = RecordPhrasing(terminal=TerminalPhrasing(), buttons=ButtonPhrasing())
