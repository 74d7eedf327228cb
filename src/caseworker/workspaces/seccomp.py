"""The filter of system calls in the sandbox: closes what namespaces leave open, as a program for the kernel's seccomp.

Written out here because it is a list and five rules; a library would bring C code for them. The kernel runs it before
every system call: it reads the call's number, and for a few calls an argument or two.
"""

import errno
import platform
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

_LOAD: Final = 0x20  # into the accumulator, from an offset of the call's data
_AND: Final = 0x54
_IF_EQUAL: Final = 0x15
_IF_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_ARGUMENT_BYTES: Final = 8
_ALLOW: Final = 0x7FFF0000
_FAIL: Final = 0x00050000

_NEW_NAMESPACES: Final = 0x7E020000
"""The flags of clone() for every kind of namespace."""
_FAMILIES: Final = (1, 2, 10, 16)
"""Unix, IPv4, IPv6, netlink (which lists the network's interfaces). Left out: vsock, which reaches the host of a
virtual machine past every network namespace, packets, the kernel's ciphers, and dozens that nobody needs."""
_PTRACE_OTHERS: Final = (16, 0x4206)
"""PTRACE_ATTACH and PTRACE_SEIZE take a running process. A debugger's own child asks for it by PTRACE_TRACEME."""
_SETUID_OR_SETGID: Final = 0o6000
"""In the mode of a file. Such a file would run with the rights of the worker's user, if anybody else could reach it."""
_MAKES_A_FILE: Final = 0x400040
"""O_CREAT, and what O_TMPFILE has of its own: without them the mode of open() means nothing."""
_MODE_AT: Final = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
"""Which argument is the mode, counted from 0."""
_FLAGS_AND_MODE_AT: Final = {"open": (1, 2), "openat": (2, 3)}

_SINCE_2019: Final = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "openat2": 437,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "fchmodat2": 452,
}
"""These have the same number on every machine."""
_X86_64: Final = {
    "open": 2,
    "socket": 41,
    "socketpair": 53,
    "clone": 56,
    "creat": 85,
    "chmod": 90,
    "fchmod": 91,
    "ptrace": 101,
    "mknod": 133,
    "pivot_root": 155,
    "acct": 163,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "openat": 257,
    "mknodat": 259,
    "fchmodat": 268,
    "unshare": 272,
    "open_by_handle_at": 304,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
}
_AARCH64: Final = {
    "mknodat": 33,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "fchmod": 52,
    "fchmodat": 53,
    "openat": 56,
    "quotactl": 60,
    "acct": 89,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "ptrace": 117,
    "reboot": 142,
    "socket": 198,
    "socketpair": 199,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "clone": 220,
    "swapon": 224,
    "swapoff": 225,
    "open_by_handle_at": 265,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}
_ARGUMENTS_DECIDE: Final = {"socket", "socketpair", "clone", "ptrace", *_MODE_AT, *_FLAGS_AND_MODE_AT}
_UNKNOWN_TO_PROGRAMS: Final = (
    *("clone3", "openat2", "io_uring_setup", "io_uring_enter", "io_uring_register", "process_vm_readv"),
)
"""Programs do without these where the kernel doesn't have them. What clone3 and openat2 are to do is out of a filter's
sight."""


@dataclass(frozen=True, kw_only=True)
class _Machine:
    name: int
    calls: Mapping[str, int]
    foreign_from: int | None = None
    """Numbers from here on are another set of calls (x32), which the list does not name."""


_MACHINES: Final = {
    "x86_64": _Machine(name=0xC000003E, calls={**_X86_64, **_SINCE_2019}, foreign_from=0x40000000),
    "aarch64": _Machine(name=0xC00000B7, calls={**_AARCH64, **_SINCE_2019}),
}


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter for bwrap's `--seccomp`; None for a machine whose numbers of calls we don't know."""
    found = _MACHINES.get(machine or platform.machine())
    if found is None:
        return None
    steps = [_step(_LOAD, _MACHINE_AT), _step(_IF_EQUAL, found.name, 1, 0), _refuse(errno.EPERM)]
    steps += [_step(_LOAD, _NUMBER_AT)]
    if found.foreign_from is not None:
        steps += [_step(_IF_AT_LEAST, found.foreign_from, 0, 1), _refuse(errno.ENOSYS)]
    for name, number in found.calls.items():
        if name not in _ARGUMENTS_DECIDE:
            error = errno.ENOSYS if name in _UNKNOWN_TO_PROGRAMS else errno.EPERM
            steps += [_step(_IF_EQUAL, number, 0, 1), _refuse(error)]
    for name in ("socket", "socketpair"):
        steps += _for_call(found.calls[name], _only(_FAMILIES, errno.EAFNOSUPPORT))
    steps += _for_call(found.calls["ptrace"], _never(_PTRACE_OTHERS, errno.EPERM))
    steps += _for_call(found.calls["clone"], _without_bits(_NEW_NAMESPACES))
    for name in sorted(found.calls.keys() & _MODE_AT.keys()):
        steps += _for_call(found.calls[name], _without_bits(_SETUID_OR_SETGID), argument=_MODE_AT[name])
    for name in sorted(found.calls.keys() & _FLAGS_AND_MODE_AT.keys()):
        flags, mode = _FLAGS_AND_MODE_AT[name]
        checks_mode = [_load(mode), *_without_bits(_SETUID_OR_SETGID)]
        makes_no_file = [_step(_AND, _MAKES_A_FILE), _step(_IF_EQUAL, 0, len(checks_mode), 0)]
        steps += _for_call(found.calls[name], [*makes_no_file, *checks_mode], argument=flags)
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(error: int) -> bytes:
    return _step(_RETURN, _FAIL | error)


def _load(argument: int) -> bytes:
    return _step(_LOAD, _ARGUMENTS_AT + argument * _ARGUMENT_BYTES)


def _for_call(number: int, rules: list[bytes], *, argument: int = 0) -> list[bytes]:
    """The rules see one argument; a call that passes them is allowed."""
    body = [_load(argument), *rules, _step(_RETURN, _ALLOW)]
    return [_step(_IF_EQUAL, number, 0, len(body)), *body]


def _without_bits(bits: int) -> list[bytes]:
    return [_step(_AND, bits), _step(_IF_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]


def _only(values: Iterable[int], error: int) -> list[bytes]:
    allowed = [step for value in values for step in (_step(_IF_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW))]
    return [*allowed, _refuse(error)]


def _never(values: Iterable[int], error: int) -> list[bytes]:
    return [step for value in values for step in (_step(_IF_EQUAL, value, 0, 1), _refuse(error))]
