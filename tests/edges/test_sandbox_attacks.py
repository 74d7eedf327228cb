"""Attacks from inside the sandbox, run by root and by an ordinary user. All of them must fail.

Each is first run without the sandbox, where it must work (if it does no harm): otherwise it would prove nothing.
"""

import os
import platform
import shutil
from collections.abc import Iterator

import pytest

from caseworker.workspaces.sandbox import Unconfined
from tests.edges.prison import Prison, prison

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run the sandbox both as root and as nobody")

READING = {
    "the key in the environment of the process that started it": """
for process in Path("/proc").iterdir():
    try:
        if KEY.encode() in (process / "environ").read_bytes(): got(process)
    except OSError: pass
""",
    "the worker's own folder in /proc": """
words = Path(f"/proc/{WORKER}/cmdline").read_bytes()
if words == WORDS: got(words)
""",
    "a person's files": """
for path in (f"{FOLDER}/people/ada/.ssh/id_ed25519", f"{PERSON}/.bashrc", "/etc/shadow", "/etc/passwd"):
    try: text = Path(path).read_text()
    except OSError: continue
    if "agent:x:1000" not in text: got(path)
""",
    "another case's workspace": 'got(Path(f"{FOLDER}/home/workspaces/other/tree/secret.py").read_text())',
    "the database": 'got(Path(f"{FOLDER}/home/caseworker.db").read_text())',
    "a server on this machine": 'socket.create_connection(("127.0.0.1", PORT), timeout=2); got("a connection")',
    "an abstract Unix socket": 's = socket.socket(socket.AF_UNIX); s.connect(chr(0) + ABSTRACT); got("a connection")',
    "the mirror": 'Path(f"{FOLDER}/home/mirrors/calc.git/HEAD").open("r+"); got("the mirror")',
    "another worktree": 'Path(f"{FOLDER}/home/workspaces/other/tree/new").write_text("x"); got("a file")',
    "a process of the host": 'os.kill(WORKER, 0); got("the worker")',
}

WRITING = {
    "system folders": """
for folder in ("/usr", "/usr/local/bin", "/usr/lib", "/etc", "/", "/root", "/home", "/bin", "/etc/ssl/certs"):
    try: Path(folder, "planted").write_text("x"); got(folder)
    except OSError: pass
""",
    "the accounts": 'Path("/etc/passwd").open("a"); got("passwd")',
    "kernel settings": """
for path in Path("/proc/sys").rglob("*"):
    if path.is_file() and os.access(path, os.W_OK): got(path)
for name in ("sysrq-trigger", "mtrr"):
    if Path("/proc", name).exists() and os.access(f"/proc/{name}", os.W_OK): got(name)
""",
    "kernel memory": """
for name in ("kcore", "kmsg", "keys", "kpagecount"):
    try:
        if Path("/proc", name).open("rb").read(8): got(name)
    except OSError: pass
""",
    "the .git file": """
for act in (lambda p: p.write_text("gitdir: /tmp/evil"), lambda p: p.unlink(), lambda p: p.rename(f"{WORKSPACE}/gone")):
    try: act(Path(WORKSPACE, ".git")); got(".git")
    except OSError: pass
""",
    "devices": """
for name in ("mem", "kmsg", "vda", "sda", "loop0", "fuse", "kvm"):
    if Path("/dev", name).exists(): got(name)
try: os.mknod("/tmp/disk", 0o60600, os.makedev(252, 0)); got("a device")
except OSError: pass
""",
    "capabilities and mounts": """
status = Path("/proc/self/status").read_text()
if any(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("Cap")): got("capabilities")
if "NoNewPrivs:\t1" not in status: got("new privileges")
if os.getuid() == 0 or os.geteuid() == 0: got("root")
for act in ("mount -t tmpfs none /usr", "mount -o remount,rw /usr", "umount /proc/sys", "unshare -Ur true",
            "unshare -m true", "chroot / true", "su -c true", "nsenter -t 1 -m true"):
    if subprocess.run(act.split(), capture_output=True).returncode == 0: got(act)
try: os.setuid(0); got("uid 0")
except OSError: pass
""",
    "a way out to the network": """
for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
    if not line.strip().startswith("lo:"): got("a network card")
try: socket.create_connection(("192.0.2.1", 80), timeout=1); got("a connection")
except OSError: pass
""",
}

CALLING = {
    "vsock": 'socket.socket(40, socket.SOCK_STREAM); got("a vsock")',
    "the kernel's ciphers": 'socket.socket(38, socket.SOCK_SEQPACKET); got("a cipher socket")',
    "io_uring": """
import ctypes
if ctypes.CDLL(None, use_errno=True).syscall(425, 1, ctypes.create_string_buffer(120)) >= 0: got("a ring")
""",
    "keys": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(250, 0, -3, 0) >= 0: got("the session keyring")
if libc.syscall(248, b"user", b"planted", b"x", 1, -2) >= 0: got("a new key")
libc.syscall(249, b"user", b"planted", None, 0)
if ctypes.get_errno() != 1: got("an answer to a request for a key")
""",
    "another process": """
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
other = subprocess.Popen(["sleep", "30"])
for how in (16, 0x4206):
    if libc.syscall(101, how, other.pid, None, None) >= 0: got("a traced process")
memory = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(memory), 8)
if libc.syscall(310, other.pid, vector, 1, vector, 1, 0) >= 0 or ctypes.get_errno() != 38: got("memory")
pidfd = os.pidfd_open(other.pid)
if libc.syscall(438, pidfd, 1, 0) >= 0: got("an open file")
other.kill()
""",
    "new namespaces": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
    if libc.syscall(272, flag) >= 0: got(("unshare", hex(flag)))
    if ctypes.get_errno() != 1: got(("unshare answers", ctypes.get_errno()))
    child = libc.syscall(56, flag | 17, None, None, None, None) if flag != 0x80 else -1
    if child == 0: os._exit(0)
    if child > 0: got(("clone", hex(flag)))
arguments = ctypes.create_string_buffer((0x10000000).to_bytes(8, "little"), 88)
child = libc.syscall(435, arguments, 88)
if child == 0: os._exit(0)
if child > 0 or ctypes.get_errno() != 38: got("clone3")
""",
    "a program that runs with the worker's rights": """
import ctypes, shutil
libc = ctypes.CDLL(None, use_errno=True)
name = f"{WORKSPACE}/rights".encode()
Path(os.fsdecode(name)).unlink(missing_ok=True)
shutil.copy("/bin/true", name)
handle, here = os.open(name, os.O_RDONLY), -100
O_TMPFILE = 0x410000
for bits in (0o4755, 0o2755):
    ways = {"chmod": (90, name, bits), "fchmod": (91, handle, bits), "fchmodat": (268, here, name, bits),
            "fchmodat2": (452, here, name, bits, 0), "creat": (85, name + b"-a", bits),
            "open": (2, name + b"-b", 0x41, bits), "openat": (257, here, name + b"-c", 0x41, bits),
            "a nameless file": (257, here, WORKSPACE.encode(), O_TMPFILE | 1, bits),
            "mknod": (133, name + b"-d", 0o100000 | bits, 0), "mknodat": (259, here, name + b"-e", 0o100000 | bits, 0)}
    for way, words in ways.items():
        if libc.syscall(*words) >= 0 or ctypes.get_errno() != 1: got((way, oct(bits)))
how = ctypes.create_string_buffer((0x41).to_bytes(8, "little") + (0o4755).to_bytes(8, "little"), 24)
if libc.syscall(437, here, name + b"-f", how, 24) >= 0: got("openat2")
if any(path.stat().st_mode & 0o6000 for path in Path(WORKSPACE).iterdir()): got("the bits")
""",
    "32-bit calls": """
import ctypes, mmap
code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20 (getpid); int 0x80; ret
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
if answer >= 0: got(("a 32-bit call", answer))
""",
}
"""Calls by their numbers on x86_64."""


@pytest.fixture(scope="module", params=["root", "nobody"])
def cell(request: pytest.FixtureRequest) -> Iterator[Prison]:
    with prison(request.param) as made:
        yield made


@pytest.mark.parametrize("name", READING)
def test_nothing_outside_the_sandbox_can_be_reached(cell: Prison, name: str) -> None:
    outside = cell.attack(READING[name], sandbox=Unconfined(cell.folder / "unconfined"))
    if not (cell.user == "nobody" and "GOT" not in outside):  # that user could not do it anyway
        assert "GOT" in outside, outside
    inside = cell.attack(READING[name])
    assert "TRIED" in inside
    assert "GOT" not in inside


@pytest.mark.parametrize("name", WRITING)
def test_the_sandbox_itself_can_not_be_changed_from_inside(cell: Prison, name: str) -> None:
    inside = cell.attack(WRITING[name])
    assert "TRIED" in inside
    assert "GOT" not in inside


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the attacks have the numbers of x86_64")
@pytest.mark.parametrize("name", CALLING)
def test_system_calls_that_nobody_needs_are_refused(cell: Prison, name: str) -> None:
    inside = cell.attack(CALLING[name])
    assert "TRIED" in inside
    assert "GOT" not in inside


@pytest.mark.parametrize(("mode", "opened"), [(0o111, False), (0o555, True)])
def test_an_execute_only_program_is_closed_to_its_own_user(cell: Prison, mode: int, opened: bool) -> None:
    program = cell.workspace / f"program-{mode:o}"
    shutil.copy("/bin/sleep", program)
    shutil.chown(program, cell.user)
    program.chmod(mode)
    code = f"""
import time
running = subprocess.Popen([{str(program)!r}, "20"], stdout=subprocess.PIPE)
while Path(f"/proc/{{running.pid}}/comm").read_text().strip() != {program.name!r}: time.sleep(0.01)
for name in ("fd/1", "mem", "environ"):
    try: Path("/proc", str(running.pid), name).open("rb" if name == "environ" else "r+b", buffering=0); got(name)
    except OSError as error: print(error)
running.kill()
"""
    inside = cell.attack(code)
    assert "TRIED" in inside
    assert ("GOT" in inside) == opened, inside


def test_ordinary_programs_do_not_notice_the_filter(cell: Prison) -> None:
    code = """
import multiprocessing, threading
with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1, -2]))
threading.Thread(target=lambda: print("thread")).start()
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
os.close(os.open("/tmp/new", os.O_CREAT | os.O_WRONLY, 0o1777)); os.chmod("/tmp/new", 0o755)
server = socket.create_server(("127.0.0.1", 0)); socket.create_connection(server.getsockname()); print("loopback")
print(socket.if_nameindex()[0][1], subprocess.run(["sh", "-c", "echo $((6*7)) | cat"], capture_output=True).stdout)
"""
    assert cell.attack(code).splitlines()[1:] == ["[1, 2]", "thread", "b'x'", "loopback", "lo b'42\\n'"]


def test_a_read_only_workspace_can_not_be_written(cell: Prison) -> None:
    code = 'Path(WORKSPACE, "new").write_text("x"); got("written")'
    inside = cell.attack(code, writable=False)
    assert "TRIED" in inside
    assert "Read-only file system" in inside
    assert "GOT" in cell.attack(code, writable=True)
    assert (cell.workspace / "new").exists()


def test_inside_is_an_ordinary_user_with_the_given_environment_and_a_home(cell: Prison) -> None:
    said = cell.run(["/bin/sh", "-c", "id -un; pwd; env | sort; touch ~/x /tmp/x && echo wrote; echo $((6*7))"])
    lines = said.splitlines()
    assert lines[0] == "agent"
    assert str(cell.workspace) in lines
    assert "GIVEN=yes" in lines
    assert lines[-2:] == ["wrote", "42"]
    names = {line.partition("=")[0] for line in lines if "=" in line}
    assert names == {"GIVEN", "HOME", "LANG", "PATH", "PWD", "USER"}
