"""Reads the rules of a repository from its last commit, not from the files in its folder."""

from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.evidence.build_commands import SETTINGS_FILE
from caseworker.core.evidence.repository_rules import RepositoryRules, read_rules
from caseworker.ports import Git
from caseworker.workspaces.git import SafeGit


async def rules_of(repository: Path, git: Git | None = None) -> RepositoryRules:
    """The rules in the settings file of HEAD; without such a file, no rules. `Refused` names the line that is wrong."""
    found = await (git or SafeGit())("cat-file", "blob", f"HEAD:{SETTINGS_FILE}", inside=repository, accept=(0, 128))
    if found.code != 0:
        return RepositoryRules()
    try:
        text = found.output.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{SETTINGS_FILE} is not UTF-8 text.", todo="Save it as UTF-8, and commit it.") from None
    return read_rules(text.replace("\r\n", "\n"))
