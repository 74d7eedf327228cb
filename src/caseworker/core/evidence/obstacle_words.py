"""What stopped a build, and what a person can do about it, in words."""

from typing import assert_never

from caseworker.core.base.text import code
from caseworker.core.evidence.obstacles import Obstacle


def stopped_words(obstacle: Obstacle) -> str:
    """What happened, as the end of a sentence: "`make test` could not be run: there is no `pytest`"."""
    command, said = code(obstacle.command), f": it says {code(obstacle.said)}" if obstacle.said else ""
    match obstacle.why:
        case "missing_command":
            what = f"there is no {code(obstacle.missing)}" if obstacle.missing else "a program is missing"
            return f"{command} could not be run: {what}"
        case "set_up_failed":
            return f"{command} failed, so no test was run{said}"
        case "refused_host":
            return f"{command} failed, because set-up may not reach {', '.join(code(one) for one in obstacle.hosts)}"
        case "not_fetched":
            return f"{command} lacks what it depends on{said}"
        case "not_collected":
            what = f"there is no module {code(obstacle.missing)}" if obstacle.missing else ""
            return f"{command} could not load its tests{f': {what}' if what else said}"
        case "no_test":
            return f"{command} ran no test{f': {obstacle.said}' if obstacle.said else ''}"
        case "nothing_counted":
            ended = f"ended with exit code {obstacle.exit_code}"
            return f"{command} {ended}, and no test was counted{said}"
        case "ended_untold":
            return f"{command} ended with exit code 0 before it told its results"
        case "missing_header":
            return f"{command} failed: the header {code(obstacle.missing)} of a library in C is missing"
        case "no_interpreter":
            return f"{command} failed: there is no {obstacle.missing}"
        case "unreachable_host":
            return f"{command} failed: {code(obstacle.missing)} can't be reached"
        case "not_in_registry":
            return f"{command} failed: the registry has no {code(obstacle.missing)}"
        case "settings_refused":
            return f"{command} ended early, because this version of pytest refuses the repository's settings{said}"
        case "timed_out":
            return f"{command} was stopped after {obstacle.seconds:.0f} s, and no test had ended"
        case "over_limit":
            return f"{command} was stopped before any test had ended: {obstacle.said}"
        case "limit_met":
            return f"{command} failed, and has probably met a limit of the sandbox{said}"
        case _:
            assert_never(obstacle.why)


def remedy_words(obstacle: Obstacle) -> str:
    """What to do, in whole sentences."""
    missing = code(obstacle.missing)
    match obstacle.why:
        case "missing_command":
            tool = missing if obstacle.missing else "it"
            return (
                f"Install {tool} where Caseworker runs (a tool outside of the system's folders is shown to builds with "
                f"`expose` in caseworker.toml), or {_set_up('that installs it')}."
            )
        case "set_up_failed":
            return (
                f"Run {code(obstacle.command)} in a fresh clone and correct it, or name another `setup` under "
                "`[commands]` in `.caseworker.toml`, on the base branch."
            )
        case "refused_host":
            hosts = ", ".join(f'"{one}"' for one in obstacle.hosts)
            return f"If set-up may reach it, add {code(hosts)} to `setup_hosts` in caseworker.toml."
        case "not_fetched":
            return f"Tests have no network: {_set_up('that fetches the dependencies')}."
        case "not_collected":
            what = f"that provides {missing}" if obstacle.missing else "that provides what is missing"
            return f"Correct it on the base branch, or {_set_up(what)}."
        case "no_test":
            return "Name the command that runs the tests: `test` under `[commands]` in `.caseworker.toml`."
        case "nothing_counted":
            again = f"Run {code(obstacle.command)} in a fresh clone"
            cure = _set_up("that does what is missing")
            return f"{again}. If it passes there, {cure}; if not, correct it first, or name another `test`."
        case "ended_untold":
            return "A test may end the whole process, as `os._exit(0)` does: correct it on the base branch."
        case "missing_header":
            search = code(f"apt-file search {obstacle.missing}")
            return f"Install the development package that has it (on Debian, {search} names it)."
        case "no_interpreter":
            return f"Install {obstacle.missing} where Caseworker runs, so that it is on `PATH`."
        case "unreachable_host":
            return "Look at the network of this machine, and at the registries that your package manager is set up for."
        case "not_in_registry":
            return "Ask for a version that your registry has, or set your package manager up for one that has this."
        case "settings_refused":
            return "Correct the setting on the base branch, or pin another version of pytest in its recipe's `setup`."
        case "timed_out":
            return (
                "Raise `command_minutes` in caseworker.toml, or name a faster `setup` or `test` under `[commands]` in "
                "`.caseworker.toml`, on the base branch."
            )
        case "over_limit":
            return "Raise that limit in caseworker.toml, or name a lighter `setup` or `test` in `.caseworker.toml`."
        case "limit_met":
            return (
                "Raise `sandbox_memory_gb` (memory, the home folder and `/tmp`) or `sandbox_disk_gb` (all other files) "
                "in caseworker.toml, or look whether this machine's disk is full."
            )
        case _:
            assert_never(obstacle.why)


def _set_up(that: str) -> str:
    return f"add a command {that} as `setup` under `[commands]` in `.caseworker.toml`, on the base branch"
