#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that is checked on a GPU, in one command; adds what happened to the report of gpu_report.py.

  tests/gpu_check.py build/cuda [--output tests/gpu_report.json] [--parts tests sanitizers sizes threads soak]
                     [--seconds 90]

  tests       every GPU test (a thousand replays of each call, one multiprocessor free, 2^32 items among them)
  sanitizers  compute-sanitizer over a call of each family: memcheck with leaks, racecheck, initcheck, synccheck
  sizes       1-byte items on both sides of 2^31, 2^32 and 2^33
  threads     16 threads call on 16 streams, for a minute
  soak        random tests with a new seed, for ten minutes

A machine may be lent for minutes only: with --seconds no check begins later than that, and those that passed with the
same sources are not repeated, so the same command goes on where the last one stopped. Exit status 1 if a check failed,
2 if some are left.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import gpu_report

TESTS = os.path.dirname(os.path.abspath(__file__))
PARTS = ["tests", "sanitizers", "sizes", "threads", "soak"]
# racecheck takes for races the atomic accesses to shared memory by which a scout's warps hand on the carry. Launches with
# a scout are for the emulation to judge; of the calls here that is segmented_sum.
LEFT_OUT = {"racecheck": "segmented_sum"}
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
        self.rows = {row["check"]: row for row in self.report().get("checks", [])}
        self.failed = self.left = 0

    def report(self):
        if not os.path.exists(self.options.output):
            return {}
        with open(self.options.output, encoding="utf-8") as file:
            return json.load(file)

    def has_passed(self, name):
        row = self.rows.get(name, {})
        return row.get("passed", False) and row.get("sources") == self.sources

    def run(self, name, command, limit, **environment):
        if self.end and self.has_passed(name):
            return
        if self.end and time.monotonic() > self.end:
            self.left += 1
            return
        start = time.monotonic()
        try:
            status = subprocess.run(command, env={**os.environ, **environment}, timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
        seconds = round(time.monotonic() - start, 1)
        print(f"{name}: {'passed' if status == 0 else f'FAILED ({status})'}, {seconds} s", flush=True)
        self.failed += status != 0
        self.rows[name] = {"check": name, "passed": status == 0, "seconds": seconds, "sources": self.sources,
                           "environment": environment}
        report = self.report()  # now, in case that the time is over
        report["checks"] = list(self.rows.values())
        with open(self.options.output, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=2)
            file.write("\n")


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
    options = parser.parse_args()
    checks = Checks(options)

    if "tests" in options.parts:
        report = [sys.executable, os.path.join(TESTS, "gpu_report.py"), options.build_dir, "--output", options.output,
                  "--source-digest", checks.sources]
        checks.run("tests", report, 3600)
    if "sanitizers" in options.parts:
        for program in find_programs(options.build_dir, "stress"):
            for tool, arguments in TOOLS.items():
                sanitizer = ["compute-sanitizer", "--tool", tool, *arguments, "--error-exitcode", "1"]
                name = f"{tool} of {os.path.basename(program)}"
                left_out = {"HINDSIGHT_TEST_LEAVE_OUT": LEFT_OUT[tool]} if tool in LEFT_OUT else {}
                checks.run(name, [*sanitizer, program, "--gtest_brief=1", "--gtest_filter=Stress.EachCall"], 1800,
                           **left_out)
    if "sizes" in options.parts:
        (program,) = find_programs(options.build_dir, "index_width")
        for bits in ("31", "32", "33"):
            checks.run(f"2^{bits} items", [program, "--gtest_brief=1"], 600, HINDSIGHT_TEST_INDEX_BITS=bits)
    if "threads" in options.parts:
        programs = find_programs(options.build_dir, "stress")
        seconds = options.thread_seconds / len(programs)
        for program in programs:
            checks.run(f"16 threads of {os.path.basename(program)}",
                       [program, "--gtest_brief=1", "--gtest_filter=Stress.SixteenThreads"],
                       seconds + 120, HINDSIGHT_TEST_SECONDS=str(seconds))
    if "soak" in options.parts:
        programs = find_programs(options.build_dir, "random")
        seconds = options.soak_seconds / len(programs)
        for program in programs:
            checks.run(f"soak of {os.path.basename(program)}", [program, "--gtest_brief=1"],
                       2 * seconds + 120, HINDSIGHT_TEST_SECONDS=str(seconds), HINDSIGHT_TEST_SEED=str(options.seed))
    print(f"{len(checks.rows)} checks in the report, {checks.failed} failed now, {checks.left} left")
    return 1 if checks.failed else 2 if checks.left else 0


if __name__ == "__main__":
    sys.exit(main())
