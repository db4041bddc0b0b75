# SPDX-License-Identifier: GPL-2.0
"""The jobs of a comparison: one (scenario, algorithm, round) each, in a machine
of the lab.  A job whose result is there with the same inputs is not repeated."""

import concurrent.futures
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(TESTS)
# What decides a measurement; metrics and reports are worked out afresh.
SOURCES = ("run-path", *(f"kcctest/{name}.py" for name in (
    "host", "netlink", "keys", "scenario", "net", "flows", "transfer", "sample", "runner")))


class Variant:
    """An algorithm as it is compared: NAME or NAME:KEY=VALUE:KEY=VALUE."""

    def __init__(self, text, module):
        self.label = text
        self.cc, *settings = text.split(":")
        self.sysctl = []
        self.module = module if self.cc.startswith("kcc") else None
        for item in settings:
            key, equals, value = item.partition("=")
            if not equals or not value:
                raise ValueError(f"'{item}' in --cc {text}: give KEY=VALUE, such as "
                                 "kcc:kcc_kf_enable=1")
            if key == "ko":
                self.module = os.path.abspath(value)
                self.label = text.replace(value, os.path.basename(value))
            else:
                self.sysctl.append(f"{key if '.' in key else 'net.kcc.' + key}={value}")
        if not self.cc.replace("_", "").isalnum():
            raise ValueError(f"'{self.cc}' is no algorithm's name")

    @property
    def folder(self):
        """The label as a file name."""
        return "".join(c if c.isalnum() or c in "._=-" else "_" for c in self.label)


class Job:
    """One round of one variant on one scenario."""

    def __init__(self, scenario, variant, number, options):
        self.scenario = scenario
        self.variant = variant
        self.number = number
        self.options = options
        self.folder = os.path.join(options.out, "runs", scenario.name, variant.folder,
                                   f"round-{number}")
        self.result = None
        self.error = None
        self.took_s = 0

    @property
    def name(self):
        """The job for progress lines."""
        return f"{self.scenario.name} {self.variant.label} round {self.number}"

    def inputs(self):
        """A hash of everything that decides the result."""
        digest = hashlib.sha256(self.options.machine_id.encode())
        for name in SOURCES:
            digest.update(file_bytes(os.path.join(TESTS, name)))
        digest.update(file_bytes(self.scenario.file))
        if self.variant.module:
            digest.update(file_bytes(self.variant.module))
        digest.update(repr((self.variant.cc, self.variant.sysctl, self.number)).encode())
        return digest.hexdigest()[:20]

    def finished(self):
        """Load the result of an earlier run, if it is of the same inputs."""
        try:
            with open(f"{self.folder}/result.json", encoding="utf-8") as file:
                result = json.load(file)
        except (OSError, ValueError):
            return False
        if result.get("inputs") != self.inputs():
            return False
        self.result = result
        return True

    def command(self):
        """tests/lab/run ... -- tests/run-path ..."""
        options = self.options
        words = [f"{TESTS}/lab/run", "--machine", options.machine, "--out", self.folder,
                 "--timeout", str(options.timeout)]
        words += ["--icount"] if options.icount else []
        words += ["--", f"{TESTS}/run-path", "--cc", self.variant.cc, "--round",
                  str(self.number), "--out", self.folder, "--inputs", self.inputs()]
        for setting in self.variant.sysctl:
            words += ["--sysctl", setting]
        if self.variant.module:
            words += ["--insmod", self.variant.module]
        return words + [os.path.abspath(self.scenario.file)]

    def run(self, started):
        """Run it; the outcome is in result or error."""
        begun = time.monotonic()
        os.makedirs(self.folder, exist_ok=True)
        log = f"{self.folder}/log"
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=out, start_new_session=True, cwd=TOP)
            started(process)
            status = process.wait()
        self.took_s = time.monotonic() - begun
        if status != 0:
            self.error = f"exit status {status}; the end of {log}:\n{tail(log)}"
        elif not self.finished():
            self.error = f"it left no valid result.json; the end of {log}:\n{tail(log)}"


def file_bytes(path):
    """A file's content; a module that is not there is an error of the caller's."""
    with open(path, "rb") as file:
        return file.read()


def tail(path, lines=15):
    """The end of a log, indented."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join("    " + line for line in file.readlines()[-lines:]) or "    (empty)"


def machine_id(machine):
    """What a machine is built from, so that another kernel is measured anew."""
    if not machine.startswith("uml"):
        return machine
    words = [f"{TESTS}/lab/uml-build"] + (["--debug"] if machine == "uml-debug" else [])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(done.stderr.strip() or "tests/lab/uml-build failed")
    return os.path.basename(done.stdout.strip().splitlines()[-1])


class Pool:
    """Runs jobs, a few at a time, with a line for each that ends."""

    def __init__(self, jobs, width):
        self.jobs = jobs
        self.width = width
        self.processes = []
        self.lock = threading.Lock()
        self.done = 0
        self.stopping = False

    def run(self, line):
        """Run all jobs that have no result yet; ^C ends those that run."""
        todo = []
        for job in self.jobs:
            if job.finished():
                self.done += 1
            else:
                todo.append(job)
        if self.done:
            say(f"{self.done} of {len(self.jobs)} results are there already")
        with concurrent.futures.ThreadPoolExecutor(self.width) as pool:
            waiting = {pool.submit(self._one, job): job for job in todo}
            try:
                for future in concurrent.futures.as_completed(waiting):
                    future.result()
                    self.done += 1
                    say(f"[{self.done}/{len(self.jobs)}] {line(waiting[future])}")
            except BaseException:
                self.stop()
                for future in waiting:
                    future.cancel()
                raise

    def _one(self, job):
        if not self.stopping:
            job.run(self._started)

    def _started(self, process):
        with self.lock:
            self.processes.append(process)

    def stop(self):
        """End the machines that were started here, and only those."""
        self.stopping = True
        with self.lock:
            for number in (signal.SIGTERM, signal.SIGKILL):
                for process in self.processes:
                    if process.poll() is None:
                        os.killpg(process.pid, number)
                time.sleep(1)


def say(text):
    """Progress goes to standard error, results to standard output."""
    print(text, file=sys.stderr, flush=True)
