#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that is checked on a GPU, in one command; adds what happened to the report of gpu_report.py.

  tests/gpu_check.py build/cuda [--output tests/gpu_report.json] [--parts tests sanitizers sizes threads soak]

  tests       every GPU test (a thousand replays of each call, one multiprocessor free, 2^32 items among them)
  sanitizers  compute-sanitizer over a call of each family: memcheck with leaks, racecheck, initcheck, synccheck
  sizes       1-byte items on both sides of 2^31, 2^32 and 2^33
  threads     16 threads call on 16 streams, for a minute
  soak        random tests with a new seed, for ten minutes

Exit status 1 if a part fails.
"""
import argparse
import json
import os
import subprocess
import sys
import time

TESTS = os.path.dirname(os.path.abspath(__file__))
PARTS = ["tests", "sanitizers", "sizes", "threads", "soak"]
TOOLS = {"memcheck": ["--leak-check", "full"], "racecheck": [], "initcheck": [], "synccheck": []}


def find_programs(build_dir, *parts_of_names):
    found = []
    for folder, _, names in sorted(os.walk(build_dir)):
        for name in sorted(names):
            if name.endswith("_test_cuda") and all(part in name for part in parts_of_names):
                found.append(os.path.join(folder, name))
    if not found:
        sys.exit(f"{build_dir} has no program {'*'.join(parts_of_names)}_test_cuda: build the tests first")
    return found


class Checks:
    def __init__(self):
        self.rows = []

    def run(self, name, command, limit, **environment):
        start = time.monotonic()
        try:
            status = subprocess.run(command, env={**os.environ, **environment}, timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
        seconds = round(time.monotonic() - start, 1)
        print(f"{name}: {'passed' if status == 0 else f'FAILED ({status})'}, {seconds} s", flush=True)
        self.rows.append({"check": name, "passed": status == 0, "seconds": seconds})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir")
    parser.add_argument("--output", default=os.path.join(TESTS, "gpu_report.json"))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--thread-seconds", type=float, default=60)
    parser.add_argument("--soak-seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the soak")
    options = parser.parse_args()
    checks = Checks()

    if "tests" in options.parts:
        report = [sys.executable, os.path.join(TESTS, "gpu_report.py"), options.build_dir, "--output", options.output]
        checks.run("tests", report, 3600)
    if "sanitizers" in options.parts:
        (program,) = find_programs(options.build_dir, "stress")
        for tool, arguments in TOOLS.items():
            sanitizer = ["compute-sanitizer", "--tool", tool, *arguments, "--error-exitcode", "1"]
            checks.run(tool, [*sanitizer, program, "--gtest_brief=1", "--gtest_filter=Stress.EachCall"], 1800)
    if "sizes" in options.parts:
        (program,) = find_programs(options.build_dir, "index_width")
        for bits in ("31", "32", "33"):
            checks.run(f"2^{bits} items", [program, "--gtest_brief=1"], 600, HINDSIGHT_TEST_INDEX_BITS=bits)
    if "threads" in options.parts:
        (program,) = find_programs(options.build_dir, "stress")
        checks.run("16 threads", [program, "--gtest_brief=1", "--gtest_filter=Stress.SixteenThreads"],
                   options.thread_seconds + 120, HINDSIGHT_TEST_SECONDS=str(options.thread_seconds))
    if "soak" in options.parts:
        programs = find_programs(options.build_dir, "random")
        seconds = options.soak_seconds / len(programs)
        for program in programs:
            checks.run(f"soak of {os.path.basename(program)}, seed {options.seed}", [program, "--gtest_brief=1"],
                       2 * seconds + 120, HINDSIGHT_TEST_SECONDS=str(seconds), HINDSIGHT_TEST_SEED=str(options.seed))

    with open(options.output, encoding="utf-8") as file:
        report = json.load(file)
    report["checks"] = checks.rows
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    return 0 if all(row["passed"] for row in checks.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
