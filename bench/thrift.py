"""`thrift`: what a small bug costs in model calls, bytes and dollars, beside a bare loop of the same agent's program.

The model is a provider of ours that answers as a competent one did on real bugs: it reads and writes as much. All else
is real: the whole case with its gateway and ledger, and the bare agent in the same sandbox on the same repository.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from bench.home import Home, NotMeasured, open_home, private_folder, timed
from bench.prompt_cache import BYTES_PER_TOKEN
from bench.provider import Provider, Seen, Steps, serving
from bench.report import Report, Row
from bench.small_bug import ISSUE, make_library
from caseworker.agents.agent_program import agent_binary
from caseworker.agents.agent_settings import agent_environment
from caseworker.agents.price_list import PriceList
from caseworker.agents.process import AttemptFolder
from caseworker.core.base.budget import MICROS, Usage, cost
from caseworker.core.base.policy import DEFAULT_MODEL
from caseworker.ports import Enclosure
from caseworker.workspaces.sandbox import Bubblewrap

_SCRIPT: Final = Path(__file__).with_suffix(".yaml")
_CALLS: Final = 9
_BYTES: Final = 125_000
"""Half of what the same bug took before there was this measurement: 250 KB."""
_TIMES: Final = 3.0
_BARE_PROMPT: Final = "Fix this bug of the repository in the working directory, with a regression test.\n\n"


def measure() -> Report:
    script: Mapping[str, Steps] = yaml.safe_load(_SCRIPT.read_text(encoding="utf-8"))
    with private_folder() as folder, serving(script, folder / "b") as provider, open_home(folder / "home") as home:
        home.environment |= {"ANTHROPIC_API_KEY": "none", "CASEWORKER_ANTHROPIC_BASE_URL": provider.url}
        first = _by_caseworker(home, make_library(folder / "durations"), provider)
        second = _by_caseworker(home, make_library(folder / "again"), provider)
        bare = _by_bare_agent(folder, provider)
    return Report(
        name="thrift",
        title="a small bug, issue to pull request, and the same by a bare agent",
        rows=[
            Row(what="model calls", samples=[len(first.calls)], unit="", target=_CALLS),
            Row(what="bytes in", samples=[_sent(first.calls)], unit="B", target=_BYTES),
            *_of_each_role(first.calls),
            Row(what="bytes in that were cached", samples=[_cached(first.calls)], unit="B"),
            Row(what="bytes out", samples=[sum(one.written for one in first.calls)], unit="B"),
            Row(what="dollars, by the ledger", samples=[first.micros / MICROS], unit="$"),
            Row(what="dollars of a second case, soon after", samples=[second.micros / MICROS], unit="$"),
            Row(what="bare agent: model calls", samples=[len(bare.calls)], unit=""),
            Row(what="bare agent: bytes in", samples=[_sent(bare.calls)], unit="B"),
            Row(what="bare agent: bytes in that were cached", samples=[_cached(bare.calls)], unit="B"),
            Row(what="bare agent: dollars", samples=[bare.micros / MICROS], unit="$"),
            Row(what="dollars, case to bare agent", samples=[first.micros / bare.micros], unit="times", target=_TIMES),
            Row(what="dollars, second case to bare agent", samples=[second.micros / bare.micros], unit="times"),
        ],
        notes=(
            "A token is taken as 4 bytes. Cached is what is a prefix of an earlier request of the same model, up to "
            "one of its marks; the second case finds what is the same for all cases.",
            "The bare agent commits nothing, proves nothing, and nobody reviews it.",
            "Before there was this measurement, the same bug took 14 calls, 271 KB, and 8.8 times the dollars. "
            "Where the rest goes: docs/decisions, number 20.",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Spent:
    calls: Sequence[Seen]
    micros: int


def _of_each_role(calls: Sequence[Seen]) -> list[Row]:
    names = dict.fromkeys(one.who for one in calls)
    sent = {who: [one for one in calls if one.who == who] for who in names}
    return [
        row
        for who, of in sent.items()
        for row in (
            Row(what=f"{who.replace('_', ' ')}, {len(of)} calls", samples=[_sent(of)], unit="B", part=True),
            Row(what=f"dollars, {of[0].model}", samples=[_micros(of) / MICROS], unit="$", part=True),
        )
    ]


def _micros(calls: Sequence[Seen]) -> int:
    return sum(cost(PriceList().of(one.model), _usage(one)) for one in calls)


def _cached(calls: Sequence[Seen]) -> int:
    return sum(one.parts.read for one in calls)


def _sent(calls: Sequence[Seen]) -> int:
    return sum(one.bytes for one in calls)


def _usage(one: Seen) -> Usage:
    told = one.parts.as_usage()
    return Usage(
        input_tokens=told["input_tokens"],
        cache_write_tokens=told["cache_creation_input_tokens"],
        cache_read_tokens=told["cache_read_input_tokens"],
        output_tokens=one.written // BYTES_PER_TOKEN,
    )


def _by_caseworker(home: Home, library: Path, provider: Provider) -> _Spent:
    provider.begin()
    ran = home.types("run", "--repo", library, "--issue", library / "issue.md", "--json")
    moves = [entry.body["to_state"] for entry in home.record(library.name) if entry.kind == "transitioned"]
    if moves[-2:] != ["creating_pr", "waiting_for_human_input"]:
        raise NotMeasured(f"the case did not get to its pull request but to {moves}: {ran.out[-1500:]}")
    return _Spent(calls=list(provider.seen), micros=home.spent_micros(library.name))


def _by_bare_agent(folder: Path, provider: Provider) -> _Spent:
    provider.begin()
    library = make_library(folder / "bare")
    place = AttemptFolder(folder / "agent")
    for inner in (place.config, place.home):
        inner.mkdir(parents=True)
    environment = {**agent_environment(place), "ANTHROPIC_UNIX_SOCKET": str(folder / "b")}
    flags = {
        "system-prompt": "You are a developer.",
        "tools": "Bash,Read,Edit,Write",
        "model": DEFAULT_MODEL,
        "permission-mode": "bypassPermissions",
        "setting-sources": "",
        "output-format": "json",
    }
    argv = [str(agent_binary()), "-p", "--strict-mcp-config", *(f"--{name}={value}" for name, value in flags.items())]
    enclosure = Enclosure(
        workspace=library,
        writable=True,
        environment=environment,
        read_only=(agent_binary().parent,),
        read_write=(place.config, place.home),
        sockets=(folder / "b",),
    )
    sandbox = Bubblewrap(folder / "sandbox")
    ran = timed([*sandbox.command(enclosure, argv), _BARE_PROMPT + ISSUE], {"PATH": "/usr/bin:/bin"})
    if json.loads(ran.out).get("is_error"):
        raise NotMeasured(f"the bare agent failed: {ran.out[-800:]}")
    return _Spent(calls=list(provider.seen), micros=_micros(provider.seen))
