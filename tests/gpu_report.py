#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the GPU tests of a build and writes what happened to a JSON file.

  tests/gpu_report.py build/cuda [--output tests/gpu_report.json] [--source-digest HEX] [--only TEXT] [--limit SECONDS]
                      [--gpus 4] [--beside 2]

With --gpus, programs run side by side, each on a GPU of its own (of those that CUDA_VISIBLE_DEVICES names, if it is set); those
that want several GPUs run first and get all. With --beside 2, two programs at a time share each GPU, but for those that look at its
free memory. With --only, what ran is a part: it is written where --output says, and nowhere else.
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
SEVERAL_GPUS = ["nccl_test_cuda", "ranks_test_cuda", "memory_kinds_test_cuda", "example_several_gpus_cuda", "example_several_gpus_mpi_cuda"]
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


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 on")
    return value


def names_of_gpus(count):
    """So many GPUs, as CUDA_VISIBLE_DEVICES names one."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        visible = ",".join(output_of("nvidia-smi", "--query-gpu=index", "--format=csv,noheader").split())
        visible = visible or ",".join(map(str, range(count)))  # nobody says how many there are
    names = [name.strip() for name in visible.split(",") if name.strip()]
    if len(names) < count and count > 1:
        sys.exit(f"--gpus {count}: there are {len(names)} GPUs here. Tests would be skipped on the others")
    return names[:count] or ["0"]


def read_report(path):
    """What an earlier run wrote; {} if there was none."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            sys.exit(f"{path} is no report of an earlier run ({error}): remove it, or name another file")


def write_report(path, report):
    """At once: whoever ends this program leaves the old report or the new one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    os.replace(path + ".new", path)


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


def run_all(programs, limit_s, names, programs_on_each):
    """Yields program, passed, names of the failed, skipped, in the order in which they end."""
    gpus = queue.SimpleQueue()
    for name in names * programs_on_each:
        gpus.put(name)

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
    parser.add_argument("--output", help="default: tests/gpu_report.json; with --only none")
    parser.add_argument("--source-digest", default=None)
    parser.add_argument("--limit", type=positive, default=1200, help="seconds for each program")
    parser.add_argument("--only", default="", help="run the programs whose name contains this")
    parser.add_argument("--gpus", type=positive, default=1, help="GPUs that run programs side by side")
    parser.add_argument("--beside", type=positive, default=1, help="programs that share each GPU")
    options = parser.parse_args()
    output = options.output or ("" if options.only else "tests/gpu_report.json")
    names = names_of_gpus(options.gpus)

    device, _, driver = output_of(
        "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").partition(",")
    toolkit = re.search(r"V(\d+\.\d+\.\d+)", output_of("nvcc", "--version"))
    rows, passed, failed, skipped = [], 0, [], 0
    programs = [program for program in test_programs(options.build_dir) if options.only in os.path.basename(program)]
    if programs and output:
        read_report(output)  # that it cannot be read is better known now
    for program, good, bad, left in run_all(programs, options.limit, names, options.beside):
        name = os.path.basename(program)
        print(f"{name}: {good} passed, {len(bad)} failed, {left} skipped", flush=True)
        rows.append({"program": name, "passed": good, "failed": bad, "skipped": left})
        passed, failed, skipped = passed + good, failed + bad, skipped + left
    rows.sort(key=lambda row: row["program"])
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    if passed + len(failed) == 0:
        print(f"no test ran: {output or 'nothing'} {'stays as it is' if output else 'is written'}. This needs a GPU, and a build of the preset cuda", file=sys.stderr)
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
    if output:
        if os.path.exists(output):  # what gpu_check.py found besides, each with its sources
            report["checks"] = read_report(output).get("checks", [])
        write_report(output, report)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
