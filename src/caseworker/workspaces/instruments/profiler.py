"""`profile`: the hottest places of a command, by cProfile for Python, `node --cpu-prof`, or else perf."""

from typing import Final

from caseworker.core.investigation.hot_places import parse_places, places_table
from caseworker.core.investigation.measurements import REPORT_LIMIT, Measurement, ProfileRequest, unavailable
from caseworker.workspaces.instruments.bench import Bench, Ended, Section, hook, sitecustomize, write_file

_LINES: Final = 45
"""Lines taken of all processes together: the output that is kept of a command has room for about so many."""
_NODE: Final = """\
if node=$(command -v node); then
  printf '#!/bin/sh\\nexec %s --cpu-prof --cpu-prof-dir="%s" "$@"\\n' "$node" "$T/out" > "$T/bin/node"
  chmod +x "$T/bin/node"; export PATH="$T/bin:$PATH"
fi"""
_PLACES: Final = f"""\
ls "$T/out" | grep -q python && used=cProfile
if ls "$T/out" | grep -q cpuprofile; then
  used="${{used:+$used and }}node --cpu-prof"; node "$T/lib/node_places.js" "$T/out" > "$T/out/node.places"
fi
echo "$used"
cat "$T"/out/*.python "$T"/out/*.places 2> /dev/null | sort -rn | head -n {_LINES} | cut -c 1-300"""
_PERF: Final = f"""\
perf report -i "$T/out/perf.data" --stdio --percent-limit 0.5 -F overhead,sample,comm,dso,symbol 2> /dev/null \\
  | grep -v '^#' | grep -v '^ *$' | head -n {_LINES}"""
_NONE: Final = "no Python or Node process that ended by itself was part of it"


async def profile(bench: Bench, request: ProfileRequest) -> Measurement:
    async with bench.tree("profile") as tree:
        ended = await bench.observe(
            tree,
            request,
            prepare="\n".join(
                [sitecustomize("profile_hook.py"), write_file("lib/node_places.js", hook("node_places.js")), _NODE]
            ),
            after=Section(name="places", script=_PLACES),
        )
        used, *lines = ended.sections.get("places", "").splitlines() or [""]
        places = parse_places(lines, str(tree.path))
        if places:
            return _measured(used or "cProfile", ended, places_table(places[: request.top]))
        if ended.run.cut_short:
            return unavailable("cProfile", f"Nothing was profiled: {ended.last_words}")
        await bench.workspaces.reset(tree, bench.commit, scrub=True)
        perf = await bench.observe(
            tree,
            request,
            prepare="command -v perf > /dev/null || { echo perf is not installed here; exit 127; }",
            around='perf record -q -o "$T/out/perf.data" --',
            after=Section(name="places", script=_PERF),
        )
    report = perf.sections.get("places", "").strip()
    if report:
        return _measured("perf", perf, report[:REPORT_LIMIT])
    return unavailable("perf", f"Nothing could be profiled: {_NONE}, and perf gave nothing: {perf.last_words}")


def _measured(used: str, ended: Ended, report: str) -> Measurement:
    summary = f"The hottest places of the command, by {used}; {ended.how}."
    return Measurement(status="measured", how=used, summary=summary, report=report)
