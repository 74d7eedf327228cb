"""The rule for C and C++: CMake, Meson, autotools and a Makefile whose target is `check`. It builds with the tests."""

import re
from typing import Final

from caseworker.core.ecosystems.make_targets import has_target
from caseworker.core.ecosystems.node_project import find_node
from caseworker.core.ecosystems.plan_parts import Ecosystem, Files, Wanted, named, test
from caseworker.core.ecosystems.python_needs import read_toml

C_WITH_CMAKE = "C or C++ with CMake"
C_WITH_MESON = "C or C++ with Meson"
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
_WITH_CTEST: Final = re.compile(r"^[^#\n]*\b(?:enable_testing|include\s*\(\s*CTest\b)", re.IGNORECASE | re.MULTILINE)


def find_c(files: Files) -> Ecosystem | None:
    if _is_of_another_language(files):
        return None
    if _WITH_CTEST.search(files.get("CMakeLists.txt", "")):
        steps = ("cmake -S . -B build -DBUILD_TESTING=ON", "cmake --build build -j 2")
        line = " && ".join([*steps, "ctest --test-dir build --output-on-failure"])
        return _made(C_WITH_CMAKE, "CMakeLists.txt", "cmake", line)
    if "meson.build" in files:
        return _made(C_WITH_MESON, "meson.build", "meson", "meson setup build && meson test -C build --print-errorlogs")
    if "configure" in files or "configure.ac" in files:
        prepare = "" if "configure" in files else "./autogen.sh && " if "autogen.sh" in files else "autoreconf -fi && "
        because = named(files, "configure", "configure.ac")
        return _made("C or C++ with autotools", because, "make", f"{prepare}sh ./configure && make && make check")
    if has_target(files, "check") and any(path.endswith(_SOURCES) for path in files):
        return _made("C or C++ with Make", "the target `check` in the Makefile", "make", "make check")
    return None


def _is_of_another_language(files: Files) -> bool:
    """Whether it is a library of another language with some C in it. Settings of a linter, or a package for documents
    alone, do not make it one."""
    if any(name in files for name in ("setup.py", "Cargo.toml", "go.mod")) or find_node(files) is not None:
        return True
    tables = read_toml(files.get("pyproject.toml", ""))
    return "project" in tables or "build-system" in tables


def _made(name: str, because: str, tool: str, line: str) -> Ecosystem:
    return Ecosystem(
        name=name,
        because=because,
        commands=test(line),
        wanted=(Wanted(name="cc", because=because), Wanted(name=tool, because=because)),
    )
