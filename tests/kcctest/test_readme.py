# SPDX-License-Identifier: GPL-2.0
"""Every command of README.md is run by a test."""

import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = "tests/net/kcc_readme.py"    # runs them as they stand

# Those that are run elsewhere: the test, and the words by which it runs them.
ELSEWHERE = {
    "make demo": ("tests/ab", "make demo"),
    "make check": (".ci/run", "make check"),
    "make help": ("tests/lint", "make help"),
    "make deb": ("tests/package", "make deb"),
    "apt-get install ./out/deb/kcc-dkms_*.deb":
        ("tests/package", "apt-get install ./out/deb/kcc-dkms_*.deb"),
    "apt-get install build-essential linux-headers-amd64":
        ("tests/package", "need build-essential"),
    "make dkms-install": ("tests/net/kcc_dkms.py", 'make(case, "dkms-install")'),
    "make dkms-remove": ("tests/net/kcc_dkms.py", 'make(case, "dkms-remove")'),
    "make -C tests/net run_tests": ("tests/selftest", 'make -s -C "$LAB_TOP/tests/net" run_tests'),
    'setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "kcc", 3)':
        ("tests/net/kcc_select.py", 'as_nobody(congestion, sock, "kcc")'),
}
# What no test can do, and why.
NOT_RUN = {
    "mokutil --import /var/lib/dkms/mok.pub": "needs EFI, and a person at the next boot",
}


def read(path):
    """A file of the repository."""
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def commands(text):
    """The lines of all sh blocks, without their comments, and whatever else is
    set in code and has more than one word."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    lines = [re.sub(r"(^|\s+)#.*", "", line) for block in blocks for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    spans = [span for span in re.findall(r"`([^`\n]+)`", prose) if " " in span]
    return {command.strip() for command in lines + spans if command.strip()}


class Readme(unittest.TestCase):
    """README.md, read like a person who types what is in it."""

    def test_commands_are_found(self):
        """In blocks and in text; comments and single words are none."""
        text = "a `make x` and `word`\n```sh\nls -l   # why\n# nothing\n\nmake y\n```\n"
        self.assertEqual(commands(text), {"make x", "ls -l", "make y"})

    def test_each_command_is_run(self):
        """By the test that is said to do it."""
        found = commands(read("README.md"))
        self.assertGreater(len(found), 15)
        for command in sorted(found - set(NOT_RUN)):
            path, words = ELSEWHERE.get(command, (HERE, f'"{command}"'))
            self.assertTrue(words in read(path),
                            f"{path} does not run '{command}' of README.md")

    def test_tables_are_current(self):
        """Nothing in them that README.md no longer says."""
        self.assertEqual({*ELSEWHERE, *NOT_RUN} - commands(read("README.md")), set())

    def test_blocks_are_marked(self):
        """A block without a language would escape these tests."""
        marks = re.findall(r"^```(.*)$", read("README.md"), re.M)
        self.assertEqual(set(marks[::2]), {"sh"})
