# SPDX-License-Identifier: GPL-2.0
"""What the tests of this folder share: the module, sockets, streams of data,
the kernel's log.  Namespaces, KTAP and waiting are kcctest's.

A test file holds cases that take (case, env) and ends with

    sys.exit(kcclib.run([first_case, second_case], topology))

where topology(stack) makes what env is; it is called when a case needs it, and
everything it puts on the stack is undone at the end.
"""

import contextlib
import ctypes
import errno
import hashlib
import json
import os
import platform
import random
import re
import selectors
import socket
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.environ.get("KCC_TREE") or os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

from kcctest import host, ksft                      # noqa: E402
from kcctest.transfer import congestion             # noqa: E402

# The machine is a guest of the lab: its own default and sysctls may be set.
LAB = "KCC_MACHINE" in os.environ
KVER = platform.release()
SYS_MODULE = "/sys/module/kcc"
DEFAULT_KEY = "net.ipv4.tcp_congestion_control"
NOBODY = 65534
# The same words as LAB_TROUBLE in tests/lab/lib.sh.
TROUBLE = re.compile("WARNING: |BUG: |Oops|Kernel panic|KASAN|UBSAN|suspicious RCU|"
                     "possible (circular|recursive) locking|refcount_t|Call Trace:|"
                     "unreferenced object|general protection|blocked for more than")
# A prime length: no packet size or window repeats with it.
PATTERN = random.Random("kcc").randbytes(65521) * 4
CHUNK = 1 << 16
libc = ctypes.CDLL(None, use_errno=True)


# ---- commands and errors -----------------------------------------------------

def attempt(*command, **keywords):
    """Run a command that may fail; (exit status, all that it said)."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **keywords)
    return done.returncode, done.stdout.strip()


def outcome(function, *arguments):
    """'ok', or the name of the error: 'EPERM'."""
    try:
        function(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    return "ok"


def as_nobody(function, *arguments):
    """outcome() in a child process without any privilege."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "the child failed"
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            said = outcome(function, *arguments)
        finally:
            os.write(write, json.dumps(said).encode())
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        said = json.load(answer)
    os.waitpid(child, 0)
    return said


def write_file(path, text):
    """Write to a file of the kernel; raises the kernel's own OSError."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


# ---- the module --------------------------------------------------------------

def is_loaded():
    """Whether kcc is in the kernel."""
    return os.path.isdir(SYS_MODULE)


def references():
    """How many sockets, namespaces and so on hold the module."""
    with open(f"{SYS_MODULE}/refcnt", encoding="ascii") as file:
        return int(file.read())


def module_file():
    """The kcc.ko to test: $KCC_KO, or the tree's, if it is of this kernel."""
    path = os.environ.get("KCC_KO") or f"{TREE}/kcc.ko"
    if not os.path.exists(path):
        magic = None
    else:
        magic = host.run("modinfo", "-F", "vermagic", path).split(" ")[0]
    if magic != KVER and "KCC_KO" in os.environ:
        raise host.SetupError(f"KCC_KO={path} is " + (
            f"a module for {magic}, this kernel is {KVER}" if magic else "no file"))
    return path if magic == KVER else None


def require_module_file():
    """module_file(), or skip with what to do."""
    path = module_file()
    if not path:
        raise ksft.Skip(f"there is no kcc.ko for {KVER}: run 'make' in {TREE}, "
                        "or name one with KCC_KO=FILE")
    return path


def require_unloaded():
    """Loading and unloading are only tried where nobody else uses kcc."""
    if not is_loaded():
        return
    if not LAB:
        raise ksft.Skip("kcc is loaded already and somebody may need it: 'make unload' first")
    raise host.SetupError("kcc is still loaded: the test before this one left it")


def remove_module():
    """rmmod kcc; (whether it worked, what rmmod said)."""
    status, said = attempt("rmmod", "kcc")
    return status == 0, said


def wait_unused(patience_s=5):
    """Wait until nothing holds the module (closed sockets need a moment)."""
    host.wait_until(lambda: references() == 0, patience_s,
                    f"the module to become free (refcnt {references()})")


@contextlib.contextmanager
def module():
    """kcc in the kernel for a while; one that was there before stays."""
    if is_loaded():
        yield
        return
    path = module_file()
    if path:
        with host.inserted_module(path):
            yield
        return
    if attempt("modprobe", "kcc")[0] != 0:
        require_module_file()
    try:
        yield
    finally:
        wait_unused()
        host.run("modprobe", "-r", "kcc")


class KernelLog:
    """Lines that the kernel logs from now on."""

    def __init__(self):
        self.file = None
        with contextlib.suppress(OSError):
            self.file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self.file, 0, os.SEEK_END)

    def trouble(self):
        """The lines that are warnings, None where the log cannot be read."""
        if self.file is None:
            return None
        found = []
        while True:
            try:
                line = os.read(self.file, 8192).decode("utf-8", "replace")
            except BrokenPipeError:     # overrun: the kernel goes on with the next
                continue
            except BlockingIOError:
                return found
            if TROUBLE.search(line):
                found.append(line.partition(";")[2].strip())


# ---- sockets -----------------------------------------------------------------

def family_of(address):
    """AF_INET or AF_INET6."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def tcp(ns, family=socket.AF_INET, cc=None):
    """A TCP socket of a namespace (a name of ip netns), with an algorithm."""
    with host.inside(ns):
        sock = socket.socket(family, socket.SOCK_STREAM)
    if cc:
        congestion(sock, cc)
    return sock


def listen(ns, address, cc=None):
    """A listening socket."""
    sock = tcp(ns, family_of(address), cc)
    sock.bind((address, 0))
    sock.listen(64)
    sock.settimeout(30)
    return sock


def connect(ns, listener, cc=None):
    """Connect to a listener; (client, accepted socket)."""
    address = listener.getsockname()
    client = tcp(ns, listener.family, cc)
    client.settimeout(30)
    client.connect(address)
    return client, listener.accept()[0]


def disconnect(sock):
    """connect(AF_UNSPEC): the socket can connect again afterwards."""
    if libc.connect(sock.fileno(), bytes(16), 16) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


class Stream:
    """Data from one socket to another: a known pattern, hashed at both ends."""

    def __init__(self, sender, receiver, size=None):
        self.sender, self.receiver, self.size = sender, receiver, size
        self.sent = self.received = 0
        self.sent_hash, self.received_hash = hashlib.sha256(), hashlib.sha256()
        self.ended = False
        sender.setblocking(False)
        receiver.setblocking(False)
        # To be woken for each packet costs an emulated machine much.
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 8192)

    def write(self):
        """Hand the kernel what it takes now; False when all is sent."""
        at = self.sent % 65521
        left = CHUNK if self.size is None else min(CHUNK, self.size - self.sent)
        count = self.sender.send(PATTERN[at:at + left]) if left else 0
        self.sent_hash.update(PATTERN[at:at + count])
        self.sent += count
        if self.sent == self.size:
            self.sender.shutdown(socket.SHUT_WR)
        return self.sent != self.size

    def read(self):
        """Take what is there; False at the end."""
        data = self.receiver.recv(CHUNK)
        self.received_hash.update(data)
        self.received += len(data)
        self.ended = not data
        return bool(data)

    def finish(self):
        """Nothing more to send: the size is what was sent so far."""
        self.size = self.sent
        self.sender.shutdown(socket.SHUT_WR)

    def is_intact(self):
        """Whether all that was sent has come, unchanged."""
        return (self.ended and self.received == self.sent
                and self.sent_hash.digest() == self.received_hash.digest())

    def close(self):
        """Close both ends; what was not sent is thrown away.  An orphan that still
        tries to send would hold the module for minutes once its path is gone."""
        if not self.ended:
            self.sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.sender.close()
        self.receiver.close()


def pump(streams, seconds=None, limit_s=120):
    """Move data for a time, or until all streams have ended; how long it took."""
    begun = time.monotonic()
    end = begun + (limit_s if seconds is None else seconds)
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            if stream.sent != stream.size:
                selector.register(stream.sender, selectors.EVENT_WRITE, stream.write)
            if not stream.ended:
                selector.register(stream.receiver, selectors.EVENT_READ, stream.read)
        while selector.get_map():
            left = end - time.monotonic()
            if left <= 0:
                break
            for key, _mask in selector.select(left):
                if not key.data():
                    selector.unregister(key.fileobj)
    if seconds is None and not all(stream.ended for stream in streams):
        slow = [f"{s.received} of {s.size}" for s in streams if not s.ended]
        raise host.SetupError(f"after {limit_s} s bytes received were {', '.join(slow)}")
    return time.monotonic() - begun


def goodput_mbit(streams, seconds):
    """What arrives over the next seconds, all streams together."""
    before = sum(stream.received for stream in streams)
    took = pump(streams, seconds)
    return (sum(stream.received for stream in streams) - before) * 8e-6 / took


# ---- running -----------------------------------------------------------------

class Setup:
    """Makes env when the first case asks, and says the same error to all."""

    def __init__(self, stack, topology):
        self.stack, self.topology = stack, topology
        self.env = self.error = None

    def get(self):
        """The environment of the cases."""
        if self.error:
            raise self.error
        if self.env is None:
            try:
                if os.geteuid() != 0:
                    raise ksft.Skip("namespaces need root: run this with sudo")
                self.env = self.topology(self.stack)
            except (ksft.Skip, host.SetupError) as error:
                self.error = error
                raise
        return self.env


def run(cases, topology):
    """Run the cases, and last of all look into the kernel's log."""
    host.exit_on_signals()
    log = KernelLog()

    def no_kernel_warning(case, _env):
        found = log.trouble()
        if found is None:
            case.skip("/dev/kmsg cannot be read")
        case.equal("warnings in the kernel's log", found, [])

    status = ksft.FAIL
    try:
        with contextlib.ExitStack() as stack:
            setup = Setup(stack, topology)

            def bind(function):
                def bound(case):
                    function(case, setup.get())
                bound.__name__ = function.__name__
                return bound

            status = ksft.run([bind(f) for f in [*cases, no_kernel_warning]])
    except host.SetupError as error:
        print(f"# after the last test: {error}", flush=True)
        status = ksft.FAIL
    return status
