# SPDX-License-Identifier: GPL-2.0
"""Commands, namespaces' insides and undoing, with errors that say what to do.

Everything that touches the machine goes through here, so that a failure names
the command, what it said, and where it was run.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import time

CLONE_NEWNET = 0x40000000
NETNS_DIR = "/run/netns"
_libc = ctypes.CDLL(None, use_errno=True)


class SetupError(Exception):
    """The test could not be set up; the message says what to do about it."""


def run(*command, stdin=None, ok_codes=(0,)):
    """Run a command to its end and return its standard output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, text=True)
    except FileNotFoundError:
        raise SetupError(f"the command '{words[0]}' is not installed") from None
    if done.returncode not in ok_codes:
        said = (done.stderr or done.stdout).strip() or f"exit status {done.returncode}"
        if "kind is unknown" in said or "not supported" in said:
            said += " (this kernel lacks that module; every machine of the lab has it, " \
                    "see tests/lab/run --list)"
        raise SetupError(f"'{' '.join(words)}' failed: {said}")
    return done.stdout


def require_root():
    """Namespaces need root; say so before anything else fails oddly."""
    if os.geteuid() != 0:
        raise SetupError("network namespaces need root: run this with sudo, "
                         "or in a machine of the lab with tests/lab/run")


def require_commands(*names):
    """Fail at once, naming every command that is missing."""
    path = os.environ.get("PATH", os.defpath).split(":") + ["/usr/sbin", "/sbin"]
    missing = [n for n in names
               if not any(os.access(os.path.join(d, n), os.X_OK) for d in path)]
    if missing:
        raise SetupError(f"missing commands: {', '.join(missing)}; on Debian: "
                         "apt-get install iproute2 ethtool iperf3 kmod")


def _setns(fd):
    if _libc.setns(fd, CLONE_NEWNET) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"setns: {os.strerror(code)}")


def syscall(number, *arguments):
    """A system call that the C library has no name for."""
    result = _libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def enter(name):
    """Move the calling process into a network namespace for good."""
    fd = os.open(f"{NETNS_DIR}/{name}", os.O_RDONLY)
    try:
        _setns(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def inside(name):
    """Be in a network namespace for a while; None is the one we are in.

    Sockets opened inside stay inside, and /proc/sys/net shows that namespace,
    which saves a fork for each setting and each sample.
    """
    if name is None:
        yield
        return
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        enter(name)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


def sysctl_path(key):
    """net.ipv4.tcp_ecn -> /proc/sys/net/ipv4/tcp_ecn"""
    return "/proc/sys/" + key.replace(".", "/")


def sysctl_get(key, ns=None):
    """The value of a sysctl as text, or None if this kernel has no such key."""
    with inside(ns):
        try:
            with open(sysctl_path(key), encoding="ascii") as file:
                return " ".join(file.read().split())
        except FileNotFoundError:
            return None


def sysctl_set(key, value, ns=None, optional=False):
    """Set one sysctl; an optional one may be missing (older kernels)."""
    with inside(ns):
        try:
            with open(sysctl_path(key), "w", encoding="ascii") as file:
                file.write(f"{value}\n")
        except FileNotFoundError:
            if not optional:
                raise SetupError(f"this kernel has no sysctl {key}; is the module "
                                 "that brings it loaded?") from None
        except OSError as error:
            raise SetupError(f"sysctl {key} = {value}: {error.strerror}") from None


def popen(ns, command, **keywords):
    """Start a command inside a namespace, in a process group of its own so
    that ^C reaches us first and we end it in order."""
    return subprocess.Popen([str(word) for word in command],
                            preexec_fn=(lambda: enter(ns)) if ns else None,
                            start_new_session=True, **keywords)


def end_process(process, patience_s=2.0):
    """End one process that we started, politely first."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(condition, timeout_s, what, step_s=0.01):
    """Poll a condition; its first true value is returned.  Never a fixed sleep:
    that is too long on a fast machine and too short on a slow one."""
    end = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise SetupError(f"waited {timeout_s:g} s in vain for {what}")
        time.sleep(step_s)


def exit_on_signals():
    """Turn SIGTERM and SIGHUP into an exception, so that undo code runs."""
    def stop(number, _frame):
        raise SystemExit(128 + number)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)


def available_algorithms():
    """The congestion control algorithms this kernel has loaded."""
    return (sysctl_get("net.ipv4.tcp_available_congestion_control") or "").split()


def require_algorithm(name):
    """Fail if an algorithm is not there (loading it first if modprobe can)."""
    if name in available_algorithms():
        return
    subprocess.run(["modprobe", "-q", f"tcp_{name}"], check=False,
                   stderr=subprocess.DEVNULL)
    if name not in available_algorithms():
        raise SetupError(f"congestion control '{name}' is not available "
                         f"(there are: {' '.join(available_algorithms())}); load its "
                         "module first, or give --insmod PATH/TO/kcc.ko")


@contextlib.contextmanager
def inserted_module(path):
    """Insert a module file and take it out again; no path, no module."""
    if not path:
        yield
        return
    name = run("modinfo", "-F", "name", path).strip()
    if os.path.isdir(f"/sys/module/{name}"):
        raise SetupError(f"a module {name} is loaded already: 'rmmod {name}' first, "
                         "or leave --insmod out to use the loaded one")
    run("insmod", path)
    try:
        yield
    finally:
        # Namespaces die asynchronously and each holds a reference until then.
        wait_until(lambda: subprocess.run(["rmmod", name], check=False,
                                          capture_output=True).returncode == 0,
                   10, f"module {name} to become free", 0.1)
