"""The parts of the build files of Vite, CMake and Meson that decide how tests are run; targets and sources do not."""

import re
from typing import Final

from caseworker.core.base.text import code

_VITE_SETTING: Final = re.compile(r"(?<![\w.])['\"]?(?P<key>test|alias)['\"]?\s{0,20}:\s{0,20}")
_VITE_COMMENT: Final = re.compile(r"(?:^|(?<=\s))//[^\n]{0,2000}|/\*[^*]{0,2000}\*/", re.MULTILINE)
_VITE_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}
_CMAKE_CALL: Final = re.compile(
    r"\b(?P<call>enable_testing|set_tests_properties|set_property|set_directory_properties|include)\s{0,20}"
    r"\((?P<about>[^()]{0,2000})\)",
    re.I,
)
_CMAKE_ABOUT: Final = {"set_property": "TEST", "include": "CTest"}
"""The first word that these calls have if they are about tests; the others always are."""
_MESON_LINE: Final = re.compile(r"\b(?:should_fail|add_test_setup|exclude_suites|is_parallel)\b")
_PART: Final = "the settings of tests"
_MOST_SETTINGS: Final = 40
_MOST_LETTERS: Final = 20_000
"""Most characters of a setting. A longer one is compared together with all that follows."""


def vite_parts(text: str) -> dict[str, str]:
    """Vitest's settings, and which module stands for which other one."""
    plain, parts = _VITE_COMMENT.sub("", text), dict[str, str]()
    settings = [*_VITE_SETTING.finditer(plain)]
    if len(settings) > _MOST_SETTINGS:
        return {"the text": text}
    for found in settings:
        name = f"the key {code(found['key'])}"
        parts[name] = parts.get(name, "") + _value_at(plain, found.end()) + "\n"
    return parts


def cmake_parts(text: str) -> dict[str, str]:
    plain = "\n".join(line.partition("#")[0] for line in text.split("\n"))
    return _as_part([" ".join(call[0].split()) for call in _CMAKE_CALL.finditer(plain) if _is_about_tests(call)])


def meson_parts(text: str) -> dict[str, str]:
    return _as_part([line.strip() for line in text.split("\n") if _MESON_LINE.search(line.partition("#")[0])])


def _is_about_tests(call: re.Match[str]) -> bool:
    wanted = _CMAKE_ABOUT.get(call["call"].lower())
    return wanted is None or call["about"].split()[:1] == [wanted]


def _value_at(text: str, start: int) -> str:
    """An object, list or call up to the bracket that closes it, or else the rest of the line."""
    waiting: list[str] = []
    end = min(len(text), start + _MOST_LETTERS)
    for place in range(start, end):
        letter = text[place]
        if letter in _VITE_CLOSING:
            waiting.append(_VITE_CLOSING[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
        if not waiting and letter in "}]),\n":
            return text[start : place + (letter in "}])")]
    return text[start:]


def _as_part(settings: list[str]) -> dict[str, str]:
    return {_PART: "\n".join(settings)} if settings else {}
