"""The entry point of the program `caseworker`."""

import gc
import os
import sys
from typing import NoReturn


def program() -> NoReturn:
    """Run the command and leave without taking the interpreter apart: to free every object takes 0.3 s, and what has
    to be closed is closed by the command itself."""
    gc.disable()  # until a command has imported what it needs: imports leave no garbage
    from caseworker.app.cli.main import main

    code: int | str | None = 0
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    os._exit(_flushed(code if isinstance(code, int) else int(code is not None)))


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:  # who read the output has enough of it
        return 141
    except OSError as error:
        os.write(2, f"The output could not be written: {error.strerror or error}.\n".encode())
        return code or 2
    except ValueError:  # a stream is closed: main has told why
        return code
    return code
