"""The few files of /etc and /sys that exist inside a sandbox, as copies in a folder of ours.

Copies, because bwrap reads the whole table of mounts again for each of them: with a mount for every file a sandbox took
twice as long to start. Two large folders of /etc are mounted as they are.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HOME: Final = "/home/agent"
_ETC: Final = Path("/etc")
_COPIED: Final = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "mime.types"),
    *("services", "protocols", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf"),
    *("pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust/extracted", "crypto-policies", "fonts"),
    *("maven/m2.conf", "maven/logging", "php", "perl", "R", "texmf", "terminfo", "magic", "locale.alias", "xdg"),
)
"""The harmless parts of /etc: how libraries, certificates and names of ports are found. Never shadow, never all."""
_MOUNTED: Final = ("alternatives", "ssl/certs")
"""Harmless as well, with hundreds of files."""
_SYNTHESISED: Final = {
    "passwd": f"agent:x:1000:1000:agent:{HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "group": "agent:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_SYS: Final = tuple(f"devices/system/{name}" for name in ("cpu/online", "cpu/possible", "cpu/present", "node/online"))
_SYS_EMPTY: Final = (
    "block",
    "bus",
    *(f"class/{name}" for name in ("block", "hwmon", "net", "power_supply", "thermal")),
)
"""Of /sys: which processors there are, and empty folders where programs list devices. The whole would tell serial
numbers, network addresses, disks and the host's control groups."""


@dataclass(frozen=True, kw_only=True)
class SystemFiles:
    """A complete set of copies. It is never changed: when /etc changes, the next worker makes another one."""

    folder: Path
    mounted: Sequence[Path]

    @property
    def mounts(self) -> list[tuple[Path, Path]]:
        """What to mount where, outer folders first."""
        copies = [(self.folder / "etc", _ETC), (self.folder / "sys", Path("/sys"))]
        return copies + [(path, path) for path in self.mounted]

    @property
    def canary(self) -> Path:
        """A file of ours whose path must not exist inside the sandbox."""
        return self.folder / "etc" / "passwd"


def lay_system_files(folder: Path, *, mount_points: Iterable[Path] = ()) -> SystemFiles:
    """`mount_points`: what will be mounted from the system under its own name. What of it is in /etc needs a place."""
    copied = [path for path in (*(_ETC / name for name in _COPIED), *sorted(_ETC.glob("java-*"))) if path.exists()]
    mounted = [path for path in (_ETC / name for name in _MOUNTED) if path.is_dir()]
    places = [*mounted, *(path for path in mount_points if path.is_relative_to(_ETC))]
    made = folder / f"system-{_fingerprint(copied, places)}"
    if not made.exists():
        _lay(made, copied, places)
    return SystemFiles(folder=made, mounted=mounted)


def write_once(file: Path, content: bytes) -> None:
    """Writes a file that other workers may read or write at the same moment."""
    if file.exists() and file.read_bytes() == content:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_bytes(content)
    fresh.chmod(0o644)
    fresh.replace(file)


def _lay(made: Path, copied: Iterable[Path], places: Iterable[Path]) -> None:
    fresh = made.with_name(f".{made.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    for path in copied:
        _copy(path, fresh / "etc" / path.relative_to(_ETC))
    for name, text in _SYNTHESISED.items():
        write_once(fresh / "etc" / name, text.encode())
    for path in places:
        _make_mount_point(path, fresh / "etc" / path.relative_to(_ETC))
    for name in _SYS:
        if (path := Path("/sys") / name).exists():
            write_once(fresh / "sys" / name, path.read_bytes())
    for name in _SYS_EMPTY:
        (fresh / "sys" / name).mkdir(parents=True, exist_ok=True)
    try:
        fresh.rename(made)
    except OSError:  # another worker was faster
        shutil.rmtree(fresh, ignore_errors=True)
        if not made.exists():
            raise


def _copy(source: Path, copy: Path) -> None:
    """Links inside a folder stay links, as they would in a mounted one. What only root may read stays out."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, copy, symlinks=True, ignore=_unreadable)
    elif os.access(source, os.R_OK):
        shutil.copyfile(source, copy)


def _unreadable(folder: str, names: Iterable[str]) -> list[str]:
    paths = ((name, Path(folder, name)) for name in names)
    return [name for name, path in paths if not path.is_symlink() and not _is_for_everyone(path)]


def _is_for_everyone(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o004) and (path.is_dir() or path.is_file())


def _make_mount_point(path: Path, place: Path) -> None:
    if path.is_dir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        write_once(place, b"")


def _fingerprint(copied: Iterable[Path], places: Iterable[Path]) -> str:
    """Changes with everything that a copy would show."""
    told = hashlib.sha256(repr((_SYNTHESISED, _SYS, _SYS_EMPTY, [str(path) for path in places])).encode())
    for path in copied:
        told.update(repr([path, *_stats(path)]).encode())
    for name in _SYS:
        if (path := Path("/sys") / name).exists():
            told.update(path.read_bytes())
    return told.hexdigest()[:16]


def _stats(path: Path) -> Iterator[tuple[str, int, int]]:
    found = path.stat()
    yield "", found.st_mtime_ns, found.st_size
    if path.is_dir():
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                one = Path(folder, name).lstat()
                yield str(Path(folder, name)), one.st_mtime_ns, one.st_size
