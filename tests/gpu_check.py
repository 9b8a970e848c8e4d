#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that is checked on a GPU, in one command; adds what happened to the report of gpu_report.py.

  tests/gpu_check.py build/cuda [--output tests/gpu_report.json] [--parts tests sanitizers sizes threads soak]
                     [--seconds 90] [--gpus 4]

  tests       every GPU test (a thousand replays of each call, one multiprocessor free, 2^32 items among them)
  sanitizers  compute-sanitizer over a call of each family: memcheck with leaks, racecheck, initcheck, synccheck
  sizes       1-byte items on both sides of 2^31, 2^32 and 2^33
  threads     16 threads call on 16 streams, for a minute
  soak        random tests with a new seed, for ten minutes

A machine may be lent for minutes only: with --seconds no check begins later than that, and those that passed with the
same sources are not repeated, so the same command goes on where the last one stopped. With --gpus checks run side by side:
the tests and sizes one on each GPU, the others --beside on each, for they spend most of their time on the host. The seconds of
threads and soak are the sums over their programs. Exit status 1 if a check failed, 2 if some are left.
"""
import argparse
import concurrent.futures
import os
import queue
import subprocess
import sys
import threading
import time

import gpu_report

TESTS = os.path.dirname(os.path.abspath(__file__))
PARTS = ["tests", "sanitizers", "sizes", "threads", "soak"]
TOOLS = {"memcheck": ["--leak-check", "full"], "racecheck": [], "initcheck": [], "synccheck": []}


def find_programs(build_dir, prefix):
    found = []
    for folder, _, names in sorted(os.walk(build_dir)):
        for name in sorted(names):
            if name.startswith(prefix) and name.endswith("_test_cuda"):
                found.append(os.path.join(folder, name))
    if not found:
        sys.exit(f"{build_dir} has no program {prefix}*_test_cuda: build the tests first")
    return found


class Checks:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds if options.seconds else None
        self.sources = options.source_digest or gpu_report.source_digest()
        self.rows = {row["check"]: row for row in gpu_report.read_report(options.output).get("checks", [])}
        self.failed = self.left = 0
        self.writing = threading.Lock()
        self.gpus = gpu_report.names_of_gpus(options.gpus)
        self.share(options.beside)

    def share(self, beside):
        """From here on so many checks run on a GPU at a time."""
        places = self.gpus * beside
        self.pool, self.running, self.places = concurrent.futures.ThreadPoolExecutor(len(places)), [], queue.SimpleQueue()
        for place in places:
            self.places.put(place)

    def has_passed(self, name):
        row = self.rows.get(name, {})
        return row.get("passed", False) and row.get("sources") == self.sources

    def add(self, name, command, limit, **environment):
        """A check that runs when a GPU has room for it."""
        self.running.append(self.pool.submit(self.run_on_one_gpu, name, command, limit, environment))

    def wait(self):
        for check in self.running:
            check.result()

    def run_on_one_gpu(self, name, command, limit, environment):
        place = self.places.get()
        try:
            self.run(name, command, limit, environment, {"CUDA_VISIBLE_DEVICES": place} if self.options.gpus > 1 else {})
        finally:
            self.places.put(place)

    def run(self, name, command, limit, environment, gpu):
        if self.end and self.has_passed(name):
            return
        if self.end and time.monotonic() > self.end:
            with self.writing:
                self.left += 1
            return
        start = time.monotonic()
        try:
            status = subprocess.run(command, env={**os.environ, **environment, **gpu}, timeout=limit,
                                    check=False).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
        except OSError as error:
            status = f"{error.filename}: {error.strerror}"
        seconds = round(time.monotonic() - start, 1)
        with self.writing:
            print(f"{name}: {'passed' if status == 0 else f'FAILED ({status})'}, {seconds} s", flush=True)
            self.failed += status != 0
            self.rows[name] = {"check": name, "passed": status == 0, "seconds": seconds, "sources": self.sources,
                               "environment": environment}
            report = gpu_report.read_report(self.options.output)  # now, in case that the time is over
            report["checks"] = list(self.rows.values())
            gpu_report.write_report(self.options.output, report)


def add_sanitizers(checks, programs):
    for program in programs:
        for tool, arguments in TOOLS.items():
            sanitizer = ["compute-sanitizer", "--tool", tool, *arguments, "--error-exitcode", "1"]
            checks.add(f"{tool} of {os.path.basename(program)}",
                       [*sanitizer, program, "--gtest_brief=1", "--gtest_filter=Stress.EachCall"], 1800)


def add_in_turn(checks, what, programs, seconds, test, **environment):
    """Each program runs for its part of `seconds`."""
    each = seconds / len(programs)
    for program in programs:
        checks.add(f"{what} of {os.path.basename(program)}", [program, "--gtest_brief=1", "--gtest_filter=" + test],
                   2 * each + 120, HINDSIGHT_TEST_SECONDS=str(round(each, 1)), **environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir")
    parser.add_argument("--output", default=os.path.join(TESTS, "gpu_report.json"))
    parser.add_argument("--source-digest", default=None)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seconds", type=float, default=0, help="no check begins later; 0: all run")
    parser.add_argument("--thread-seconds", type=float, default=60)
    parser.add_argument("--soak-seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the soak")
    parser.add_argument("--gpus", type=gpu_report.positive, default=1)
    parser.add_argument("--beside", type=int, default=0, help="checks on a GPU at a time; 0: 3 with several GPUs, else 1")
    options = parser.parse_args()
    options.beside = options.beside or (3 if options.gpus > 1 else 1)
    find_programs(options.build_dir, "stress")  # without a build nothing is written
    if any(gpu_report.TOGETHER in program for program in gpu_report.test_programs(options.build_dir)):
        sys.exit(f"{options.build_dir} was built for a machine without a GPU, several tests in a program: begin with cmake --fresh")
    checks = Checks(options)

    if "tests" in options.parts:  # alone: some of them measure, or take all memory
        report = [sys.executable, os.path.join(TESTS, "gpu_report.py"), options.build_dir, "--output", options.output,
                  "--source-digest", checks.sources, "--gpus", str(options.gpus)]
        # The random tests go on in the soak.
        brief = {"HINDSIGHT_TEST_SECONDS": "2"} if "soak" in options.parts else {}
        checks.run("tests", report, 3600, brief, {})
    if "soak" in options.parts:  # the longest checks first
        add_in_turn(checks, "soak", find_programs(options.build_dir, "random"), options.soak_seconds, "*",
                    HINDSIGHT_TEST_SEED=str(options.seed))
    if "threads" in options.parts:
        add_in_turn(checks, "16 threads", find_programs(options.build_dir, "stress"), options.thread_seconds,
                    "Stress.SixteenThreads")
    if "sanitizers" in options.parts:
        add_sanitizers(checks, find_programs(options.build_dir, "stress"))
    checks.wait()
    if "sizes" in options.parts:  # each takes most of a GPU's memory
        checks.share(1)
        for program in find_programs(options.build_dir, "index_width"):
            for bits in ("31", "32", "33"):
                checks.add(f"2^{bits} items of {os.path.basename(program)}", [program, "--gtest_brief=1"], 600,
                           HINDSIGHT_TEST_INDEX_BITS=bits)
    checks.wait()
    print(f"{len(checks.rows)} checks in the report, {checks.failed} failed now, {checks.left} left")
    return 1 if checks.failed else 2 if checks.left else 0


if __name__ == "__main__":
    sys.exit(main())
