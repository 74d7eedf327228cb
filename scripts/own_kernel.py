"""Runs tests in a Linux kernel of their own, where version 2 of control groups is not taken by version 1.

`python -m scripts.own_kernel tests/edges/test_control_groups.py`. The kernel is Debian's user-mode-linux, an ordinary
program: it is fetched with apt-get, not installed. It sees the files of this machine, and can't write to them.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]
_PACKAGE: Final = "user-mode-linux"
_MOUNTS: Final = (
    *("-t proc proc /proc", "-t sysfs sys /sys", "-t tmpfs tmp /tmp", "-t tmpfs run /run"),
    "-t cgroup2 groups /sys/fs/cgroup",
)
_PASSED: Final = "OWN KERNEL: the tests ended with 0"


def main(tests: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="own-kernel-") as name:
        folder = Path(name)
        kernel = _kernel(folder)
        first = folder / "first-process"
        first.write_text(_first_process(tests))
        first.chmod(0o755)
        return _boot(kernel, first)


def _kernel(folder: Path) -> Path:
    subprocess.run(["apt-get", "download", "-qq", _PACKAGE], cwd=folder, check=True)
    package = next(folder.glob(f"{_PACKAGE}_*.deb"))
    subprocess.run(["dpkg", "-x", package.name, "files"], cwd=folder, check=True)
    return folder / "files/usr/bin/linux.uml"


def _first_process(tests: list[str]) -> str:
    python = shlex.join([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "--color=no", *tests])
    return "\n".join(
        (
            "#!/bin/sh",
            f"export PATH={shlex.quote(os.environ['PATH'])} LANG=C.UTF-8 HOME=/tmp PYTHONDONTWRITEBYTECODE=1",
            *(f"mount {words}" for words in _MOUNTS),
            f"cd {shlex.quote(str(_ROOT))}",
            f'{python}; code=$?; echo "{_PASSED[:-1]}$code"',
            "echo o > /proc/sysrq-trigger",
        )
    )


def _boot(kernel: Path, first: Path) -> int:
    options = ("mem=2G", "root=/dev/root", "rootfstype=hostfs", "hostfs=/", "ro", "quiet", "con=null", "con0=null,fd:1")
    running = subprocess.Popen([kernel, *options, f"init={first}"], stdout=subprocess.PIPE, text=True, errors="replace")
    passed = False
    assert running.stdout is not None
    for line in running.stdout:
        sys.stdout.write(line)
        passed = passed or line.strip() == _PASSED
    running.wait()
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
