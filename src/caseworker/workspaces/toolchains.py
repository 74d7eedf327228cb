"""Which compilers and interpreters outside /usr the sandbox shows, and nothing else of the homes they live in.

Pure looking: it reads folder names and two small version files. It never runs a tool to find out where it is.
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
"""Folders of a home that look like a prefix (they may have a bin/) and hold credentials next to it."""


@dataclass(frozen=True)
class Toolchains:
    shown: tuple[Path, ...]
    """Folders (or single programs) to bind read-only."""
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
    """The homes of people (and of root). Services have homes such as / or /usr/sbin: those are no secret."""
    people = {Path(user.pw_dir) for user in pwd.getpwall() if user.pw_uid == 0 or 1000 <= user.pw_uid < 65534}
    people |= {Path(os.path.realpath(home)) for home in people}
    people.add(Path.home())
    return frozenset(home for home in people if home != Path("/"))


def _programs(tool: str, search_path: str) -> Iterator[Path]:
    """Each place of the search path that has the tool; a version manager's stand-in becomes the real program."""
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
    """`cargo` is a link to rustup, which starts the real one from the toolchain named in its settings."""
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
    """What must be shown so that this program runs; nothing for one under /usr; None if it can't be shown safely."""
    if any(program.is_relative_to(folder) for folder in _SYSTEM):
        return []
    prefix = program.parent.parent if program.parent.name in ("bin", "sbin") else program.parent
    if prefix.is_relative_to(_NIX):
        return [_NIX]  # its programs name their libraries by path, all over the store, which is public
    if (prefix / "pyvenv.cfg").is_file():
        base = _base_of(prefix)
        behind = None if base is None else _exposed_by(base, homes)
        return None if behind is None else [prefix, *behind]
    if _is_safe(prefix, homes):
        return [prefix]
    return [program] if _is_compiled(program) else None


def _base_of(environment: Path) -> Path | None:
    """The interpreter that a virtual environment was made from: its scripts are its own, its libraries are not."""
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
    """A single binary (uv, deno) can be shown alone; a script would only miss what it loads."""
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
