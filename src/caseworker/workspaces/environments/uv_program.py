"""Where our own uv is: installed with Caseworker, at the version that its lock file names."""

from pathlib import Path


def uv_program() -> Path:
    from uv import find_uv_bin  # only set-ups and checks need it

    return Path(find_uv_bin()).resolve()
