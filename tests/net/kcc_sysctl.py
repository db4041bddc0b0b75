#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""net.kcc.*: the settings of each namespace.

Set:   every key at, inside and outside its bounds, in namespaces of our own (in
       the lab also in the first one).
Holds: the keys of KEYS and no others, with their defaults; a value outside the
       bounds, or no number, is EINVAL and changes nothing; a new namespace has
       the values that the first one has at that moment; from then on they are
       its own; nobody but its root may write them; a connection uses them.
"""

import ctypes
import os
import sys
from types import SimpleNamespace

import kcclib
from kcclib import host
from kcctest import net, netlink

# key: default, smallest, largest
KEYS = {
    "kcc_high_gain": (2885, 1000, 3996),
    "kcc_rtt_mode": (0, 0, 1),
    "kcc_probe_rtt_decouple": (1, 0, 1),
    "kcc_ecn_enable": (0, 0, 1),
    "kcc_kf_enable": (0, 0, 1),
    "kcc_kf_steady_mode": (0, 0, 1),
    "kcc_kf_discount": (50, 1, 100),
    "kcc_kf_scope": (0, 0, 2),
    "kcc_kf_max_age": (600, 1, 86400),
    "kcc_kf_entries": (4096, 0, 1048576),
}
FLUSH = "kcc_kf_flush"      # takes 1, gives nothing
FOLDER = "/proc/sys/net/kcc"
NO_NUMBERS = ("-1", "4294967296", "18446744073709551616", "abc", "1x", "0x", "1.5", "\n")
CLONE_NEWUSER = 0x10000000


def topology(stack):
    """Two namespaces and a link."""
    stack.enter_context(kcclib.module())
    spaces = stack.enter_context(net.Namespaces())
    spaces.add("c", "s")
    spaces.link("c", "e0", "s", "e0", 1)
    return SimpleNamespace(spaces=spaces, c=spaces.ns["c"], s=spaces.ns["s"])


def read_all(ns):
    """{key: value} of a namespace."""
    with host.inside(ns):
        names = sorted(name for name in os.listdir(FOLDER) if name != FLUSH)
    return {name: int(host.sysctl_get(f"net.kcc.{name}", ns)) for name in names}


def write(ns, key, text):
    """Write a key; 'ok' or the name of the error."""
    with host.inside(ns):
        return kcclib.outcome(kcclib.write_file, f"{FOLDER}/{key}", text)


def expected(ns):
    """What a namespace created now has to hold: on a host, the first one's values."""
    return read_all(ns) if ns is None and not kcclib.LAB else {
        key: value[0] for key, value in KEYS.items()}


def keys_and_defaults(case, env):
    """every key is there, nothing else, with its default, mode 0644 of root"""
    case.equal("keys", sorted(read_all(env.c)), sorted(KEYS))
    case.equal("values of a new namespace", read_all(env.c), expected(None))
    if kcclib.LAB:
        case.equal("values of the first namespace", read_all(None), expected(None))
    with host.inside(env.c):
        modes = {(f"{os.stat(f'{FOLDER}/{key}').st_mode & 0o777:o}",
                  os.stat(f"{FOLDER}/{key}").st_uid) for key in KEYS}
    case.equal("modes and owners", modes, {("644", 0)})


def bounds_are_enforced(case, env):
    """the bounds themselves are taken, what is outside or no number is EINVAL"""
    for key, (default, low, high) in KEYS.items():
        for value in (high, low, default):
            case.equal(f"{key} = {value}", write(env.c, key, str(value)), "ok")
            case.equal(f"{key} reads", read_all(env.c)[key], value)
        wrong = [*NO_NUMBERS, str(high + 1)] + ([str(low - 1)] if low else [])
        said = {text: write(env.c, key, text) for text in wrong}
        case.equal(f"{key}: refused", {t for t, s in said.items() if s == "EINVAL"}, set(wrong))
        case.equal(f"{key} after that", read_all(env.c)[key], default)


def flush_is_write_only(case, env):
    """kcc_kf_flush takes 1 and nothing else, and cannot be read"""
    with host.inside(env.c):
        path = f"{FOLDER}/{FLUSH}"
        case.equal("mode", f"{os.stat(path).st_mode & 0o777:o}", "200")
        case.equal("read", kcclib.outcome(lambda: open(path, "rb").close()), "EACCES")
    case.equal("1", write(env.c, FLUSH, "1"), "ok")
    wrong = [*NO_NUMBERS, "0", "2"]
    case.equal("refused", [t for t in wrong if write(env.c, FLUSH, t) == "EINVAL"], wrong)


def namespaces_are_isolated(case, env):
    """a value that is written in one namespace is read in no other"""
    before = {ns: read_all(ns) for ns in (None, env.s)}
    for key, (default, low, high) in KEYS.items():
        case.equal(f"{key} written in one", write(env.c, key, str(low if default == high else high)),
                   "ok")
    case.equal("the other namespace", read_all(env.s), before[env.s])
    case.equal("the first namespace", read_all(None), before[None])
    for key in KEYS:
        write(env.c, key, str(before[env.s][key]))
    case.equal("written back", read_all(env.c), before[env.s])


def namespace_inherits_at_creation(case, env):
    """a new namespace copies the first one's values, later changes do not reach it"""
    others = {key: low if default == high else high
              for key, (default, low, high) in KEYS.items()}
    before = read_all(None)
    with net.Namespaces() as heirs:
        if not kcclib.LAB:      # the host's own settings are left alone
            heirs.add("heir")
            case.equal("the heir", read_all(heirs.ns["heir"]), before)
            return
        try:
            for key, value in others.items():
                write(None, key, str(value))
            case.equal("the first namespace", read_all(None), others)
            heirs.add("heir")
        finally:
            for key, value in before.items():
                write(None, key, str(value))
        case.equal("the first namespace again", read_all(None), before)
        case.equal("the heir", read_all(heirs.ns["heir"]), others)
        case.equal("a namespace from before", read_all(env.c), before)


def only_root_writes(case, env):
    """nobody can read but not write; the root of a user namespace writes its own"""
    with host.inside(env.c):
        path = f"{FOLDER}/kcc_rtt_mode"
        case.equal("read as nobody", kcclib.as_nobody(lambda: open(path, "rb").close()), "ok")
        case.equal("write as nobody", kcclib.as_nobody(kcclib.write_file, path, "1"), "EACCES")
    case.equal("value", read_all(env.c)["kcc_rtt_mode"], KEYS["kcc_rtt_mode"][0])

    def own_namespace():
        if kcclib.libc.unshare(CLONE_NEWUSER | host.CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        if sorted(os.listdir(FOLDER)) != sorted([*KEYS, FLUSH]):
            raise OSError("keys are missing")
        kcclib.write_file(f"{FOLDER}/kcc_rtt_mode", "1")

    said = kcclib.as_nobody(own_namespace)
    if said in ("EPERM", "ENOSPC", "EINVAL"):
        case.note(f"not tried here: an unprivileged user namespace ({said})")
    else:
        case.equal("write in a namespace of one's own", said, "ok")
    case.equal("the first namespace", read_all(None)["kcc_rtt_mode"], expected(None)["kcc_rtt_mode"])


def startup_gain(env, value):
    """The pacing gain of a connection's first rounds at a value of kcc_high_gain."""
    env.spaces.sysctl("c", "net.kcc.kcc_high_gain", value)
    with kcclib.listen(env.s, "10.0.1.2") as listener:
        stream = kcclib.Stream(*kcclib.connect(env.c, listener, "kcc"), 5000)
    kcclib.pump([stream])
    reader = netlink.SocketReader(env.c)
    port = stream.sender.getsockname()[1]
    gains = [s.get("pacing_gain") for s in reader.read() if s["local_port"] == port]
    reader.close()
    stream.close()
    return gains[0] if gains else None


def connections_use_them(case, env):
    """kcc_high_gain of the socket's own namespace decides its first gain"""
    default = startup_gain(env, 2885)
    halved = startup_gain(env, 1442)
    env.spaces.sysctl("s", "net.kcc.kcc_high_gain", 3996)
    other = startup_gain(env, 2885)
    env.spaces.sysctl("s", "net.kcc.kcc_high_gain", 2885)
    case.check("gain at the default", default, 2.5, 4.1)
    case.check("gain at half of it", halved, default * 0.45, default * 0.55)
    case.equal("gain when the receiver's namespace says something else", other, default)


if __name__ == "__main__":
    sys.exit(kcclib.run([keys_and_defaults, bounds_are_enforced, flush_is_write_only,
                         namespaces_are_isolated,
                         namespace_inherits_at_creation, only_root_writes,
                         connections_use_them], topology))
