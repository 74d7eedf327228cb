"""GitHub's published descriptions: installed by hash, and the shipped schema made from them."""

import base64
import hashlib
import io
import sys
import tarfile
from pathlib import Path

import pytest
from scripts.github_data import INSTALLED, PINS, NotInstalled, Package, install, read_pins, unpack
from scripts.graphql_names import PUBLISHED, SHIPPED, names_only


def packed(folder: Path, content: bytes) -> tuple[Path, Package]:
    archive = folder / "package.tgz"
    with tarfile.open(archive, "w:gz") as written:
        entry = tarfile.TarInfo("package/data.json")
        entry.size = len(content)
        written.addfile(entry, io.BytesIO(content))
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    return archive, Package(name="data", version="1", integrity=f"sha512-{found}", files={"data.json": "a/b.json"})


def test_the_kept_file_is_unpacked(tmp_path: Path) -> None:
    archive, package = packed(tmp_path, b"{}")
    unpack(archive, package, tmp_path / "target")
    assert (tmp_path / "target" / "a" / "b.json").read_bytes() == b"{}"


def test_a_package_with_another_hash_is_refused(tmp_path: Path) -> None:
    archive, package = packed(tmp_path, b"{}")
    archive.write_bytes(archive.read_bytes() + b"more")
    with pytest.raises(NotInstalled, match="which is not the one in"):
        unpack(archive, package, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_a_second_installation_does_nothing(tmp_path: Path) -> None:
    (tmp_path / INSTALLED).write_bytes(PINS.read_bytes())
    assert install(tmp_path) is False


def test_every_pinned_file_is_installed() -> None:
    kept = [name for package in read_pins(PINS) for name in package.files.values()]
    missing = [name for name in kept if not (Path(sys.prefix) / "github-data" / name).is_file()]
    assert missing == [], "run .venv/bin/python -m scripts.github_data"


def test_the_shipped_schema_has_the_names_of_the_published_one() -> None:
    assert SHIPPED.read_text() == names_only(PUBLISHED.read_text()), "run .venv/bin/python -m scripts.graphql_names"
