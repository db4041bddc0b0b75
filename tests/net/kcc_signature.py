#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A kernel that demands signatures, as with Secure Boot.

Set:   module.sig_enforce=1: on a host by whoever booted it; in the lab here, and
       that machine takes no unsigned module from then on.
Holds: an unsigned kcc.ko is refused with the words that README.md explains, and
       nothing of it stays in the kernel.
"""

import os
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import kcclib
from kcclib import host
from kcctest import ksft

ENFORCE = "/sys/module/module/parameters/sig_enforce"
HINT = "Key was rejected by service"


def topology(stack):
    """The module without a signature; the kernel that wants one."""
    kcclib.require_unloaded()
    file = kcclib.require_module_file()
    if not os.path.exists(ENFORCE):
        raise ksft.Skip("this kernel knows no signatures (CONFIG_MODULE_SIG)")
    if host.run("modinfo", "-F", "signer", file).strip():
        unsigned = stack.enter_context(tempfile.NamedTemporaryFile(suffix=".ko")).name
        subprocess.run(["strip", "--strip-debug", "-o", unsigned, file], check=True)
        file = unsigned
    if kcclib.LAB:
        # The same file is taken without enforcement: the signature is what matters.
        with host.inserted_module(file):
            pass
        kcclib.write_file(ENFORCE, "1")
    with open(ENFORCE, encoding="ascii") as answer:
        if answer.read().strip() != "Y":
            raise ksft.Skip("signatures are not demanded here: boot with module.sig_enforce=1")
    return SimpleNamespace(file=file)


def unsigned_is_refused(case, env):
    """insmod says that the key was rejected, and kcc is not there"""
    status, said = kcclib.attempt("insmod", env.file)
    case.true("insmod fails", status != 0)
    case.true(f"it says '{HINT}'", HINT in said, said)
    case.true("kcc is not loaded", not kcclib.is_loaded())
    case.true("kcc is not available", "kcc" not in host.available_algorithms())


def readme_explains_it(case, _env):
    """README.md has these words, and what to do"""
    path = f"{kcclib.TREE}/README.md"
    if not os.path.exists(path):
        case.skip(f"there is no {path}: name the sources of KCC with KCC_TREE=DIR")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    case.true("the message", f'"{HINT}"' in text)
    case.true("the remedy", "mokutil --import" in text)


if __name__ == "__main__":
    sys.exit(kcclib.run([unsigned_is_refused, readme_explains_it], topology))
