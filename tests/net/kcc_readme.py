#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The commands of README.md, as they stand there, in a host's order.

Set:   a tree where `make` has run; the default algorithm, qdisc and modules of a
       machine of the lab (nothing is tried elsewhere).
Holds: make install leads to modprobe kcc; each way to select and to observe does
       what README.md says; make unload and make uninstall lead back, and modprobe
       knows kcc no more.

The test of the harness (kcctest/test_readme.py) finds README's commands in here.
"""

import os
import socket
import stat
import subprocess
import sys
from types import SimpleNamespace

import kcclib
from kcclib import congestion, host
from kcctest import ksft, net

TRACE = "/sys/kernel/tracing"
# What a person would put into the capital words of a command.
PLACES = {"DEST": "10.9.0.1", "GATEWAY": "10.0.1.2", "DEV": "e0"}


def topology(stack):
    """A server s beside the first namespace, and the tree, which can be written."""
    if not kcclib.LAB:
        raise ksft.Skip("it changes the host's default: only in a machine of the lab")
    tree = os.environ.get("KCC_BUILT", "")
    if not os.path.exists(f"{tree}/kcc.ko"):
        raise ksft.Skip("there is no built tree: name it with KCC_BUILT=DIR")
    kcclib.require_unloaded()
    os.makedirs("/run/readme/work")
    os.makedirs("/run/readme/upper")
    host.run("mount", "-t", "overlay", "overlay", "-o",
             f"lowerdir={tree},upperdir=/run/readme/upper,workdir=/run/readme/work", tree)
    spaces = stack.enter_context(net.Namespaces())
    spaces.add("s")
    s = spaces.ns["s"]
    host.run("ip", "link", "add", "e0", "type", "veth", "peer", "name", "e0", "netns", s)
    stack.callback(host.run, "ip", "link", "del", "e0")
    host.run("ip", "addr", "add", "10.0.1.1/24", "dev", "e0")
    host.run("ip", "link", "set", "e0", "up")
    for words in ("addr add 10.0.1.2/24 dev e0", "addr add 10.9.0.1/32 dev lo", "link set e0 up"):
        spaces.ip("s", *words.split())
    # The tree was built like this; anything else would be built anew.
    built = {"KDIR": os.path.realpath(f"/lib/modules/{kcclib.KVER}/build"), "W": "1"}
    return SimpleNamespace(tree=tree, s=s, environment={**os.environ, **built})


def run(case, env, command, more=""):
    """A command of README.md; what it prints."""
    for place, value in PLACES.items():
        command = command.replace(place, value)
    done = subprocess.run(["sh", "-c", command + more], cwd=env.tree, env=env.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not case.equal(f"exit status of '{command}'", done.returncode, 0):
        case.note(done.stdout)
    return done.stdout


def connection(env, address="10.0.1.2"):
    """A connection from the first namespace: (client, accepted socket)."""
    with kcclib.listen(env.s, address) as listener:
        return kcclib.connect(None, listener)


def used_by_new_socket(env, address="10.0.1.2"):
    """The algorithm of a new client."""
    one, two = connection(env, address)
    with one, two:
        return congestion(one)


def install(case, env):
    """make install, modprobe kcc, modinfo kcc"""
    said = run(case, env, "make install")
    case.true("it neither compiles again nor complains",
              "  CC " not in said and "rror" not in said, said)
    case.true("kcc is not loaded by that", not kcclib.is_loaded())
    run(case, env, "modprobe kcc")
    case.true("kcc is available", "kcc" in host.available_algorithms())
    said = run(case, env, "modinfo kcc")
    case.true("the installed file", f"/lib/modules/{kcclib.KVER}/updates/kcc.ko" in said, said)
    with open(f"{env.tree}/VERSION", encoding="ascii") as file:
        case.true("its version", f" {file.read().strip()}\n" in said)


def select(case, env):
    """by route, by socket, by namespace; the qdisc"""
    host.run("ip", "route", "add", "10.9.0.1/32", "via", "10.0.1.2", "dev", "e0")
    case.true("a new socket does not use kcc yet", used_by_new_socket(env, "10.9.0.1") != "kcc")
    run(case, env, "ip route change DEST via GATEWAY dev DEV congctl kcc")
    case.equal("a new socket to DEST", used_by_new_socket(env, "10.9.0.1"), "kcc")
    case.true("a new socket to elsewhere", used_by_new_socket(env) != "kcc")

    server = host.popen(None, ["iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
    try:
        host.wait_until(lambda: kcclib.attempt("ss", "-Hltn", "sport = :5201")[1], 10, "iperf3")
        said = run(case, env, "iperf3 -C kcc", " -c 127.0.0.1 -n 100K --json")
        case.true("iperf3 says that it used kcc", '"sender_tcp_congestion":\t"kcc"' in said, said)
    finally:
        host.end_process(server)

    run(case, env, "sysctl -w net.core.default_qdisc=fq")
    case.equal("the default qdisc", host.sysctl_get("net.core.default_qdisc"), "fq")
    run(case, env, "sysctl -w net.ipv4.tcp_congestion_control=kcc")
    case.equal("a new socket", used_by_new_socket(env), "kcc")


def remember(case, env):
    """kcc_kf_enable, kcc_kf_steady_mode, /proc/net/kcc, kcc_kf_flush"""
    run(case, env, "sysctl -w net.kcc.kcc_kf_enable=1")
    run(case, env, "sysctl -w net.kcc.kcc_kf_steady_mode=1")
    for key in ("kcc_kf_enable", "kcc_kf_steady_mode"):
        case.equal(key, host.sysctl_get(f"net.kcc.{key}"), "1")
    case.true("what is known and what became of it",
              run(case, env, "cat /proc/net/kcc").count("\n") > 1)
    run(case, env, "sysctl -w net.kcc.kcc_kf_flush=1")
    for key in ("kcc_kf_enable", "kcc_kf_steady_mode"):
        host.sysctl_set(f"net.kcc.{key}", 0)


def observe(case, env):
    """ss -tin, sysctl net.kcc, the tracepoints"""
    run(case, env, "echo 1 > /sys/kernel/tracing/events/kcc/enable")
    stream = kcclib.Stream(*connection(env), 1_000_000)
    kcclib.pump([stream])
    said = run(case, env, "ss -tin")
    case.true("kcc and its model", " kcc " in said and "bbr:(bw:" in said
              and all(word in said for word in ("mrtt:", "pacing_gain:", "cwnd_gain:")), said)
    stream.close()
    kcclib.write_file(f"{TRACE}/events/kcc/enable", "0")
    with open(f"{TRACE}/trace", encoding="ascii", errors="replace") as file:
        rows = [line for line in file if " kcc_" in line]
    case.check("tracepoints that fired", len(rows), 1)
    said = run(case, env, "sysctl net.kcc")
    keys = sorted(line.split(" = ")[0] for line in said.splitlines())
    folder = "/proc/sys/net/kcc"
    case.equal("keys that can be read", keys,
               [f"net.kcc.{key}" for key in sorted(os.listdir(folder))
                if os.stat(f"{folder}/{key}").st_mode & stat.S_IRUSR])


def go_back(case, env):
    """cubic again, make unload, make uninstall"""
    with kcclib.listen(env.s, "10.0.1.2") as listener:
        one, two = kcclib.connect(None, listener)
    run(case, env, "sysctl -w net.ipv4.tcp_congestion_control=cubic")
    case.equal("a socket from before, a new one", (congestion(one), used_by_new_socket(env)),
               ("kcc", "cubic"))
    one.close()
    two.close()
    host.run("ip", "route", "del", "10.9.0.1/32")
    kcclib.wait_unused()
    # README says that unload takes care of namespaces, this one's default included.
    host.sysctl_set(kcclib.DEFAULT_KEY, "kcc")
    run(case, env, "make unload")
    case.true("kcc is not loaded", not kcclib.is_loaded())
    case.equal("the default", host.sysctl_get(kcclib.DEFAULT_KEY), "cubic")
    case.equal("modprobe kcc, still installed", kcclib.attempt("modprobe", "kcc"), (0, ""))
    case.equal("modprobe -r kcc", kcclib.attempt("modprobe", "-r", "kcc"), (0, ""))
    run(case, env, "make uninstall")
    status, said = kcclib.attempt("modprobe", "kcc")
    case.true("modprobe kcc fails now", status != 0 and "not found" in said, said)
    status, said = kcclib.attempt("sysctl", "-w", f"{kcclib.DEFAULT_KEY}=kcc")
    case.true("to select it fails", status != 0 or "No such file" in said, said)
    case.equal("the default after that", host.sysctl_get(kcclib.DEFAULT_KEY), "cubic")


if __name__ == "__main__":
    socket.setdefaulttimeout(30)
    sys.exit(kcclib.run([install, select, remember, observe, go_back], topology))
