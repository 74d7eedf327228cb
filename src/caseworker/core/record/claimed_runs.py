"""Finds what a text says of commands: that they were run, and that they pass. The text is a model's.

What is wanted, promised, or told under a condition is no claim, nor is what somebody else is said to have seen.
"""

import re
from collections.abc import Iterator
from typing import Final

_BEFORE: Final = 300
"""Characters of a sentence in which a condition is looked for."""
_COMMAND: Final = r"`(?P<command>[^`\n]{1,300})`"

_RAN: Final = re.compile(rf"\b(?:ran|re-?ran|executed)\s(?:\w{{1,20}}\s){{0,4}}{_COMMAND}", re.IGNORECASE)
_MORE: Final = re.compile(
    rf",? (?:(?:and|then) ){{0,2}}{_COMMAND}(?=[.,;:)]| (?:and|then|again|to|on|in|with)\b|\s*$)", re.IGNORECASE
)
"""The next of several commands: `ran X, Y and Z`."""
_WAS_RUN: Final = re.compile(rf"{_COMMAND} was (?:run|executed)\b", re.IGNORECASE)

_HAVE_RUN: Final = re.compile(
    r"(?:\b(?:have|has)|['’]ve)\s(?:(?:also|now|just|already|then|since|both|successfully)\s){0,2}(?:re-?)?run\s"
    rf"(?:\w{{1,20}}\s){{0,4}}{_COMMAND}",
    re.IGNORECASE,
)
_CHECKED_WITH: Final = re.compile(
    r"(?<!\bbe )(?<!\bis )(?<!\bare )(?<!\bbeing )(?<!\bget )\b(?:(?:verified|checked|tested|confirmed|validated)"
    r"\s(?:\w{1,20}\s){0,4}(?:with|by|using|via)\s(?:running\s)?|launched\s)"
    rf"(?:\w{{1,20}}\s){{0,4}}{_COMMAND}",
    re.IGNORECASE,
)
_AFTER_RUNNING: Final = re.compile(rf"\bafter (?:re-?)?running\s(?:\w{{1,20}}\s){{0,4}}{_COMMAND}", re.IGNORECASE)
_RESULT: Final = re.compile(
    r"\b(?:I|we|pass|passe[sd]|green|succeed(?:s|ed)?|clean|no (?:failure|error|warning|regression)s?)\b"
)
"""With one of these in the sentence, "after running X" tells of a run and not of how X is used."""

_NO_OBJECT: Final = (
    r"(?=\s{0,3}(?:[.,;:!?()\n]|\Z)|\s(?:now|again|and|with|without|too|as well|also|cleanly|locally|here|there"
    r"|everywhere|after|but|in|for|under|at|then|since|so|when|if|once|says"
    r"|on (?:python|node|all|both|every|linux|my|this))\b)"
)
"""What follows `passes` as it is meant here: `make` also passes options to a compiler."""

_PASSES: Final = re.compile(
    rf"{_COMMAND} (?:now |all |still ){{0,2}}(?:passe[sd]{_NO_OBJECT}|succeed(?:s|ed)\b|(?:is|was) (?:all )?green\b"
    r"|exit(?:s|ed) (?:with )?0\b)",
    re.IGNORECASE,
)
_PASS: Final = re.compile(
    r"`[^`\n]{1,300}`(?:(?:, and|,| and) `[^`\n]{1,300}`){0,9} (?:(?:now |all |both |still ){0,2}"
    rf"(?:pass{_NO_OBJECT}|succeed\b|(?:are|were) (?:all )?green\b)|(?:all|both) (?:passed{_NO_OBJECT}|succeeded\b))",
    re.IGNORECASE,
)
"""Of several commands. Before a verb in the singular, and before `passed` alone, only the last one is its subject."""
_COUNTED: Final = re.compile(
    rf"{_COMMAND}(?::| reports| shows| gives| says| prints)\s(?:all\s)?\d{{1,7}} (?:tests? )?(?:passed|passing|pass)\b",
    re.IGNORECASE,
)
_PASS_WITH: Final = re.compile(
    rf"\b(?:pass|passe[sd]|succeed(?:s|ed)?|green) (?:with|under|in|using|via|by)\s(?:\w{{1,20}}\s){{0,2}}{_COMMAND}",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(_COMMAND)

_SENTENCE_END: Final = re.compile(r"[.!?;]\s|\n")
_CONDITION: Final = re.compile(
    r"\b(?:if|once|when|until|unless|whether|should|must|will|would|can|could|may|might|needs?|wants?|wanted|expects?"
    r"|expected|ought|please|ensures?|make sure|so that|(?:has|have|had) to|to be|let)\b"
    r"|(?:\b(?:not|never|neither|nor)|n['’]t)\b[^,;:]{0,20}\Z",
    re.IGNORECASE,
)
_CONDITION_AFTER: Final = re.compile(
    r",? (?:if|once|when|until|unless|as soon as|before|says?|said|according to|(?:in|on) (?:the )?CI)\b", re.IGNORECASE
)

_RUNNERS: Final = frozenset(
    {
        "tox",
        "nox",
        "make",
        "gmake",
        "pytest",
        "py.test",
        "mypy",
        "pyright",
        "ruff",
        "flake8",
        "pylint",
        "ctest",
        "jest",
        "mocha",
        "vitest",
        "ava",
        "tsc",
        "eslint",
        "xo",
        "rspec",
        "rake",
        "phpunit",
        "gradle",
        "./gradlew",
        "mvn",
        "./mvnw",
        "pre-commit",
        "golangci-lint",
    }
)
"""Programs that test, build or check, and are a whole command by their name alone."""
_RUNNERS_WITH_MORE: Final = frozenset(
    {
        "npm",
        "pnpm",
        "yarn",
        "npx",
        "bun",
        "deno",
        "cargo",
        "go",
        "dotnet",
        "mix",
        "bundle",
        "uv",
        "poetry",
        "pdm",
        "pipenv",
        "composer",
        "swift",
        "sbt",
        "cmake",
        "meson",
        "ninja",
        "bazel",
        "just",
        "task",
        "hatch",
    }
)
"""Programs that need a word after their name: alone it is what they are called."""
_INTERPRETER: Final = re.compile(
    r"(?:python[\d.]{0,5}|node|ruby|php|bash|sh)\s{1,9}(?:-|\S{1,200}\.(?:py|[cm]?js|ts|rb|php|sh)\b)"
)
_VERSION: Final = re.compile(r"[v~^<>=]{0,3}\d")


def runs_in(text: str) -> Iterator[str]:
    """Commands that were run, by the plainest words. They hold in any text."""
    for pattern in (_RAN, _WAS_RUN):
        for found in pattern.finditer(text):
            yield found["command"]
            more = _MORE.match(text, found.end()) if pattern is _RAN else None
            while more is not None:
                yield more["command"]
                more = _MORE.match(text, more.end())


def reported_runs_in(text: str) -> Iterator[str]:
    """Commands that were run, in a report of what was done. What is in backquotes there may also be code."""
    for pattern in (_HAVE_RUN, _CHECKED_WITH, _AFTER_RUNNING):
        for found in pattern.finditer(text):
            told = pattern is not _AFTER_RUNNING or _RESULT.search(_sentence(text, found))
            if told and is_command(found["command"]) and not _is_conditional(text, found):
                yield found["command"]


def passing_in(text: str) -> Iterator[str]:
    """What is said to pass in a report: commands, and names of tests, which are no command."""
    for pattern in (_PASSES, _COUNTED, _PASS_WITH):
        for found in pattern.finditer(text):
            if not _is_conditional(text, found):
                yield found["command"]
    for several in _PASS.finditer(text):
        if not _is_conditional(text, several):
            yield from (one["command"] for one in _QUOTED.finditer(several[0]))


def is_command(text: str) -> bool:
    """Whether it looks like a call of a program that tests, builds or checks."""
    words = text.split()
    if not words or (len(words) > 1 and _VERSION.match(words[1])):
        return False
    if words[0] in _RUNNERS:
        return True
    return (words[0] in _RUNNERS_WITH_MORE and len(words) > 1) or _INTERPRETER.match(text) is not None


def _is_conditional(text: str, found: re.Match[str]) -> bool:
    before = text[max(0, found.start() - _BEFORE) : found.start()]
    begins = [end.end() for end in _SENTENCE_END.finditer(before)]
    return bool(_CONDITION.search(before[begins[-1] if begins else 0 :]) or _CONDITION_AFTER.match(text, found.end()))


def _sentence(text: str, found: re.Match[str]) -> str:
    """What is around a claim, to the end of its sentence."""
    begin = max(0, found.start() - _BEFORE)
    starts = [end.end() for end in _SENTENCE_END.finditer(text, begin, found.start())]
    end = _SENTENCE_END.search(text, found.end(), found.end() + _BEFORE)
    return text[starts[-1] if starts else begin : end.start() if end else found.end() + _BEFORE]
