# SPDX-License-Identifier: GPL-2.0
"""KTAP output for network tests, as the kernel's selftests print it.

A test file holds case functions that take a Case, and ends with

    sys.exit(ksft.run([first_case, second_case]))

Exit status: 0 passed, 1 failed, 4 all skipped.  KCC_EXPECT_ALL=1 makes a skip a
failure (CI, where nothing may be missing).  KSFT_MACHINE_SLOW=yes turns failures
of checks marked timing=True into expected ones.
"""

import os
import sys
import traceback

from . import host

PASS, FAIL, SKIP = 0, 1, 4


class Skip(Exception):
    """Raised by a case that cannot run here; the message says why."""


class Case:
    """What a case function uses to check and to talk."""

    def __init__(self, name, out):
        self.name = name
        self.out = out
        self.failed = []
        self.count = 0

    def note(self, text):
        """A line for the reader."""
        for line in str(text).splitlines() or [""]:
            print(f"# {line}", file=self.out, flush=True)

    def check(self, name, measured, low=None, high=None, unit="", timing=False):
        """One measured value against its bounds; both are always printed."""
        if timing and "KCC_MACHINE" in os.environ and not os.environ.get("KCC_VIRTUAL"):
            raise host.SetupError("an emulated machine says something of rates in virtual "
                                  "time only: tests/lab/run --icount")
        self.count += 1
        good = measured is not None and (low is None or measured >= low) and (
            high is None or measured <= high)
        slow = timing and not good and os.environ.get("KSFT_MACHINE_SLOW")
        verdict = "ok" if good else "expected on a slow machine" if slow else "NOT OK"
        self.note(f"{verdict}: {name}: measured {show(measured)}{unit and ' ' + unit}, "
                  f"allowed {bounds(low, high)}")
        if not good and not slow:
            self.failed.append(name)
        return good

    def equal(self, name, measured, wanted):
        """One value that must be exactly another."""
        self.count += 1
        good = measured == wanted
        self.note(f"{'ok' if good else 'NOT OK'}: {name}: is {measured!r}"
                  + ("" if good else f", must be {wanted!r}"))
        if not good:
            self.failed.append(name)
        return good

    def true(self, name, condition, detail=""):
        """One condition that must hold."""
        self.count += 1
        self.note(f"{'ok' if condition else 'NOT OK'}: {name}{detail and ': ' + str(detail)}")
        if not condition:
            self.failed.append(name)
        return bool(condition)

    @staticmethod
    def skip(reason):
        """Leave this case out, with the reason."""
        raise Skip(reason)


def show(value):
    """A number as a person would write it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def bounds(low, high):
    """Bounds in words."""
    if low is None and high is None:
        return "anything"
    if low is None:
        return f"at most {show(high)}"
    if high is None:
        return f"at least {show(low)}"
    return f"{show(low)} to {show(high)}"


def run_case(function, out):
    """Run one case; (status, why)."""
    case = Case(function.__name__, out)
    try:
        function(case)
    except Skip as reason:
        if os.environ.get("KCC_EXPECT_ALL") == "1":
            return FAIL, f"skip is not allowed here: {reason}"
        return SKIP, str(reason)
    except host.SetupError as error:
        return FAIL, f"set-up: {error}"
    except Exception:   # a test's own error is a failure with its trace
        case.note(traceback.format_exc())
        return FAIL, "the test itself failed, see the trace above"
    if case.failed:
        return FAIL, "failed: " + ", ".join(case.failed)
    if not case.count:
        return FAIL, "it checked nothing"
    return PASS, ""


def run(cases, out=None):
    """Run all cases (or those named in $TESTS) and return the exit status."""
    out = out or sys.stdout
    wanted = os.environ.get("TESTS", "").split()
    unknown = set(wanted) - {c.__name__ for c in cases}
    if unknown:
        print(f"Bail out! no such test: {', '.join(sorted(unknown))}; there are: "
              f"{', '.join(c.__name__ for c in cases)}", file=out)
        return FAIL
    cases = [c for c in cases if not wanted or c.__name__ in wanted]
    print(f"TAP version 13\n1..{len(cases)}", file=out, flush=True)
    counts = {PASS: 0, FAIL: 0, SKIP: 0}
    for number, function in enumerate(cases, 1):
        status, why = run_case(function, out)
        counts[status] += 1
        word = "not ok" if status == FAIL else "ok"
        mark = f" # SKIP {why}" if status == SKIP else f" # {why}" if why else ""
        print(f"{word} {number} {function.__name__}{mark}", file=out, flush=True)
    print(f"# Totals: pass:{counts[PASS]} fail:{counts[FAIL]} skip:{counts[SKIP]}",
          file=out, flush=True)
    if counts[FAIL]:
        return FAIL
    return SKIP if counts[SKIP] and not counts[PASS] else PASS
