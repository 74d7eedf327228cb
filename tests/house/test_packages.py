"""`scripts/packages` installs with uv, and with pip where uv can't or may not."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "packages"


@pytest.mark.parametrize(
    ("pip_config", "uv_ends_with", "ran"),
    [
        ("global.extra-index-url='https://more.example'", 0, ["uv"]),
        ("", 1, ["uv", "pip"]),
        ("global.index-url='https://packages.example'", 0, ["pip"]),
        (":env:.no-index='1'", 0, ["pip"]),
    ],
)
def test_pip_installs_only_where_uv_fails_or_does_not_know_the_index(
    pip_config: str, uv_ends_with: int, ran: list[str], tmp_path: Path
) -> None:
    said = tmp_path / "said"
    (tmp_path / "bin").mkdir()
    _program(tmp_path / "bin" / "pip", f'[ "$1" = config ] && echo "{pip_config}" || echo pip >>{said}')
    _program(tmp_path / "uv", f"echo uv >>{said}; exit {uv_ends_with}")
    subprocess.run([SCRIPT, tmp_path, "a.lock", tmp_path / "uv"], check=True, capture_output=True)
    assert said.read_text().split() == ran


def _program(path: Path, does: str) -> None:
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
