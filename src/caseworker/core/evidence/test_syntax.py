"""How tests look in each language: where they begin, what asserts, and what skips them. Patterns for single lines."""

import re
from typing import Final

START: Final = {
    "python": re.compile(r"\s*(?:async\s+)?def\s+(?P<name>test\w*)\s*\("),
    "script": re.compile(r"\s*[xf]?(?P<call>it|test|specify|describe|context|suite)(?:\.\w{1,20}){0,3}\s*[(`]"),
    "go": re.compile(r"func\s+(?P<name>(?:Test|Fuzz|Example)\w*)\s*\("),
    "rust": re.compile(r"(?:^|.*\s)fn\s+(?P<name>\w+)\s*[(<]"),
    "java": re.compile(r".*\b(?:void|fun)\s+(?P<name>`[^`]{1,200}`|\w+)\s*\("),
}
MARKED_AS_TEST: Final = {
    "rust": re.compile(r"\s*#\[(?:\w+::){0,3}(?:test|rstest|test_case)\b"),
    "java": re.compile(r".*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b"),
}
HELPER: Final = {
    "python": re.compile(r"\s*(?:async\s{1,4})?def\s{1,4}(\w{1,100})\s{0,4}\("),
    "script": re.compile(
        r"\s*(?:export\s{1,4})?(?:default\s{1,4})?(?:async\s{1,4})?function\b\s{0,4}\*?\s{0,4}(\w{1,100})"
        r"|\s*(?:export\s{1,4})?(?:const|let|var)\s{1,4}(\w{1,100})\s{0,4}(?::[^=\n]{1,100})?=\s{0,4}(?:async\s{0,4})?"
        r"(?:function\b|\([^()\n]{0,200}\)[^=\n]{0,100}=>|\w{1,100}\s{0,4}=>)"
    ),
    "go": re.compile(r"func\s{1,4}(?:\([^)\n]{1,80}\)\s{0,4})?(\w{1,100})\s{0,4}[(\[]"),
    "rust": re.compile(r"\s*(?:pub(?:\([^)\n]{1,40}\))?\s{1,4})?(?:async\s{1,4})?fn\s{1,4}(\w{1,100})\s{0,4}[(<]"),
    "java": re.compile(
        r"\s*(?:\w{1,40}\s{1,4}){0,4}fun\s{1,4}(?:<[^>\n]{1,60}>\s{0,4})?(\w{1,100})\s{0,4}\("
        r"|\s+(?:\w{1,40}\s{1,4}){0,3}(?!new\b|return\b|else\b)[\w<>\[\].]{1,60}\s{1,4}(\w{1,100})\s{0,4}\([^;\n]{0,200}\{$"
    ),
}
"""Any function: in a place for tests, one that tests may call."""
QUOTED: Final = re.compile(r"""["'`]([^"'`]{1,200})""")
CURRIED: Final = re.compile(r"""\)\s?\(\s?["'`]([^"'`]{1,200})""")
"""The name in `it.each(table)('adds', ...)`."""
NAMED_LATER: Final = re.compile(r"""(?:[\])}]{1,3}\s?\()?["'`]([^"'`]{1,200})""")
"""A test's name below its first line: after `it(`, or `])('adds', () => {` below a table."""
GROUPS: Final = frozenset({"describe", "context", "suite"})
CLASS: Final = re.compile(r"\s*(?:\w+\s+){0,4}(?:class|object|mod)\s+(\w+)")

CHECK: Final = re.compile(
    r"\bassert(?:\w*\s*\(|\w*!|\s|\.)|\bexpect\w*\s*[(!]|\bexpect\.\w|\brequire\.\w+\(|\bt\.(?:Error|Fatal|Fail)\w*\("
    r"|\bt\.(?:is|isNot|equals?|deepEquals?|same|strictSame|throws|throwsAsync|truthy|falsy|true|false|like|regex)\("
    r"|\.andExpect\(|(?:\.|\s)should(?:Not)?[A-Z]\w{0,40}(?:\s[^\s=]|\([^)\n])|\bc\.(?:Assert|Check)\("
    r"|\.should\b|\bshould_panic\b|\bverify\w*\(|\braises\w*\(|\bwarns\("
)
_MADE: Final = r"(?:new\s|hash\(|(?:\w{1,40}(?:\.|::)){0,4}[A-Z]\w{0,80}(?:\(|::))"
"""Calls that make a value. Making one twice, to see that the two are equal, is an honest check."""
VACUOUS: Final = re.compile(
    r"^assert\s{1,4}(?:True|1|not\s{1,4}False|\"[^\"]{1,80}\"|'[^']{1,80}'"
    rf"|(?!{_MADE})([^\n]{{1,200}}?)\s{{0,4}}==\s{{0,4}}\1)\s{{0,4}}(?:,|$)"
    # A tuple: its bracket is the first one, and is closed at the end.
    r"|^assert\s{0,4}\([^()\n]{0,200}(?:\([^()\n]{0,200}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,8}\)[^()\n]{0,200}){0,8}"
    r",\s{0,4}(?:[fr]{0,2}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')\s{0,4},?\s{0,4})?\)$"
    r"|\bassertTrue\(\s{0,4}(?:True|true|1)\s{0,4}[,)]|\bassertFalse\(\s{0,4}(?:False|false|0)\s{0,4}[,)]"
    r"|\bassert(?:Equals?|_eq!|\.(?:[eE]qual|strictEqual|deepEqual|deepStrictEqual))\(\s{0,4}(?:t,\s{0,4})?"
    rf"(?!{_MADE})([^\n]{{1,200}}?),\s{{0,4}}\2\s{{0,4}}[,)]|\bassert!\(\s{{0,4}}true\s{{0,4}}[,)]"
    rf"|\b(?:expect|assertThat)\((?!{_MADE})([^\n]{{1,200}}?)\)\.(?:to(?:Be|Equal|StrictEqual)|isEqualTo)\(\3\)"
    r"|\bexpect\(\s{0,4}(?:true|1)\s{0,4}\)\.to(?:Be|Equal|BeTruthy|StrictEqual)\("
    r"|\bor\s{1,4}True\b|\|\|\s{0,4}true\b"
)
"""An assertion that can't fail."""
SKIP: Final = {
    "python": re.compile(
        r"(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b"
        r"|pytest\.(?:skip|xfail|importorskip)\s*\(|\bskipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b"
    ),
    "script": re.compile(
        r"\b(?:it|test|specify|describe|context|suite)(?:\.\w{1,20}){0,3}\.(?:skip|only|todo|fixme|failing|fails?)\b"
        r"|\b(?:xit|xtest|xspecify|xdescribe|xcontext|fit|fdescribe|fcontext)\s*\(|\bthis\.skip\(|\.only\("
    ),
    "go": re.compile(r"\b\w{1,20}\.Skip(?:f|Now)?\s*\("),
    "rust": re.compile(r"#\[\s*ignore\b|#\[cfg_attr\(.*\bignore\b"),
    "java": re.compile(
        r"@(?:Disabled\w*|Ignore|Enabled(?:If|On|For)\w*|ExpectedToFail|NotWorking)\b|\bassume(?:True|False|That)\s*\("
        r"|@Test\([^)\n]{0,200}\benabled\s*=\s*false"
    ),
}
USUAL: Final = {
    "python": re.compile(r"@(?:pytest\.mark\.)?flaky\b"),
    "script": re.compile(r"\b(?:it|test|describe)(?:\.\w{1,20}){0,3}\.(?:skipIf|runIf|todoIf|if)\("),
    "go": re.compile(r"^//\s?(?:go:build|\+build)\s.{1,80}"),
    "rust": re.compile(r"#\[\s*should_panic\b|#\[\s*cfg\((?!test\))"),
    "java": re.compile(r"@Test\([^)\n]{0,200}\bexpected\s*=|@(?:RetryingTest|RepeatedIfExceptionsTest)\b"),
}
"""What lets a test fail, or leaves it out, and has an honest use in a new test."""
ON_OTHER_SYSTEMS: Final = re.compile(
    r"@(?:pytest\.mark\.skipif|(?:unittest\.)?skipIf)\(\s{0,4}(?:sys\.platform\s{0,4}==\s{0,4}[\"'](?:win32|cygwin|darwin)"
    r"|sys\.platform\.startswith\([\"'](?:win|cygwin|darwin)|os\.name\s{0,4}==\s{0,4}[\"']nt"
    r"|platform\.system\(\)\s{0,4}==\s{0,4}[\"'](?:Windows|Darwin))[\"']\)?\s{0,4}(?:,\s{0,4}reason\b|\))"
)
"""Skips a test on Windows or macOS alone: honest in a new one. Any other condition may be true everywhere."""
