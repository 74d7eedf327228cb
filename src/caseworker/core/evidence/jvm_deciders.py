"""The parts of the build files of Maven and Gradle that decide how tests are run; dependencies and versions do not."""

import re
from collections.abc import Iterator
from typing import Final

_LINE: Final = 400
_PART: Final = "the settings of tests"
_BETWEEN_TAGS: Final = re.compile(r">\s{1,1000}<")
_VERSION: Final = re.compile(r"<version>[^<]{0,100}</version>")
_MAVEN_SETTING: Final = re.compile(
    r"<(?:skipTests|skipITs|maven\.test\.skip|maven\.test\.failure\.ignore|testFailureIgnore)>[^<]{0,100}"
)
_MAVEN_RUNNERS: Final = ("maven-surefire-plugin", "maven-failsafe-plugin")
_GRADLE_BLOCK: Final = re.compile(
    r"^(?:tasks\.)?(?:test|check|testOptions|\w{1,40}Test)\b[^\n(]{0,40}\{|\bwithType\W{0,4}Test\b"
    r"|\btasks\.(?:named|register)\W{1,4}\w{0,40}[tT]est\b"
)
_GRADLE_SETTING: Final = re.compile(
    r"\bignoreFailures\b|\buseJUnit|\b(?:ex|in)cludeTags\b|\btest\.(?:enabled|onlyIf)\b"
)


def maven_parts(text: str) -> dict[str, str]:
    plain = _BETWEEN_TAGS.sub("><", text)
    plugins = [block.partition("</plugin>")[0] for block in plain.split("<plugin>")[1:]]
    runners = [_VERSION.sub("", plugin) for plugin in plugins if any(name in plugin for name in _MAVEN_RUNNERS)]
    return _as_part([*_MAVEN_SETTING.findall(plain), *runners])


def gradle_parts(text: str) -> dict[str, str]:
    return _as_part([*_gradle_lines(text)])


def _gradle_lines(text: str) -> Iterator[str]:
    depth = 0  # braces that are open since a block of tests began
    for whole in text.split("\n"):
        line = whole.strip()[:_LINE]
        if line.startswith("//"):
            continue
        if depth or _GRADLE_BLOCK.search(line):
            depth = max(0, depth + line.count("{") - line.count("}"))
            yield line
        elif _GRADLE_SETTING.search(line):
            yield line


def _as_part(settings: list[str]) -> dict[str, str]:
    return {_PART: "\n".join(settings)} if settings else {}
