"""Tries `caseworker check` on real public packages, one at a time, and writes a table.

A package's source as its registry has it (an sdist, or an npm package that ships tests), unpacked and committed, is a
real repository. Usage: python -m bench.packages FOLDER [NAME...]; names are `pypi:humanize` and `npm:ms`, or the path
of a repository.
"""

import asyncio
import io
import json
import re
import subprocess
import sys
import tarfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urljoin

from caseworker.workspaces.certificates import trusted
from caseworker.workspaces.registries.node_registries import find_node_registries
from caseworker.workspaces.registries.python_indexes import find_python_indexes
from caseworker.workspaces.registries.source_parts import fetch

_GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
_SECONDS = 900


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    found: str
    kind: str
    sentence: str
    seconds: float
    warm: float | None


async def _sdist(name: str) -> str:
    first = (await find_python_indexes()).first
    assert first is not None
    page = await fetch(f"{first.url.rstrip('/')}/{name}/", accept="text/html", login=first.login)
    links: list[str] = re.findall(r"""href=["']([^"'#]+\.tar\.gz)["'#]""", page)
    return urljoin(f"{first.url.rstrip('/')}/{name}/", max(links, key=_version))


def _version(link: str) -> list[int]:
    """The numbers of a version, for comparing. An index lists files in any order."""
    numbers = re.search(r"-(\d+(?:\.\d+)*)\.tar\.gz$", link)
    return [int(number) for number in numbers[1].split(".")] if numbers else []


async def _npm(name: str) -> str:
    registry, *_ = await find_node_registries()
    page = json.loads(await fetch(f"{registry.url.rstrip('/')}/{name}/latest", login=registry.login))
    return str(page["dist"]["tarball"])


async def _unpacked(name: str, folder: Path) -> Path:
    import httpx

    kind, _, package = name.partition(":")
    place = folder / f"{kind}-{package.replace('/', '-')}"
    if (place / ".git").exists():
        return place
    url = await (_sdist(package) if kind == "pypi" else _npm(package))
    async with httpx.AsyncClient(verify=trusted(), timeout=120, follow_redirects=True) as client:
        content = (await client.get(url)).raise_for_status().content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(place, filter="data")
    await asyncio.to_thread(_commit, place)
    return place


def _commit(place: Path) -> None:
    [inner] = [path for path in place.iterdir() if path.is_dir()]
    for path in inner.iterdir():
        path.rename(place / path.name)
    for words in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-q", "-m", "As published")):
        subprocess.run([*_GIT, *words], cwd=place, check=True)


def _check(repository: Path) -> tuple[dict[str, object], float]:
    started = time.monotonic()
    words = [sys.executable, "-m", "caseworker.app.cli.main", "check", "--repo", str(repository), "--json"]
    program = "import sys; from caseworker.app.cli.main import main; sys.argv[0] = 'caseworker'; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words[3:]], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    took = time.monotonic() - started
    try:
        return json.loads(done.stdout), took
    except ValueError:
        return {"sentence": done.stderr.strip()[-300:], "result": {"kind": "crashed"}, "plan": {"ecosystems": []}}, took


async def try_one(name: str, folder: Path, *, warm: bool) -> Row:
    place = await _unpacked(name, folder) if ":" in name else Path(name)
    found, seconds = await asyncio.to_thread(_check, place)
    again = (await asyncio.to_thread(_check, place))[1] if warm else None
    (folder / f"{place.name}.json").write_text(json.dumps(found, indent=1))
    plan, result = found["plan"], found["result"]
    assert isinstance(plan, dict)
    assert isinstance(result, dict)
    names = ", ".join(one["name"] for one in plan["ecosystems"])
    return Row(
        name=name, found=names, kind=result["kind"], sentence=str(found["sentence"]), seconds=seconds, warm=again
    )


async def main(folder: Path) -> None:
    with (folder / "rows.jsonl").open("a") as rows:
        for name in sys.argv[2:]:
            try:
                row = await try_one(name, folder, warm=False)
            except (OSError, ValueError, KeyError, AssertionError, subprocess.SubprocessError) as error:
                row = Row(name=name, found="", kind="not_tried", sentence=repr(error)[:200], seconds=0, warm=None)
            rows.write(json.dumps(asdict(row)) + "\n")
            rows.flush()
            print(f"{row.name:30} {row.kind:14} {row.seconds:6.1f} s  {row.sentence[:150]}", flush=True)  # noqa: T201


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(place))
