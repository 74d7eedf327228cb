"""Reads the settings: `caseworker.toml` for a deployment, overridden by `CASEWORKER_*` in the environment.

Errors name the file, the line and the likely name. The file is in the home folder or where `CASEWORKER_CONFIG` points,
never in the working directory: a repository must not be able to choose where the key is sent.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from caseworker.app.settings import MODEL_KEYS, Settings
from caseworker.core.base.budget import Price
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Service, Severity, SlaTarget
from caseworker.core.base.toml_lines import likely, line_of

PREFIX: Final = "CASEWORKER_"

_NOT_SETTINGS: Final = {"CONFIG"}


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    env = os.environ if environment is None else environment
    home = Path(env.get(f"{PREFIX}HOME") or Path.home() / ".caseworker").expanduser().absolute()
    file = Path(env[f"{PREFIX}CONFIG"]).expanduser() if env.get(f"{PREFIX}CONFIG") else home / "caseworker.toml"
    from_file = _read_file(file, wanted=bool(env.get(f"{PREFIX}CONFIG")))
    from_env = _read_environment(env)
    if "anthropic_api_key" not in from_env and env.get("ANTHROPIC_API_KEY"):
        from_env["anthropic_api_key"] = env["ANTHROPIC_API_KEY"]
    try:
        return Settings.model_validate({**from_file, **from_env, "home": home})
    except ValidationError as error:
        raise Refused(_explain(_most_telling(error.errors()), file, from_env)) from error


def _read_file(file: Path, *, wanted: bool) -> dict[str, object]:
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        if wanted:
            raise Refused(
                f"There is no settings file at {file}.", todo="Correct CASEWORKER_CONFIG or unset it."
            ) from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file} can't be read: {error}.") from error
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(
            f"{file}: {error}.",
            todo="Correct the line (texts need quotes; switches are true or false), or move the file away.",
        ) from error
    if "home" in found:
        raise Refused(f"{_place(file, ['home'])}: `home` is set by CASEWORKER_HOME only.")
    return found


def _read_environment(env: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in env.items():
        if not name.startswith(PREFIX) or name.removeprefix(PREFIX) in _NOT_SETTINGS:
            continue
        key = name.removeprefix(PREFIX).lower()
        if key not in Settings.model_fields:
            raise Refused(f"{name} is not a setting.", todo=_did_you_mean(key, env_style=True))
        if key in ("expose",):
            found[key] = [part for part in value.split(os.pathsep) if part]
        elif key in ("setup_hosts", "allowed_owners", "github_repositories"):
            found[key] = value.replace(",", " ").split()  # not split at colons, which come before ports
        elif key in ("models", "services", "contacts", "sla", "prices", "dashboard_tokens"):
            raise Refused(f"{name} can't be set in the environment.", todo=f"Use `{key}` in caseworker.toml.")
        elif value != "":
            found[key] = value
    return found


def _most_telling(errors: list[ErrorDetails]) -> ErrorDetails:
    """The first one; where a name is missing and an unknown one stands beside it, the unknown one."""
    first = errors[0]
    beside = [one for one in errors if one["type"] == "extra_forbidden" and one["loc"][:-1] == first["loc"][:-1]]
    return beside[0] if beside and first["type"] == "missing" else first


def _explain(error: ErrorDetails, file: Path, from_env: Mapping[str, object]) -> str:
    path = [str(part) for part in error["loc"] if part != "[key]"]
    if path[0] in from_env:
        return f"{PREFIX}{path[0].upper()}: {error['msg']}."
    place, name = _place(file, path), ".".join(path)
    if error["type"] != "extra_forbidden" and "[key]" not in error["loc"]:
        return f"{place}: `{name}`: {error['msg']}."
    if len(path) == 1:
        return f"{place}: `{name}` is not a setting. {_did_you_mean(name)}"
    meant = likely(path[-1], _known_below(path))
    known = f"Did you mean {meant}?" if meant else f"Known are: {', '.join(sorted(_known_below(path)))}."
    if path[0] == "models" and meant is None:
        known = "Write a role (developer, tech_lead, ...), a role with a task (pm.triage), or default."
    return f"{place}: `{path[-1]}` is not known in [{'.'.join(path[:-1])}]. {known}"


def _known_below(path: list[str]) -> frozenset[str]:
    """The names that may stand where this path ends."""
    match path:
        case ["models", *_]:
            return MODEL_KEYS
        case ["sla", _]:
            return frozenset(Severity)
        case ["sla", *_]:
            return frozenset(SlaTarget.model_fields)
        case ["services", *_]:
            return frozenset(Service.model_fields)
        case ["prices", *_]:
            return frozenset(Price.model_fields)
        case _:
            return frozenset()


def _place(file: Path, path: list[str]) -> str:
    line = line_of(file.read_text(encoding="utf-8"), path)
    return f"{file}, line {line}" if line is not None else str(file)


def _did_you_mean(key: str, *, env_style: bool = False) -> str:
    near = likely(key, Settings.model_fields)
    if near is None:
        return "`caseworker docs settings` lists them all."
    return f"Did you mean {PREFIX + near.upper() if env_style else near}?"
