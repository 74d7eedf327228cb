"""Which compilers and interpreters outside /usr are mounted in the sandbox, without private files beside them.

It only reads folder names and small version files: it never runs a tool to find out where it is.
"""

import os
import pwd
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

TOOLS = (
    *("python3", "python", "uv", "node", "npm", "npx", "yarn", "pnpm", "bun", "deno", "go", "cargo", "rustc"),
    *("java", "javac", "mvn", "gradle", "ruby", "bundle", "rake", "php", "composer", "mix", "elixir", "erl"),
    *("dotnet", "make", "cmake", "ninja", "gcc", "clang", "git", "bash", "rg"),
)
_SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
_NIX = Path("/nix/store")
_PRIVATE = (Path(".local"), Path(".local/share"), Path(".config"), Path(".cargo"), Path(".ssh"), Path(".gnupg"))
"""Folders in a home that look like a toolchain (they may have a bin/) but also hold credentials."""


@dataclass(frozen=True)
class Toolchains:
    shown: tuple[Path, ...]
    """Folders (or single programs) to mount read-only."""
    search_path: tuple[Path, ...]


def find_toolchains(search_path: str, homes: Collection[Path]) -> Toolchains:
    shown: dict[Path, None] = {}
    folders: dict[Path, None] = {}
    for tool in TOOLS:
        for program in _programs(tool, search_path):
            exposed = _exposed_by(program, homes)
            if exposed is None:
                continue
            for path in exposed:
                shown[path] = None
            if exposed:
                folders[program.parent] = None
            break
    outermost = [path for path in shown if not any(path != other and path.is_relative_to(other) for other in shown)]
    return Toolchains(shown=tuple(outermost), search_path=tuple(folders))


def home_folders() -> frozenset[Path]:
    """The homes of people and of root. Homes of services, such as / or /usr/sbin, hold nothing private."""
    people = {Path(user.pw_dir) for user in pwd.getpwall() if user.pw_uid == 0 or 1000 <= user.pw_uid < 65534}
    people |= {Path(os.path.realpath(home)) for home in people}
    people.add(Path.home())
    return frozenset(home for home in people if home != Path("/"))


def _programs(tool: str, search_path: str) -> Iterator[Path]:
    """The tool in each folder of the search path; instead of a version manager's shim, the real program."""
    for folder in search_path.split(os.pathsep):
        found = Path(folder) / tool
        if not (found.is_absolute() and found.is_file() and os.access(found, os.X_OK)):
            continue
        if (found.parent.parent / "pyvenv.cfg").is_file():
            yield found
            continue
        program = _behind_shim(found) or _behind_rustup(found) or found.resolve()
        if program.parent.name != "shims":
            yield program


def _behind_shim(found: Path) -> Path | None:
    """pyenv, rbenv and nodenv put a script in shims/ that asks the manager for the version chosen in `version`."""
    if found.parent.name != "shims":
        return None
    root = found.parent.parent
    for version in _words(root / "version"):
        program = root / "versions" / version / "bin" / found.name
        if program.is_file():
            return program.resolve()
    return None


def _behind_rustup(found: Path) -> Path | None:
    """`cargo` is a link to rustup, which starts the real cargo from the toolchain named in its settings."""
    proxy = found.resolve()
    if proxy.name != "rustup":
        return None
    rustup = proxy.parents[2] / ".rustup"
    try:
        chosen = tomllib.loads((rustup / "settings.toml").read_text()).get("default_toolchain")
    except (OSError, tomllib.TOMLDecodeError):
        return None
    program = rustup / "toolchains" / str(chosen) / "bin" / found.name
    return program if program.is_file() else None


def _exposed_by(program: Path, homes: Collection[Path]) -> list[Path] | None:
    """What must be mounted to run this program: nothing if it is under /usr; None if that would not be safe."""
    if any(program.is_relative_to(folder) for folder in _SYSTEM):
        return []
    prefix = program.parent.parent if program.parent.name in ("bin", "sbin") else program.parent
    if prefix.is_relative_to(_NIX):
        return [_NIX]  # the libraries of its programs are all over the store, which is public
    if (prefix / "pyvenv.cfg").is_file():
        base = _base_of(prefix)
        behind = None if base is None else _exposed_by(base, homes)
        return None if behind is None else [prefix, *behind]
    if _is_safe(prefix, homes):
        return [prefix]
    return [program] if _is_compiled(program) else None


def _base_of(environment: Path) -> Path | None:
    """The interpreter that a virtual environment was made from, which has the standard library."""
    homes = [line.partition("=")[2].strip() for line in _lines(environment / "pyvenv.cfg") if line.startswith("home")]
    named = [environment / "bin" / "python3", *(Path(home) / "python3" for home in homes)]
    bases = (python.resolve() for python in named)
    return next((base for base in bases if not (base.parent.parent / "pyvenv.cfg").is_file()), None)


def _is_safe(prefix: Path, homes: Collection[Path]) -> bool:
    if len(prefix.parts) < 3 or any(home.is_relative_to(prefix) for home in homes):
        return False  # /, /opt, a home, or a folder that contains one
    for home in homes:
        if prefix.is_relative_to(home):
            below = prefix.relative_to(home)
            return below not in _PRIVATE and (len(below.parts) > 1 or (prefix / "conda-meta").is_dir())
    return True


def _is_compiled(program: Path) -> bool:
    """A single binary (uv, deno) can be mounted alone; a script would not find what it loads."""
    try:
        with program.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _words(file: Path) -> list[str]:
    return [word for line in _lines(file) for word in line.split()]


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(errors="replace").splitlines()
    except OSError:
        return []
