#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Installing the module for the running kernel, and its loading by name.

Set:   make dkms-install and make dkms-remove of the sources; the default of a
       namespace of our own.
Holds: DKMS builds, installs and knows the module; modprobe loads it by name and
       by alias; so does root by choosing kcc (sysctl or setsockopt), and nobody
       else: ENOENT; after make dkms-remove nothing is left.

In the lab, a kernel whose build tools do not run on this system gets the file
KCC_KO installed instead (the same tests, without DKMS).  Nothing is tried where
kcc is loaded or installed already.
"""

import os
import re
import shutil
import sys
from types import SimpleNamespace

import kcclib
from kcclib import KVER, congestion, host
from kcctest import ksft, net

MODULES = f"/lib/modules/{KVER}"
DKMS_STATE = "/var/lib/dkms"
WITH_DKMS = os.path.exists(f"{MODULES}/build/Makefile") or not (
    kcclib.LAB and "KCC_KO" in os.environ)
# The keys that DKMS makes for signing are the host's, not ours.
NOT_OURS = re.compile(r"/modules\.[^/]*$|/mok\.|/dkms_dbversion$")


def topology(stack):
    """A namespace; folders that can be written to."""
    kcclib.require_unloaded()
    if kcclib.attempt("modinfo", "kcc")[0] == 0:
        raise ksft.Skip("kcc is installed already: 'make dkms-remove' or 'make uninstall' first")
    if WITH_DKMS:
        if kcclib.attempt("sh", "-c", "command -v dkms")[0] != 0:
            raise ksft.Skip("there is no dkms (Debian: apt-get install dkms)")
        if not os.path.exists(f"{MODULES}/build/Makefile"):
            raise ksft.Skip(f"no kernel headers (Debian: apt-get install linux-headers-{KVER})")
        for folder in ("/usr/src", DKMS_STATE):
            if kcclib.LAB and not os.access(folder, os.W_OK):
                host.run("mount", "-t", "tmpfs", "tmpfs", folder)
    env = SimpleNamespace(before=files(), spaces=stack.enter_context(net.Namespaces()))
    env.spaces.add("c")
    env.c = env.spaces.ns["c"]
    stack.callback(clean_up)
    return env


def clean_up():
    """Whatever a failed case has left."""
    if kcclib.is_loaded():
        kcclib.attempt("modprobe", "-r", "kcc")
    if WITH_DKMS and "tcp-kcc" in kcclib.attempt("dkms", "status", "-m", "tcp-kcc")[1]:
        kcclib.attempt("make", "-C", kcclib.TREE, "dkms-remove")


def files():
    """Every file where an installation may leave something."""
    found = set()
    for top in (MODULES, "/usr/src", DKMS_STATE):
        for folder, below, names in os.walk(top):
            if folder == "/usr/src":
                below[:] = [name for name in below if "kcc" in name]
            found.update(f"{folder}/{name}" for name in names)
    return {name for name in found if not NOT_OURS.search(name)}


def make(case, target):
    """Run a target of the Makefile; its last words are shown if it fails."""
    status, said = kcclib.attempt("make", "-C", kcclib.TREE, target, f"KVER={KVER}")
    if not case.equal(f"exit status of make {target}", status, 0):
        case.note("\n".join(said.splitlines()[-30:]))
        for log in (f for f in files() if f.endswith("/make.log")):
            case.note(kcclib.attempt("tail", "-n", 30, log)[1])


def dkms_installs(case, _env):
    """make dkms-install: DKMS has added, built and installed it"""
    case.note("building in place; an emulated machine takes some minutes")
    make(case, "dkms-install")
    _status, said = kcclib.attempt("dkms", "status", "-m", "tcp-kcc", "-k", KVER)
    case.true("dkms status says installed", re.search(rf"{re.escape(KVER)}.*: installed", said), said)


def file_installs(case, _env):
    """the file KCC_KO is copied to updates/"""
    case.note(f"the build tools of {KVER} do not run here: DKMS is tried on other kernels")
    os.makedirs(f"{MODULES}/updates", exist_ok=True)
    shutil.copy(kcclib.require_module_file(), f"{MODULES}/updates/kcc.ko")
    case.equal("depmod", kcclib.attempt("depmod", KVER), (0, ""))


def modinfo_finds_it(case, _env):
    """modinfo knows it by name: file, version, alias, kernel"""
    def field(name):
        return kcclib.attempt("modinfo", "-F", name, "kcc")[1]
    folder = f"{MODULES}/updates/dkms/" if WITH_DKMS else f"{MODULES}/updates/"
    case.true("file", re.fullmatch(rf"{re.escape(folder)}kcc\.ko(\.\w+)?", field("filename")),
              field("filename"))
    with open(f"{kcclib.TREE}/VERSION", encoding="ascii") as file:
        case.equal("version", field("version"), file.read().strip())
    case.true("alias", "tcp_kcc" in field("alias").split(), field("alias"))
    case.equal("kernel", field("vermagic").split(" ")[0], KVER)


def modprobe_loads(case, _env):
    """modprobe kcc, modprobe tcp_kcc, modprobe -r kcc"""
    for name in ("kcc", "tcp_kcc"):
        case.equal(f"modprobe {name}", kcclib.attempt("modprobe", name), (0, ""))
        case.true("kcc is available", "kcc" in host.available_algorithms())
        case.equal("modprobe -r kcc", kcclib.attempt("modprobe", "-r", "kcc"), (0, ""))
        case.true("kcc is gone", not kcclib.is_loaded())


def nobody_loads_nothing(case, env):
    """TCP_CONGESTION without privilege is ENOENT, not a way to load modules"""
    with kcclib.tcp(env.c) as sock:
        case.equal("setsockopt as nobody", kcclib.as_nobody(congestion, sock, "kcc"), "ENOENT")
    case.true("kcc is not loaded", not kcclib.is_loaded())


def choosing_loads(case, env):
    """root who chooses kcc loads it: sysctl -w, setsockopt"""
    key = kcclib.DEFAULT_KEY
    case.equal("sysctl -w", kcclib.attempt("ip", "netns", "exec", env.c, "sysctl", "-w",
                                           f"{key}=kcc"), (0, f"{key} = kcc"))
    case.true("it has loaded kcc", kcclib.is_loaded())
    case.equal("the default", host.sysctl_get(key, env.c), "kcc")
    host.sysctl_set(key, "reno", env.c)
    case.equal("modprobe -r kcc", kcclib.attempt("modprobe", "-r", "kcc"), (0, ""))
    with kcclib.tcp(env.c) as sock:
        case.equal("setsockopt as root", kcclib.outcome(congestion, sock, "kcc"), "ok")
        case.true("it has loaded kcc", kcclib.is_loaded())
    case.equal("modprobe -r kcc again", kcclib.attempt("modprobe", "-r", "kcc"), (0, ""))


def removal_leaves_nothing(case, env):
    """make dkms-remove: no file, no module, nothing that DKMS knows"""
    if WITH_DKMS:
        make(case, "dkms-remove")
        case.equal("dkms status", kcclib.attempt("dkms", "status", "-m", "tcp-kcc"), (0, ""))
    else:
        os.remove(f"{MODULES}/updates/kcc.ko")
        case.equal("depmod", kcclib.attempt("depmod", KVER), (0, ""))
    case.equal("files that were not there before", sorted(files() - env.before), [])
    case.equal("files that are missing now", sorted(env.before - files()), [])
    case.true("modprobe kcc fails", kcclib.attempt("modprobe", "kcc")[0] != 0)
    case.equal("setsockopt as root", choose_as_root(env), "ENOENT")


def choose_as_root(env):
    """What root gets for choosing kcc."""
    with kcclib.tcp(env.c) as sock:
        return kcclib.outcome(congestion, sock, "kcc")


CASES = [dkms_installs if WITH_DKMS else file_installs, modinfo_finds_it, modprobe_loads,
         nobody_loads_nothing, choosing_loads, removal_leaves_nothing]

if __name__ == "__main__":
    sys.exit(kcclib.run(CASES, topology))
