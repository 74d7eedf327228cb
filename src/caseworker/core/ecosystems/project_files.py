"""Which files of a repository are read to plan its set-up, and which files the key of its environment is made of."""

import re
from collections.abc import Iterable
from typing import Final

from caseworker.core.evidence.repository_rules import SETTINGS_FILE

RECIPE_FILE: Final = ".caseworker/recipe.toml"
"""Where the recipe that a person keeps outside of the repository stands among its files. It is never tracked."""
MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
_READ: Final = frozenset(
    (
        *(SETTINGS_FILE, *MAKEFILES, "package.json", "deno.json", "deno.jsonc", ".nvmrc", ".node-version"),
        *("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "noxfile.py", "Pipfile", "manage.py"),
        *(".python-version", "mise.toml", ".mise.toml", ".tool-versions", "rust-toolchain", "rust-toolchain.toml"),
        *("Cargo.toml", "go.mod", "pom.xml", "Gemfile", "Rakefile", ".ruby-version", "composer.json", "global.json"),
        *("CMakeLists.txt", "meson.build", "configure.ac", "mix.exs", ".gitmodules", "pnpm-workspace.yaml"),
    )
)
REQUIREMENTS: Final = re.compile(
    r"(?:[\w-]{1,40}[-_.])?requirements(?:[-_.][\w-]{1,40})?\.(?:txt|in)|requirements/[\w.-]{1,60}\.(?:txt|in)"
    r"|(?:tests?|dev|\.github|ci)/requirements(?:[-_.][\w-]{1,40})?\.(?:txt|in)"
)
PYTHON_TEST: Final = re.compile(r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py")
_MOST_TESTS: Final = 12
_LOCKS: Final = frozenset(
    (
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "package-lock.json", "yarn.lock"),
        *("npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "Cargo.lock", "go.sum"),
        *("go.work", "Gemfile.lock", "composer.lock", "packages.lock.json", "mix.lock", "gradle.lockfile"),
        *("gradle.properties", "libs.versions.toml", "gradle-wrapper.properties", ".npmrc", ".yarnrc.yml", ".yarnrc"),
        *("Directory.Packages.props", "nuget.config", "NuGet.config", "build.gradle", "build.gradle.kts"),
        *("settings.gradle", "settings.gradle.kts", "MANIFEST.in", ".pnpmfile.cjs"),
    )
)
_PROJECTS: Final = (".csproj", ".fsproj", ".sln", ".gemspec", ".cabal", ".pyx", ".podspec")
_PACKAGED: Final = ("/package.json", "/pyproject.toml", "/setup.py", "/setup.cfg", "/Cargo.toml", "/go.mod", "/pom.xml")


def read_paths(paths: Iterable[str]) -> list[str]:
    """Files whose contents are needed to plan. The last ones are a few tests: many say only there which runner they
    are written for."""
    every = list(paths)
    tests = [path for path in every if PYTHON_TEST.fullmatch(path)]
    return [*(path for path in every if is_read(path)), *tests[:_MOST_TESTS]]


def may_change_plan(path: str) -> bool:
    """Whether another content of this file, or its absence, may make another plan."""
    return is_read(path) or bool(PYTHON_TEST.fullmatch(path))


def is_read(path: str) -> bool:
    """Whether it is a manifest: its contents tell how to set up and test."""
    return path in _READ or bool(REQUIREMENTS.fullmatch(path))


def is_key(path: str) -> bool:
    """Whether another content of this file may make another environment."""
    name = path.rpartition("/")[2]
    return is_read(path) or name in _LOCKS or name.endswith(_PROJECTS) or path.endswith(_PACKAGED)
