#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Loading and unloading the module.

Sent:  100 kB between two namespaces after each of 20 insertions.
Set:   the default algorithm of a namespace (in the lab also of the first one).
Holds: modinfo says what the module is; no insertion leaves a reference, an
       algorithm or a sysctl behind; rmmod is refused while a socket or a
       namespace uses kcc, and works as soon as none does; scripts/unload.sh
       tells why not and takes kcc away from named namespaces.

Nothing is tried if kcc was loaded before (except in the lab).
"""

import contextlib
import os
import sys
from types import SimpleNamespace

import kcclib
from kcclib import congestion, host
from kcctest import net

CYCLES = 20
SIZE = 100_000
KMEMLEAK = "/sys/kernel/debug/kmemleak"


def topology(stack):
    """A client c and a server s, one link; the module is not loaded."""
    kcclib.require_unloaded()
    env = SimpleNamespace(file=kcclib.require_module_file(),
                          spaces=stack.enter_context(net.Namespaces()))
    env.spaces.add("c", "s")
    env.spaces.link("c", "e0", "s", "e0", 1)
    env.c, env.s = env.spaces.ns["c"], env.spaces.ns["s"]
    return env


@contextlib.contextmanager
def inserted(env):
    """The module, taken away at the end of a case even if it fails."""
    host.run("insmod", env.file)
    try:
        yield
    finally:
        if kcclib.is_loaded():
            host.sysctl_set(kcclib.DEFAULT_KEY, "reno", env.c)
            kcclib.wait_unused()
            host.run("rmmod", "kcc")


@contextlib.contextmanager
def kcc_sockets(env):
    """A connection that uses kcc."""
    with kcclib.listen(env.s, "10.0.1.2") as listener:
        one, two = kcclib.connect(env.c, listener, "kcc")
    with one, two:
        yield one, two


def module_says_what_it_is(case, env):
    """name, alias, licence, version, description"""
    def field(name):
        return host.run("modinfo", "-F", name, env.file).split("\n")
    case.equal("name", field("name")[0], "kcc")
    case.true("alias tcp_kcc, by which the kernel asks for it", "tcp_kcc" in field("alias"))
    case.equal("licence", field("license")[0], "GPL")
    case.true("description", field("description")[0].startswith("KCC: "))
    case.true("author", field("author")[0])
    case.equal("depends on", field("depends")[0], "")
    version = f"{kcclib.TREE}/VERSION"
    if os.path.exists(version):
        with open(version, encoding="ascii") as file:
            case.equal("version, as in the file VERSION", field("version")[0], file.read().strip())
    with inserted(env), open(f"{kcclib.SYS_MODULE}/version", encoding="ascii") as file:
        case.equal("version in /sys/module/kcc", file.read().strip(), field("version")[0])


def remains(env):
    """What of kcc is still in the kernel."""
    found = [name for name in host.available_algorithms() if name == "kcc"]
    for ns in (None, env.c, env.s):
        found += ["net.kcc"] if host.sysctl_get("net.kcc.kcc_high_gain", ns) else []
    return found + (["/sys/module/kcc"] if kcclib.is_loaded() else [])


def repeated_load_leaves_nothing(case, env):
    """insmod, transfer, rmmod, 20 times"""
    default = host.sysctl_get(kcclib.DEFAULT_KEY)
    intact = 0
    for _ in range(CYCLES):
        host.run("insmod", env.file)
        if host.sysctl_get(kcclib.DEFAULT_KEY) != default:
            case.true("the default algorithm stays as it was", False)
        with kcc_sockets(env) as (one, two):
            stream = kcclib.Stream(one, two, SIZE)
            used = congestion(one)
            kcclib.pump([stream])
        intact += stream.is_intact() and used == "kcc"
        kcclib.wait_unused()
        gone, said = kcclib.remove_module()
        if not gone:
            case.true("rmmod works while nothing uses kcc", False, said)
            break
        if remains(env):
            case.equal("left after rmmod", remains(env), [])
            break
    case.equal("insertions with an intact transfer and a clean removal", intact, CYCLES)
    if os.path.exists(KMEMLEAK):
        kcclib.write_file(KMEMLEAK, "scan")
        with open(KMEMLEAK, encoding="ascii", errors="replace") as file:
            case.equal("leaked memory", file.read(), "")


def second_load_is_refused(case, env):
    """insmod of a loaded module says so and harms nothing"""
    with inserted(env):
        status, said = kcclib.attempt("insmod", env.file)
        case.true("the second insmod is refused", status != 0 and "exists" in said, said)
        case.true("kcc is still there", "kcc" in host.available_algorithms())


def socket_keeps_module(case, env):
    """rmmod is refused while a socket uses kcc"""
    with inserted(env):
        with kcc_sockets(env) as (one, two):
            gone, said = kcclib.remove_module()
            case.true("rmmod is refused", not gone and "in use" in said, said)
            case.check("references", kcclib.references(), 1, 2)
            stream = kcclib.Stream(one, two, SIZE)
            kcclib.pump([stream])
            case.true("the socket still works", stream.is_intact())
        kcclib.wait_unused()
        case.equal("rmmod after the socket is closed", kcclib.remove_module(), (True, ""))


def namespace_keeps_module(case, env):
    """rmmod is refused while kcc is the default of a namespace"""
    with inserted(env):
        host.sysctl_set(kcclib.DEFAULT_KEY, "kcc", env.c)
        gone, said = kcclib.remove_module()
        case.true("rmmod is refused", not gone and "in use" in said, said)
        host.sysctl_set(kcclib.DEFAULT_KEY, "reno", env.c)
        case.equal("rmmod after the default is another", kcclib.remove_module(), (True, ""))


def heir_keeps_module(case, env):
    """a namespace that inherited kcc holds the module when the first lets go

    Only in the lab, because it needs the default of the first namespace.
    """
    default = host.sysctl_get(kcclib.DEFAULT_KEY)
    with inserted(env), net.Namespaces() as heirs:
        host.sysctl_set(kcclib.DEFAULT_KEY, "kcc")
        heirs.add("heir")
        host.sysctl_set(kcclib.DEFAULT_KEY, default)
        heir = heirs.ns["heir"]
        case.equal("default of the heir", host.sysctl_get(kcclib.DEFAULT_KEY, heir), "kcc")
        case.true("rmmod is refused", not kcclib.remove_module()[0])
        with kcclib.listen(heir, "127.0.0.1") as listener:
            one, two = kcclib.connect(heir, listener)
        with one, two:
            case.equal("its sockets use", congestion(one), "kcc")
            host.sysctl_set(kcclib.DEFAULT_KEY, "reno", heir)
            case.true("rmmod is refused while its sockets live", not kcclib.remove_module()[0])
        kcclib.wait_unused()
        case.equal("rmmod at last", kcclib.remove_module(), (True, ""))


def unload_script_explains(case, env):
    """scripts/unload.sh names what holds kcc, and frees named namespaces"""
    script = f"{kcclib.TREE}/scripts/unload.sh"
    if not os.path.exists(script):
        case.skip(f"there is no {script}: name the sources of KCC with KCC_TREE=DIR")
    with inserted(env):
        host.sysctl_set(kcclib.DEFAULT_KEY, "kcc", env.c)
        with kcc_sockets(env):
            status, said = kcclib.attempt(script, "reno")
            case.equal("exit status while a socket lives", status, 1)
            case.true("it names the namespace of the socket", env.c in said, said)
        kcclib.wait_unused()
        host.sysctl_set(kcclib.DEFAULT_KEY, "kcc", env.c)
        status, said = kcclib.attempt(script, "reno")
        case.equal("exit status while only a default is kcc", status, 0)
        case.true("the module is gone", not kcclib.is_loaded(), said)
        case.equal("default of the namespace", host.sysctl_get(kcclib.DEFAULT_KEY, env.c), "reno")
    status, said = kcclib.attempt(script)
    case.equal("without the module", (status, said), (0, "kcc is not loaded"))


CASES = [module_says_what_it_is, repeated_load_leaves_nothing, second_load_is_refused,
         socket_keeps_module, namespace_keeps_module, unload_script_explains]
if kcclib.LAB:
    CASES.insert(5, heir_keeps_module)

if __name__ == "__main__":
    sys.exit(kcclib.run(CASES, topology))
