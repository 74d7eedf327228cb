"""Parts that commands share with the host. Each is imported only when it is asked for, so that commands start fast."""

from pathlib import Path
from typing import TYPE_CHECKING

from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.ports import Forge, Sandbox, Source, Store, Workspaces

if TYPE_CHECKING:
    from caseworker.forges.github.forge import GitHubForge
    from caseworker.forges.github.github_access import GitHubAccess
    from caseworker.forges.local_folders import Folder
    from caseworker.ports.thread_comments import Discussions
    from caseworker.workspaces.builds import SandboxedBuilder
    from caseworker.workspaces.environments.allowed_registries import Registries
    from caseworker.workspaces.environments.cache import EnvironmentCache


def make_sandbox(settings: Settings) -> Sandbox:
    from caseworker.workspaces.sandbox import Bubblewrap, Unconfined

    folder = settings.home / "sandbox"
    if settings.sandbox == "off":
        return Unconfined(folder)
    return Bubblewrap(folder, limits=settings.shared(settings.slots), expose=tuple(settings.expose))


def make_source() -> Source:
    """Of folders on this machine only."""
    from caseworker.forges.local_source import LocalSource
    from caseworker.workspaces.git import SafeGit

    return LocalSource(SafeGit())


def make_forge(store: Store, settings: Settings) -> Forge:
    return choose_forge(store, make_github(store, settings))


def choose_forge(store: Store, github: "GitHubForge | None") -> Forge:
    """Folders of this machine, and GitHub where this deployment has it."""
    from caseworker.forges.forge_choice import make_choice
    from caseworker.forges.local import LocalForge
    from caseworker.forges.local_pulls import LocalPulls
    from caseworker.workspaces.git import SafeGit

    pulls = LocalPulls(repositories=store.repositories, records=store.pulls, git=SafeGit())
    local = LocalForge(source=make_source(), pulls=pulls)
    return make_choice(local=local, remote=github, repositories=store.repositories)


def make_github(store: Store, settings: Settings) -> "GitHubForge | None":
    """Null: this deployment has no GitHub. A process makes one: tokens, ETags and known limits are kept with it."""
    access = github_access(settings)
    if access is None:
        return None
    from caseworker.forges.github.connect import connect
    from caseworker.forges.github.forge import make_github_forge
    from caseworker.workspaces.git import SafeGit

    return make_github_forge(
        connect(access),
        store,
        SafeGit(),
        tools=settings.enable_github_state,
        owners=frozenset(settings.allowed_owners),
        redactor=Redactor(settings.secrets()),
    )


def make_discussions(settings: Settings, github: "GitHubForge | None") -> "Discussions | None":
    """Null: this deployment has no GitHub."""
    if github is None:
        return None
    from caseworker.forges.github.thread_reader import GitHubThreads

    return GitHubThreads(github.reader, frozenset(settings.allowed_owners))


def github_access(settings: Settings) -> "GitHubAccess | None":
    """Null: this deployment has neither an App nor a token."""
    if not settings.github_app_id and settings.github_token is None:
        return None
    from caseworker.forges.github.github_access import GitHubAccess

    key = settings.github_app_private_key
    return GitHubAccess(
        api_url=settings.github_api_url,
        token=settings.github_token.get_secret_value() if settings.github_token else "",
        app_id=settings.github_app_id,
        app_private_key=_read_key(key.get_secret_value()) if settings.github_app_id and key else "",
    )


def _read_key(key: str) -> str:
    """The text of a private key, which may be given as the path of its file."""
    if "PRIVATE KEY" in key:
        return key
    try:
        return Path(key).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(
            f"The GitHub App's private key can't be read: {error}.",
            todo="Set CASEWORKER_GITHUB_APP_PRIVATE_KEY to the path of the .pem file, or to its text.",
        ) from error


async def look_at(folder: Path) -> "Folder":
    """Find the repository in a folder that a person named. `Refused`, with what to do, where there is none."""
    from caseworker.forges.local_folders import look
    from caseworker.workspaces.git import SafeGit

    return await look(folder, SafeGit())


def _folder(named: str) -> Path:
    return Path(named).expanduser()


async def find_repository(named: str, settings: Settings) -> RepositoryRef:
    """The repository that a setting names: a folder, or `https://github.com/owner/name`. `Refused` if it can't be
    worked on."""
    if not named.startswith(("https://", "http://")):
        return (await look_at(_folder(named))).ref
    from caseworker.forges.github.address import ApiAddress

    host, _, path = named.partition("://")[2].partition("/")
    owner, _, name = path.strip("/").removesuffix(".git").partition("/")
    if not owner or not name or "/" in name:
        raise Refused(f"{named} is not the address of a repository.", todo="Write it as https://github.com/owner/name.")
    repository = ApiAddress(settings.github_api_url).ours(RemoteRepository(host=host, owner=owner, name=name))
    if github_access(settings) is None:
        raise Refused(
            f"{named} is on GitHub, and Caseworker has no access to GitHub.",
            todo="Set CASEWORKER_GITHUB_TOKEN, or set up the App (`caseworker docs github`).",
        )
    return repository


def read_rehearsal(path: Path | None) -> str | None:
    """Read and validate the script, so that a mistake is reported now, with its line, and not during a case."""
    if path is None:
        return None
    from caseworker.agents.rehearsal import load_rehearsal
    from caseworker.agents.scriptfile import SIZE_LIMIT

    path = path.expanduser()
    try:
        with path.open(encoding="utf-8") as script:
            text = script.read(SIZE_LIMIT + 1)  # more is refused, and a device may never end
    except FileNotFoundError:
        raise Refused(
            f"There is no rehearsal script at {path}.", todo="`caseworker docs rehearsal` shows how to write one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} can't be read as text: {error}.") from error
    load_rehearsal(text, path.name)
    return text


def make_registries(settings: Settings) -> "Registries":
    from caseworker.workspaces.environments.allowed_registries import Registries

    return Registries(settings.setup_hosts)


def make_cache(settings: Settings) -> "EnvironmentCache":
    from caseworker.workspaces.environments.cache import EnvironmentCache

    return EnvironmentCache(settings.home, gigabytes=settings.cache_gb)


def make_builder(
    settings: Settings, sandbox: Sandbox, workspaces: Workspaces, registries: "Registries | None" = None
) -> "SandboxedBuilder":
    """Without a sandbox nothing can be mounted: set-up then runs in the worktree, and nothing is kept. `registries`:
    known already; asking the tools takes seconds."""
    from caseworker.workspaces.builds import SandboxedBuilder
    from caseworker.workspaces.environments.provider import Environments, ProviderParts
    from caseworker.workspaces.environments.uv_program import uv_program
    from caseworker.workspaces.git import SafeGit
    from caseworker.workspaces.sandboxed_runs import SandboxedRuns
    from caseworker.workspaces.setup_network import SetupNetwork, find_interpreter

    if settings.sandbox == "off":
        return SandboxedBuilder(sandbox)
    registries = registries or make_registries(settings)
    network = SetupNetwork(registries.allowed, interpreter=find_interpreter())
    provider = Environments(
        ProviderParts(
            workspaces=workspaces,
            git=SafeGit(),
            runs=SandboxedRuns(sandbox, network=network),
            cache=make_cache(settings),
            registries=registries,
            uv=uv_program(),
        )
    )
    return SandboxedBuilder(sandbox, provider=provider)
