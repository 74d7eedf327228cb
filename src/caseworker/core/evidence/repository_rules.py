"""Reads a repository's rules for its cases from `.caseworker.toml` (all of it except the build commands).

A repository may require more approvals than the deployment, and a smaller budget; never fewer approvals or more money.
The one exception is `sensitive_paths`: only the repository knows whether `session.py` or `policy/` is sensitive.
"""

import tomllib
from collections.abc import Collection
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import MICROS, MOST_DOLLARS
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import Milestone, Policy, how_far
from caseworker.core.base.toml_lines import likely, line_of

SETTINGS_FILE: Final = ".caseworker.toml"
_KNOWN: Final[dict[str, tuple[str, ...]]] = {
    "commands": (),
    "approvals": ("plan", "sensitive_paths"),
    "budget": ("usd",),
    "until": (),
}
"""Known top-level names, and the keys of each table that is read here."""
_EXAMPLE: Final = {"approvals": "plan = true", "budget": "usd = 2.5", "commands": 'test = "make check"'}
_MILESTONES: Final = ", ".join(f'"{milestone}"' for milestone in Milestone)


class RepositoryRules(BaseModel):
    model_config = ConfigDict(frozen=True)

    approve_plan: bool = False
    approve_sensitive_paths: bool | None = None
    """Null: as the deployment sets it."""
    budget_micros: int | None = None
    until: Milestone | None = None

    def applied_to(self, policy: Policy) -> Policy:
        budget = policy.budget_micros if self.budget_micros is None else min(policy.budget_micros, self.budget_micros)
        until = policy.until if self.until is None else min(policy.until, self.until, key=how_far)
        return policy.model_copy(
            update={
                "approve_plan": policy.approve_plan or self.approve_plan,
                "approve_sensitive_paths": policy.approve_sensitive_paths
                if self.approve_sensitive_paths is None
                else self.approve_sensitive_paths,
                "budget_micros": budget,
                "until": until,
            }
        )


def read_rules(text: str) -> RepositoryRules:
    """Parses the rules. `text`: the file on the base branch; empty if there is none."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{SETTINGS_FILE} is not valid TOML: {error}.", todo="Correct it, and commit it.") from None
    for name in found:
        if name not in _KNOWN:
            raise _invalid(text, "", name, "is not known", _known_words(name, _KNOWN))
    approvals = _table(text, found, "approvals")
    return RepositoryRules(
        approve_plan=_approval(text, approvals, "plan") or False,
        approve_sensitive_paths=_approval(text, approvals, "sensitive_paths"),
        budget_micros=_budget(text, _table(text, found, "budget")),
        until=_until(text, found.get("until")),
    )


def _table(text: str, found: dict[str, object], name: str) -> dict[str, object]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise _invalid(text, "", name, "must be a table", f"Write [{name}], and below it {_EXAMPLE[name]}.")
    for key in table:
        if key == "until":
            raise _invalid(text, name, key, f"does not belong into [{name}]", "Write it above the first [table].")
        if key not in _KNOWN[name]:
            known = _known_words(key, _KNOWN[name])
            raise _invalid(text, name, key, f"is not known in [{name}]", f"{known} Write {_EXAMPLE[name]}.")
    return table


def _known_words(name: str, known: Collection[str]) -> str:
    if (meant := likely(name, known)) is not None:
        return f"Did you mean {meant}?"
    return f"Known {'is' if len(known) == 1 else 'are'}: {', '.join(known)}."


def _approval(text: str, table: dict[str, object], name: str) -> bool | None:
    """Null: not set."""
    value = table.get(name)
    if value is not None and not isinstance(value, bool):
        raise _invalid(text, "approvals", name, "must be true or false", f"For example: {name} = true.")
    return value


def _budget(text: str, table: dict[str, object]) -> int | None:
    value = table.get("usd")
    if value is None:
        return None
    amount = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if not 0 <= amount <= MOST_DOLLARS:  # also excludes NaN and infinity
        raise _invalid(text, "budget", "usd", "must be an amount of dollars", "For example: usd = 2.5.")
    return round(amount * MICROS)


def _until(text: str, value: object) -> Milestone | None:
    if value is None:
        return None
    try:
        return Milestone(str(value))
    except ValueError:
        raise _invalid(text, "", "until", f"must be one of {_MILESTONES}", 'For example: until = "plan".') from None


def _invalid(text: str, table: str, key: str, what: str, todo: str) -> Refused:
    line = line_of(text, [table, key] if table else [key])
    place = f", line {line}" if line is not None else ""
    return Refused(f"{SETTINGS_FILE}{place}: `{key}` {what}.", todo=todo)
