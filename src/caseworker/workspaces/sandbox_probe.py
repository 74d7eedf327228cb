"""Checks that the sandbox works on this machine, and if not, says what to type."""

import asyncio
import platform
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

_PROBE_SECONDS = 60
_CHECKS = r"""
test "$(id -u)" = 1000                                || { echo "the process inside is not user 1000" >&2; exit 41; }
grep -q '^CapEff:.0000000000000000$' /proc/self/status || { echo "it has capabilities" >&2; exit 41; }
test ! -e "$1"                                        || { echo "it sees files of the host" >&2; exit 41; }
test ! -w /usr                                        || { echo "it could write to /usr" >&2; exit 41; }
test ! -w /proc/sys/kernel/hostname                   || { echo "it could change kernel settings" >&2; exit 41; }
test "$(grep -c : /proc/net/dev)" -le 1               || { echo "it has a network" >&2; exit 41; }
"""

_OFF = 'To run without any protection, write sandbox = "off" in caseworker.toml: agents can then read all your files.'


def _install_line() -> str:
    for manager, line in (
        ("apt-get", "sudo apt-get install bubblewrap"),
        ("dnf", "sudo dnf install bubblewrap"),
        ("pacman", "sudo pacman -S bubblewrap"),
        ("zypper", "sudo zypper install bubblewrap"),
        ("apk", "sudo apk add bubblewrap"),
    ):
        if shutil.which(manager):
            return line
    return "sudo apt-get install bubblewrap (Debian, Ubuntu), dnf install (Fedora), pacman -S (Arch)"


def missing() -> str:
    system = platform.system()
    if system == "Darwin":
        return (
            f"The sandbox needs Linux. On macOS run Caseworker in a container (see `caseworker docs sandbox`). {_OFF}"
        )
    if system == "Windows":
        return f"The sandbox needs Linux. On Windows run Caseworker in WSL2: wsl --install. {_OFF}"
    return f"The sandbox needs bubblewrap, which is not installed. Type: {_install_line()}. {_OFF}"


async def ask(command: Callable[[Sequence[str]], list[str]], *, hidden: Path) -> str | None:
    """Runs the checks inside; returns what is wrong, or None. `hidden` exists on the host and must be invisible."""
    process = await asyncio.create_subprocess_exec(
        *command(["/bin/sh", "-c", _CHECKS, "probe", str(hidden)]),
        env={},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, error = await asyncio.wait_for(process.communicate(), _PROBE_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        return (
            f"The sandbox did not start within {_PROBE_SECONDS:.0f} s. If this machine is busy, try again later. {_OFF}"
        )
    if process.returncode == 0:
        return None
    return explain(error.decode(errors="replace").strip(), _machine())


def explain(error: str, machine: frozenset[str]) -> str:
    """The error of bwrap, and what to type. `machine`: facts about this machine, from `_machine`."""
    said = f"The sandbox does not work here: {error or 'bwrap ended without a word'}."
    if "in a container" in machine:
        todo = (
            "This is a container whose profile forbids it. Start it with: docker run --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined ..."
        )
    elif "apparmor restricts" in machine:
        todo = (
            "This system (Ubuntu 24.04 and later) forbids user namespaces to programs without a profile. Type: "
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, and to keep it: echo "
            "kernel.apparmor_restrict_unprivileged_userns=0 | sudo tee /etc/sysctl.d/60-caseworker.conf"
        )
    elif "userns_clone off" in machine:
        todo = (
            "This system forbids user namespaces. Type: sudo sysctl -w kernel.unprivileged_userns_clone=1, and to keep "
            "it: echo kernel.unprivileged_userns_clone=1 | sudo tee /etc/sysctl.d/60-caseworker.conf"
        )
    elif "no namespaces" in machine:
        todo = "User namespaces are set to none. Type: sudo sysctl -w user.max_user_namespaces=15000"
    else:
        todo = "See whether this works: bwrap --unshare-all --ro-bind / / true"
    return f"{said} {todo}. {_OFF}"


def _machine() -> frozenset[str]:
    facts = set()
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        facts.add("apparmor restricts")
    if _setting("kernel/unprivileged_userns_clone") == "0":
        facts.add("userns_clone off")
    if _setting("user/max_user_namespaces") == "0":
        facts.add("no namespaces")
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        facts.add("in a container")
    return frozenset(facts)


def _setting(name: str) -> str:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return ""
