"""Patterns that find starting points and the severity in a report. English only.

They match anywhere in the text, and rather match too much: the investigator may still ask.
"""

import re
from typing import Final

from caseworker.core.base.policy import Severity


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE)


def _in_quotes(mark: str) -> str:
    """Quoted text of at least two words. A single quoted word is mostly the name of a button, which says little."""
    return rf"(?<!\w){mark}(?=\S)(?=[^{mark}\n]{{0,300}}\s)[^{mark}\n]{{5,300}}(?<=\S){mark}(?!\w)"


ERROR_TEXT: Final = _any(
    r"(?-i:\b[A-Za-z_.]{1,80}(?:Error|Exception|Fault)\b)",  # by its name
    r"\b(?:error|exception|fault|status|code|http)\b[\s:#=-]{1,3}(?:code |message |status )?[`'\"]?\w{0,20}\d",
    r"\b(?:error|exception)(?: message)?\s{0,20}:\s{0,20}\S",
    r"\b(?:returns?|returned|gives?|gets?|got|getting|throws?|an?|ends? (?:in|with)|answers?(?: with)?)\s+[45]\d\ds?\b",
    r"\b[45]\d\d (?:error|response|status|internal|bad|not found|forbidden|unauthori[sz]ed|service|gateway|page)",
    r"\btraceback\b|\bstack ?trace\b|\bcaused by:|\bpanic:",
    r"^[ \t]{0,100}at \S{1,200}\(|\bfile \"[^\"\n]{1,200}\", line \d",
    r"\bseg(?:mentation )?fault\b|\bcore dumped\b|\bexit (?:code|status) \d",
    r"(?-i:\bE(?:CONN|NO|ACC|PIPE|TIMED|ADDR|HOST|PERM|EXIST|IO)[A-Z]*\b)",
    r"\bfail(?:s|ed|ing|ure)? with\b|\btime[sd]?[ -]?out\b|\b(?:connection|permission|access) (?:refused|reset|denied)",
    r"\bout of (?:memory|disk|space)\b|\bnull ?pointer\b|\bis (?:undefined|not defined|not a function)\b",
    _in_quotes('"'),
    _in_quotes("`"),
    r"```",
    r"\b(?:it|page|screen|dialog|app|message|log) (?:says?|reads?|said)\b[\s,:]+\S",
)

_PEOPLE: Final = r"(?:i|we|they|he|she|one|someone|somebody|(?:a |the )?(?:users?|customers?|people|clients?))"
STEPS: Final = _any(
    r"^[ \t]{0,40}(?:\d{1,2}[.)]|[-*•])[ \t]{1,40}\S.*\n{1,20}[ \t]{0,40}(?:\d{1,2}[.)]|[-*•])[ \t]{1,40}\S",  # a list
    r"\bsteps?\b.{0,20}:|\b(?:to|how to) reproduce\b|\brepro\b",
    rf"\b(?:when|whenever|if|after|as soon as|every time|each time|once|while|before|until) {_PEOPLE}\b",
    r"\b(?:when|whenever|after|while|before|by|on) (?!(?:every|any|some|no)thing|morning|evening|being)\w{2,20}ing\b",
    rf"\b{_PEOPLE} (?:click|press|open|enter|type|select|submit|upload|tried|went|go|run|ran|call)\w{{0,5}}\b",
    r"\b(?:trying|try|tried) to \w|\bclick(?:s|ed|ing)? (?:on )?\w|\bgo to\b|\w ?(?:->|→|») ?\w",
)

_NAMED: Final = (
    r"(?:order|user|customer|account|invoice|ticket|request|transaction|session|job|build|payment|sku|case|row|record|"
    r"tenant|shop|store|host|node|server|device|product|item|cart|basket|booking|shipment|version|release|id)s?"
)
IDENTIFIER: Final = _any(
    rf"\b{_NAMED}\b[ \t:#=]{{1,3}}(?:(?:no\.?|number|id|nr\.?)[ \t:#=]{{1,3}})?[\w-]{{0,40}}\d",
    r"(?<![\w&])#\d+",
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b",
    r"\b[\w.+-]{1,64}@[\w-]{1,64}\.\w",
    r"\bhttps?://\S",
    r"(?<![\w/.])/[a-z][\w.-]{2,80}|\b[\w-]{1,60}/[\w./-]{1,100}\.\w{1,5}\b",
    r"\b[\w-]{1,60}\.(?:py|js|ts|java|go|rb|php|sql|json|ya?ml|toml|csv|pdf|html?|log|xlsx?)\b",
    r"\bv?\d+\.\d+\.\d+\b|\bv\d+(?:\.\d+)?\b|\b(?:\d{1,3}\.){3}\d{1,3}\b",
    r"\b[A-Z][A-Z0-9]{1,9}-(?=[A-Z]{0,11}\d)[A-Z0-9]{1,12}\b",
    r"\b\d{5,}\b|\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,40}\b",
)

_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_SPAN: Final = r"(?:sec(?:ond)?|min(?:ute)?|hour|day|week|month)s?"
_COUNT: Final = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|some|several|a few|a couple of|about \w+)"
)
TIME_WINDOW: Final = _any(
    r"\b(?:[01]?\d|2[0-3])[:h][0-5]\d\b|\b(?:1[0-2]|0?\d) ?(?:am|pm|a\.m\.|p\.m\.|o'clock)",
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b",
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?!\w)|\b{_MONTH} \d{{1,2}}\b",
    r"\b(?:yesterday|today|tonight|just now|overnight|noon|midnight)\b",
    rf"\b(?:last|this|past|previous) (?:night|morning|afternoon|evening|weekend|{_DAY}|{_SPAN})\b",
    rf"\b(?:on|since|until|till|every|by) {_DAY}s?\b",
    rf"\b(?:for|within|in|over) (?:the (?:last|past) )?{_COUNT} (?:\w+ )?{_SPAN}\b|\b{_COUNT} {_SPAN} ago\b",
    r"\b(?:since|after|before) (?:(?:the|our|this|your|last|latest|today's|yesterday's|new) )*"
    r"(?:deploy(?:ment)?|release|update|upgrade|migration|change|restart|launch|rollout)\b",
    r"\b(?:since|at|around|until) (?:about |around )?(?:[01]?\d|2[0-3])\b(?!\s*%)",
)

STARTING_POINTS: Final = {
    "error text": ERROR_TEXT,
    "steps": STEPS,
    "identifier": IDENTIFIER,
    "time window": TIME_WINDOW,
}
"""A report without any of these is vague: an agent with tools would have nothing to start from."""

_NOT: Final = r"(?<!\bno )(?<!\bnot )(?<!\bnot a )(?<!\bnot an )(?<!without )(?<!\bisn't a )"
EXPLICIT: Final = re.compile(rf"{_NOT}\b(?:P-?|(?:sev(?:erity)?|prio(?:rity)?)[\s:-]{{0,2}})([0-3])\b", re.IGNORECASE)
"""`P1`, `sev1`, `severity: 1`."""

_ALL: Final = r"(?:everything|production|prod|site|website|shop|system|platform|app|application|api|database|payments?)"
_BUSINESS: Final = r"(?:check ?-?out|log-?in|sign-?in|sign-?up|payments?|orders?|ordering|billing|search|cart)"
_SEEMS: Final = (
    r"(?: (?:is|are|was|were|has|have|been|went|gone|seems?|keeps?|completely|totally|all|still|system|service))*"
)
_BROKEN: Final = (
    r"(?:broken|failing|down|offline|dead|unavailable|unreachable|not working|does not work|doesn't work|don't work)"
)
_CROWD: Final = r"(?:users|customers|clients|people|tenants|shops|visitors|accounts)"
BY_WORDS: Final = {
    Severity.P0: _any(
        rf"{_NOT}\boutage\b|\b{_ALL}{_SEEMS} (?:down|offline|dead)\b",
        r"(?<!\bhi )(?<!hello )(?<!\bhey )(?<!dear )(?<!thanks )(?<!thank you )\b(?:everyone|everybody)\b",
        rf"\ball (?:of )?(?:our |the |my )?{_CROWD}\b",
        rf"\b(?:nobody|no one|no (?:customer|user)s?|none of (?:our|the) {_CROWD}) (?:can|could|is able|are able)\b",
        rf"{_NOT}\bdata[ -]loss\b|\b(?:lost|losing|loses) (?:\w+ )?data\b",
        r"\bdata (?:is|was|are|were|got|has been|have been) (?:lost|deleted|gone)\b",
        rf"{_NOT}\b(?:security (?:breach|hole|incident|issue|problem|bug|leak)|vulnerability|data (?:breach|leak))\b",
        r"\b(?:hacked|breached|leaked|xss|sql injection)\b|\bother (?:people|customers?|users?)'?s? (?:data|orders?)\b",
    ),
    Severity.P1: _any(
        rf"{_NOT}\b(?:block(?:ed|ing|er|s us)|urgent|critical|asap|emergency)\b",
        r"\b(?:can ?not|can't|cant|can no longer|unable to|impossible to|not able to|could not|couldn't) "
        r"(?:log ?in|sign ?in|login|check ?out|pay|order|buy|purchase|register|sign ?up|deploy|work|access)\b",
        rf"\b{_BUSINESS}(?: (?:page|flow|form|button))?(?:{_SEEMS} {_BROKEN}| (?:fails|crashes))\b",
        r"\b(?:many|most|several|multiple|lots of|a lot of|dozens of|hundreds of|half of) (?:\w+ )?"
        rf"(?:{_CROWD}|orders|payments|reports)\b",
        r"\b(?:charged twice|double[- ]charged?|corrupt(?:ed|ion|s)?)\b|\b(?:in|on) prod(?:uction)?\b",
    ),
    Severity.P3: _any(
        r"\b(?:cosmetic|typos?|spelling|misspel\w+|minor|trivial|nit|nice[- ]to[- ]have|low[- ]prio\w*|not urgent)\b",
        r"\b(?:no rush|no hurry|when you have time|small thing|misaligned|alignment|pixels?|wording|would be nice)\b",
        r"\bfeature request\b",
    ),
}
"""The most severe match wins. A report without any match is P2."""
