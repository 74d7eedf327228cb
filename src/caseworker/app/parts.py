"""Parts that commands share with the host. Each is imported only when it is asked for, so that commands start fast."""

from pathlib import Path
from typing import TYPE_CHECKING

from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.ports import Forge, Sandbox, Source, Store

if TYPE_CHECKING:
    from caseworker.forges.local_folders import Folder


def make_sandbox(settings: Settings) -> Sandbox:
    from caseworker.workspaces.sandbox import Bubblewrap, Unconfined

    folder = settings.home / "sandbox"
    if settings.sandbox == "off":
        return Unconfined(folder)
    return Bubblewrap(folder, expose=tuple(settings.expose))


def make_source() -> Source:
    from caseworker.forges.local_source import LocalSource
    from caseworker.workspaces.git import SafeGit

    return LocalSource(SafeGit())


def make_forge(store: Store) -> Forge:
    from caseworker.forges.local import LocalForge
    from caseworker.forges.local_pulls import LocalPulls
    from caseworker.workspaces.git import SafeGit

    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=SafeGit())
    return LocalForge(source=make_source(), pulls=pulls)


async def look_at(folder: Path) -> "Folder":
    """Find the repository in a folder that a person named. `Refused`, with what to do, where there is none."""
    from caseworker.forges.local_folders import look
    from caseworker.workspaces.git import SafeGit

    return await look(folder, SafeGit())


def read_rehearsal(path: Path | None) -> str | None:
    """Read and validate the script, so that a mistake is reported now, with its line, and not during a case."""
    if path is None:
        return None
    from caseworker.agents.rehearsal import load_rehearsal

    path = path.expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Refused(
            f"There is no rehearsal script at {path}.", todo="docs/rehearsal.md shows how to write one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} can't be read as text: {error}.") from error
    load_rehearsal(text, path.name)
    return text
