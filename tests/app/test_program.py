"""The end of the program: all output is written, and the exit code says if that failed."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from caseworker.app.cli.program import program; program()"]


def test_all_output_is_there_when_the_program_ends() -> None:
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "caseworker", "")


def test_a_wrong_command_ends_with_its_exit_code() -> None:
    done = subprocess.run([*PROGRAM, "nonsense"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nonsense" in done.stderr


def test_output_that_finds_no_room_is_told_and_fails() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
    told = "caseworker: The disk is full (while writing). Free some space, then try again.\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_a_reader_who_leaves_early_ends_the_program_quietly() -> None:
    nobody, output = os.pipe()
    os.close(nobody)
    done = subprocess.run([*PROGRAM, "--version"], stdout=output, stderr=subprocess.PIPE, text=True)
    os.close(output)
    assert (done.returncode, done.stderr) == (1, "")
