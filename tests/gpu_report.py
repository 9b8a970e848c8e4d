#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the GPU tests of a build and writes what happened to a JSON file.

  tests/gpu_report.py build/cuda [--output tests/gpu_report.json] [--source-digest HEX] [--only TEXT] [--limit SECONDS]
                      [--gpus 4] [--beside 2]

With --gpus, programs run side by side, each on a GPU of its own; those that want several GPUs run first and get all.
With --beside 2, two programs at a time share each GPU, but for those that look at its free memory.
The counts are test cases, not programs. The digest names the sources that the tests were built from: the first field of
`git ls-files -s include detail | sha256sum`, or another one while changes are not staged. Exit status 1 if a case failed, a
program crashed or none ran. If none ran, nothing is written.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

EXIT_SKIPPED = 77
SEVERAL_GPUS = ["nccl_test_cuda", "ranks_test_cuda", "example_several_gpus_cuda"]
TOGETHER = "_test_and_others_cuda"  # tests that were compiled as one program
COMPARE_FREE_MEMORY = ["policy_test_cuda", "lifetime_test_cuda"]  # another program beside them would change it


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def source_digest():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    listing = output_of("git", "-C", root, "ls-files", "-s", "include", "detail")
    changes = output_of("git", "-C", root, "diff", "--no-color", "--no-ext-diff", "--", "include", "detail")
    return hashlib.sha256((listing + changes).encode()).hexdigest() if listing else "unknown"


def test_programs(build_dir):
    for folder, _, names in sorted(os.walk(build_dir)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.exists(path.replace(TOGETHER, "_test_cuda")) and name.endswith(TOGETHER):
                continue  # of an earlier build of this folder
            if re.search(rf"(_test_cuda|{TOGETHER}|^example_\w+_cuda)$", name) and os.access(path, os.X_OK):
                yield path


def google_counts(report):
    with open(report, encoding="utf-8") as file:
        cases = [case for suite in json.load(file)["testsuites"] for case in suite["testsuite"]]
    failed = [case["classname"] + "." + case["name"] for case in cases if case.get("failures")]
    skipped = sum(case.get("result") in ("SKIPPED", "SUPPRESSED") for case in cases)
    return len(cases) - len(failed) - skipped, failed, skipped


def boost_counts(report):
    cases = list(xml.parse(report).getroot().iter("TestCase"))
    failed = [case.get("name") for case in cases if case.get("result") in ("failed", "aborted")]
    skipped = sum(case.get("result") == "skipped" for case in cases)
    return len(cases) - len(failed) - skipped, failed, skipped


def run(program, folder, limit_s, **environment):
    """Returns passed, names of the failed, skipped."""
    name = os.path.basename(program)
    report = os.path.join(folder, name)
    if name.startswith("compat_"):
        arguments, counts = ["--report_level=detailed", "--report_format=XML", "--report_sink=" + report], boost_counts
    elif name.startswith("example_"):
        arguments, counts = [], None
    else:
        arguments, counts = ["--gtest_brief=1", "--gtest_output=json:" + report], google_counts
    try:
        status = subprocess.run([program, *arguments], timeout=limit_s, check=False,
                                env={**os.environ, **environment}).returncode
    except subprocess.TimeoutExpired:
        return 0, [f"{name} (took more than {limit_s} s)"], 0
    if status == EXIT_SKIPPED and not os.path.exists(report):  # no case began
        return 0, [], 1
    if counts is None:
        return (1, [], 0) if status == 0 else (0, [name], 0)
    try:
        passed, failed, skipped = counts(report)
    except (OSError, ValueError, xml.ParseError):
        passed, failed, skipped = 0, [f"{name} (ended with {status}, no report)"], 0
    if status not in (0, EXIT_SKIPPED) and not failed:
        failed = [f"{name} (ended with {status})"]
    return passed, failed, skipped


def run_all(programs, limit_s, num_gpus, programs_on_each):
    """Yields program, passed, names of the failed, skipped, in the order in which they end."""
    gpus = queue.SimpleQueue()
    for place in range(num_gpus * programs_on_each):
        gpus.put(str(place % num_gpus))

    def run_on_one_gpu(program, folder):
        gpu = gpus.get()
        try:
            return program, *run(program, folder, limit_s, CUDA_VISIBLE_DEVICES=gpu)
        finally:
            gpus.put(gpu)

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(gpus.qsize()) as pool:
        alone = [program for program in programs
                 if gpus.qsize() == 1 or os.path.basename(program) in SEVERAL_GPUS + COMPARE_FREE_MEMORY
                 or TOGETHER in program]  # some of these may be among its tests
        for program in alone:
            yield program, *run(program, folder, limit_s)
        running = [pool.submit(run_on_one_gpu, program, folder) for program in programs if program not in alone]
        for future in concurrent.futures.as_completed(running):
            yield future.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir")
    parser.add_argument("--output", default="tests/gpu_report.json")
    parser.add_argument("--source-digest", default=None)
    parser.add_argument("--limit", type=int, default=1200, help="seconds for each program")
    parser.add_argument("--only", default="", help="run the programs whose name contains this")
    parser.add_argument("--gpus", type=int, default=1, help="GPUs that run programs side by side")
    parser.add_argument("--beside", type=int, default=1, help="programs that share each GPU")
    options = parser.parse_args()

    device, _, driver = output_of(
        "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").partition(",")
    toolkit = re.search(r"V(\d+\.\d+\.\d+)", output_of("nvcc", "--version"))
    rows, passed, failed, skipped = [], 0, [], 0
    programs = [program for program in test_programs(options.build_dir) if options.only in os.path.basename(program)]
    for program, good, bad, left in run_all(programs, options.limit, options.gpus, options.beside):
        name = os.path.basename(program)
        print(f"{name}: {good} passed, {len(bad)} failed, {left} skipped", flush=True)
        rows.append({"program": name, "passed": good, "failed": bad, "skipped": left})
        passed, failed, skipped = passed + good, failed + bad, skipped + left
    rows.sort(key=lambda row: row["program"])
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    if passed + len(failed) == 0:
        print(f"no test ran: {options.output} stays as it is. This needs a GPU, and a build of the preset cuda", file=sys.stderr)
        return 1

    report = {
        "device": device.strip() or "none",
        "driver": driver.split("\n")[0].strip() or "none",
        "toolkit": toolkit.group(1) if toolkit else "unknown",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "passed": passed,
        "failed": len(failed),
        "skipped": skipped,
        "source_digest": options.source_digest or source_digest(),
        "programs": rows,
    }
    if os.path.exists(options.output):  # what gpu_check.py found besides, each with its sources
        with open(options.output, encoding="utf-8") as file:
            report["checks"] = json.load(file).get("checks", [])
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
