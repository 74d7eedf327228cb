"""Where every package manager keeps its things in an environment: variables that the tools themselves know."""

from collections.abc import Mapping
from typing import Final

ROOT: Final = "/env"
"""Where an environment is in the sandbox: beside the worktree, at the same place for every case."""
CACHE: Final = ".cache"
"""Below the root: downloads. Removed after the set-up."""
_BINS: Final = ("venv/bin", "npm/bin", "node/bin", "bin", "cargo/bin", "gems/bin", "dotnet")


def search_path(root: str = ROOT) -> tuple[str, ...]:
    return tuple(f"{root}/{folder}" for folder in _BINS)


def always(root: str = ROOT) -> Mapping[str, str]:
    """For set-up, tests and agents alike."""
    return {
        "UV_PROJECT_ENVIRONMENT": f"{root}/venv",
        "UV_PYTHON_INSTALL_DIR": f"{root}/python",
        "npm_config_prefix": f"{root}/npm",
        "YARN_NODE_LINKER": "node-modules",  # the other way points into its download cache, which is not kept
        "CARGO_HOME": f"{root}/cargo",
        "GOMODCACHE": f"{root}/go",
        "MAVEN_OPTS": f"-Dmaven.repo.local={root}/m2",
        "GEM_HOME": f"{root}/gems",
        "BUNDLE_PATH": f"{root}/bundle",
        "NUGET_PACKAGES": f"{root}/nuget",
        "MIX_HOME": f"{root}/mix",
        "HEX_HOME": f"{root}/hex",
        "DENO_DIR": f"{root}/deno",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "npm_config_update_notifier": "false",
        "npm_config_fund": "false",
        "npm_config_audit": "false",
        "COREPACK_ENABLE_STRICT": "0",
        "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_NOLOGO": "1",
    }


def in_set_up(root: str = ROOT) -> Mapping[str, str]:
    return {
        "CASEWORKER_ENV": root,
        "VIRTUAL_ENV": f"{root}/venv",
        "UV_CACHE_DIR": f"{root}/{CACHE}/uv",
        "UV_NO_PROGRESS": "1",
        "npm_config_cache": f"{root}/{CACHE}/npm",
        "npm_config_fetch_retries": "1",
        "YARN_CACHE_FOLDER": f"{root}/{CACHE}/yarn",
        "YARN_ENABLE_GLOBAL_CACHE": "false",
        "COREPACK_HOME": f"{root}/{CACHE}/corepack",
        "COMPOSER_HOME": f"{root}/{CACHE}/composer",
        "GOFLAGS": "-modcacherw",
        "XDG_CACHE_HOME": f"{root}/{CACHE}/xdg",
    }


def after_set_up(root: str = ROOT) -> Mapping[str, str]:
    """Says to the tools that there is no network, so that they fail at once with a sentence of their own."""
    return {
        "UV_OFFLINE": "1",
        "UV_NO_SYNC": "1",
        "npm_config_offline": "true",
        "CARGO_NET_OFFLINE": "true",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
    }
