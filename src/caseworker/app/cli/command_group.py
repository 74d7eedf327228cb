"""Says what to type instead of a command that people guess and that has another name."""

from shlex import quote
from typing import Any, Final

from typer import BadParameter
from typer.core import TyperGroup

from caseworker.core.base.errors import Refused

_MEANT: Final = {
    "list": "`caseworker cases` lists all cases.",
    "ls": "`caseworker cases` lists all cases.",
    "ps": "`caseworker cases --state working` lists what is worked on.",
    "status": "`caseworker cases` lists all cases; `caseworker why CASE` says how one stands.",
    "log": "`caseworker logs` prints the host's log; `caseworker show CASE` one case's story.",
    "history": "`caseworker show CASE` tells one case's story.",
    "fix": "`caseworker run --issue bug.md` works on an issue; `caseworker report` opens a bug.",
    "new": "`caseworker issue new` writes an issue down; `caseworker run` works on one.",
    "issues": "`caseworker issue list` lists the issues that were written down.",
    "bug": "`caseworker report` opens a bug; `caseworker demo bug` shows one.",
    "start": "`caseworker run` works on an issue; `caseworker host start` starts the background process.",
    "restart": "`caseworker host restart` restarts the background process.",
    "watch": "`caseworker show CASE --follow` watches a case.",
    "follow": "`caseworker show CASE --follow` watches a case.",
    "reply": "`caseworker answer CASE` answers what a case has asked.",
    "talk": "`caseworker chat CASE` talks with a case.",
    "pr": "`caseworker show CASE --pull-request` prints a pull request's text.",
    "merge": "Caseworker never merges. `caseworker show CASE` prints the command with which you merge.",
    "cancel": "`caseworker close CASE` ends a case.",
    "delete": "`caseworker purge CASE` removes a case that is over, with all its records.",
    "rm": "`caseworker purge CASE` removes a case that is over, with all its records.",
    "dashboard": "`caseworker open` opens the dashboard in the browser.",
    "cost": "`caseworker show CASE` has its cost; `caseworker budget CASE +5` lets it spend more.",
    "config": "Settings are in `caseworker.toml` in the home folder, and in CASEWORKER_* variables.",
    "help": "`caseworker --help` lists all commands; `caseworker COMMAND --help` explains one.",
    "version": "`caseworker --version` prints it.",
    "setup": "`caseworker doctor` says what is missing; `caseworker init github` sets up GitHub.",
}


_FIRST: Final = (
    *("demo", "doctor", "run", "report", "issue", "ship", "review", "resolve", "init"),
    *("chat", "say", "answer", "approve", "reject", "budget", "retry", "takeover", "handback", "close"),
    *("cases", "show", "why", "open", "conversation", "diff", "matrix"),
    *("host", "logs", "serve"),
)
"""The order in `--help`, by how likely somebody needs them. Others follow."""
_TYPERS_OWN: Final = ("install_completion", "show_completion", "help")


class CommandGroup(TyperGroup):
    """The root group. Misspelt commands are Typer's work; this knows other words for the same thing."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(self.commands, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)
        for param in params:
            if param.name in _TYPERS_OWN:
                param.metavar = ""  # else the help says `<bool>`
        return params

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # pydantic's, with which Typer reads options
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if ctx.resilient_parsing:  # the shell completes a command that is not whole yet
            return super().resolve_command(ctx, args)
        meant = _MEANT.get(args[0].lower()) if args else None
        if meant is not None and self.get_command(ctx, args[0]) is None:
            raise Refused(f"There is no command `{args[0]}`.", todo=meant)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _keep_type_out_of_help(command, ctx)
        if (
            name == "run"
            and rest
            and not rest[0].startswith("-")
            and not any(one.startswith("--issue") for one in rest)
        ):
            raise Refused("`run` needs an issue.", todo=f"Write `caseworker run --issue {quote(rest[0])}`.")
        if not rest and command is not None and any(one.metavar == "CASE" and one.required for one in command.params):
            raise Refused("Which case?", todo=f"`caseworker cases` lists them, `caseworker {name} CASE` takes one.")
        return name, command, rest


def _keep_type_out_of_help(command: Any, ctx: Any) -> None:
    """Else the line of `--help` says `<bool>`, in the help of the command and of those below it."""
    option = command.get_help_option(ctx)
    if option is not None:
        option.metavar = ""
    for inner in command.commands.values() if isinstance(command, TyperGroup) else ():
        _keep_type_out_of_help(inner, ctx)
