"""`trace`: the backtraces at a line (of Python, or by gdb), or the calls of a command in their order (by strace)."""

from typing import Final

from caseworker.core.base.text import clip
from caseworker.core.investigation.measurements import REPORT_LIMIT, Measurement, TraceRequest, unavailable
from caseworker.ports import Workspace
from caseworker.workspaces.instruments.bench import Bench, Ended, Section, sitecustomize

_PYTHON: Final = (".py", ".pyw")
_LINES: Final = 60
_NO_STRACE: Final = "strace is not installed here, or not allowed"
_OF_PYTHON: Final = Section(
    name="trace", script=f'cat "$T"/out/*.python 2> /dev/null | tail -n {_LINES} | cut -c 1-300'
)
_OF_STRACE: Final = Section(
    name="trace",
    script=f"""\
if [ -s "$T/out/strace" ]; then
echo "$(wc -l < "$T/out/strace") lines. Calls that failed, the most frequent first:"
sed -nE 's/^.* ([a-z0-9_]+)\\(.*= -1 (E[A-Z0-9]+) .*/\\1 \\2/p' "$T/out/strace" | sort | uniq -c | sort -rn | head -n 12
echo "The last calls:"
tail -n {_LINES} "$T/out/strace" | cut -c 1-120
fi""",
)
_OF_GDB: Final = Section(name="trace", script='grep -E "^(#|[A-Za-z_0-9]+ = )" "$T/log" | head -n 60 | cut -c 1-300')


async def trace(bench: Bench, request: TraceRequest) -> Measurement:
    async with bench.tree("trace") as tree:
        if request.place is None:
            return await _trace_calls(bench, request, tree)
        if request.place[0].endswith(_PYTHON):
            ended = await _observe_python(bench, request, tree)
            nothing = f"No Python process came to {request.at}; {ended.last_words}"
            return _measured("sys.settrace", f"The backtraces at {request.at}", ended, nothing)
        return await _debug(bench, request, tree)


async def _trace_calls(bench: Bench, request: TraceRequest, tree: Workspace) -> Measurement:
    only = f"-e trace={request.calls}" if request.calls else ""
    strace = await bench.observe(
        tree,
        request,
        prepare=f"strace -o /dev/null true 2> /dev/null || {{ echo '{_NO_STRACE}'; exit 127; }}",
        around=f'strace -f -tt -s 60 {only} -o "$T/out/strace"',
        after=_OF_STRACE,
    )
    found = _measured("strace", "The system calls of all processes", strace, _NO_STRACE)
    if found.status == "measured" or _NO_STRACE not in strace.log:
        return found
    await bench.workspaces.reset(tree, bench.commit, scrub=True)
    ended = await _observe_python(bench, request, tree)
    nothing = f"Nothing could be traced: {_NO_STRACE}, and no Python process of it ended by itself; {ended.last_words}"
    return _measured("sys.settrace", "The calls and exceptions in the repository's Python code", ended, nothing)


async def _observe_python(bench: Bench, request: TraceRequest, tree: Workspace) -> Ended:
    prepare = f"{sitecustomize('trace_hook.py')}\nexport CASEWORKER_AT='{request.at.removeprefix('./')}'"
    return await bench.observe(tree, request, prepare=prepare, after=_OF_PYTHON)


async def _debug(bench: Bench, request: TraceRequest, tree: Workspace) -> Measurement:
    orders = ("set breakpoint pending on", "set follow-fork-mode child", f"break {request.at}")
    debugged = await bench.observe(
        tree,
        request,
        prepare="command -v gdb > /dev/null || { echo gdb is not installed here; exit 127; }",
        around=" ".join(
            ["gdb -q -nx -batch", *(f"-ex '{order}'" for order in (*orders, "run", "bt", "info locals")), "--args"]
        ),
        after=_OF_GDB,
    )
    nothing = f"There is no backtrace at {request.at}: it is no Python file, and gdb did not stop there; "
    return _measured("gdb", f"The backtrace at {request.at}", debugged, nothing + debugged.last_words)


def _measured(how: str, what: str, ended: Ended, nothing: str) -> Measurement:
    report = ended.sections.get("trace", "").strip()
    if not report:
        return unavailable(how, nothing)
    summary = f"{what}, by {how}; {ended.how}."
    return Measurement(status="measured", how=how, summary=summary, report=clip(report, REPORT_LIMIT))
