"""Reads the rules of a repository from its newest commit, not from its working folder."""

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.ecosystems.recipes import written_commands
from caseworker.core.evidence.repository_rules import SETTINGS_FILE, RepositoryRules, read_rules
from caseworker.ports import Source


async def rules_of(repository: RepositoryRef, source: Source) -> RepositoryRules:
    """No such file means no rules. `Refused` names the line that is wrong."""
    return rules_in(await source.file(repository, SETTINGS_FILE))


def rules_in(found: bytes | None) -> RepositoryRules:
    """The rules in the file's content. Null: there is no such file."""
    if found is None:
        return RepositoryRules()
    try:
        text = found.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{SETTINGS_FILE} is not UTF-8 text.", todo="Save it as UTF-8, and commit it.") from None
    text = text.replace("\r\n", "\n")
    rules = read_rules(text)
    written_commands({SETTINGS_FILE: text}, SETTINGS_FILE)  # a mistake is told now, not when the first build runs
    return rules
