#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants the faults of faults.py in a copy of the library, one at a time, and runs the tests that must catch them.

  run.py --check               every fault still has its place in the sources (seconds)
  run.py                       all faults whose tests run on this machine
  run.py --only TEXT [TEXT]    those whose names contain one of the texts
  run.py --quick               the few that are cheap: CI runs these
  run.py --gpu-only            those that GPU tests catch, by these alone: on a machine with a GPU, a minute for each and core
  run.py --log FILE            appends the verdicts to FILE, and goes on where an earlier run with it ended

A fault is caught if a test fails, or runs into the time limit, that passes without it. (After a test has run into the limit,
it runs once more without the fault: the machine may be slow.) Exit status 1 if one survives, does not compile or has no place;
equivalent ones must survive.
"""
import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from faults import FAULTS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "tests")
EMULATION = os.path.join(TESTS, "emulation")
EMULATION_SOURCES = ["grid.cpp", "memory.cpp", "schedule.cpp", "compiler_hooks.cpp"]
SKIPPED = 77  # the exit status of a GPU test where there is no GPU
CPP_SYSTEM = "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"


def source_of(fault):
    if fault.file.startswith(("include/", "bench/", "examples/")):
        return fault.file
    return os.path.join("detail", "hindsight", "detail", fault.file)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def places(fault):
    return text_of(os.path.join(ROOT, source_of(fault))).count(fault.old)


class Library:
    """A copy of the headers, with a fault or without."""

    def __init__(self, options, fault=None):
        self.options = options
        self.fault = fault
        self.folder = tempfile.mkdtemp(prefix="mutant-")
        self.tests = TESTS
        for part in ("include", "detail", "examples"):
            shutil.copytree(os.path.join(ROOT, part), os.path.join(self.folder, part))
        os.mkdir(os.path.join(self.folder, "bench"))
        os.symlink(os.path.join(ROOT, "bench", "data"), os.path.join(self.folder, "bench", "data"))  # examples read it
        if fault and fault.file.startswith("bench/"):  # its tests include it by its place beside them
            self.tests = os.path.join(self.folder, "tests")
            shutil.copytree(os.path.join(ROOT, "bench", "methods"), os.path.join(self.folder, "bench", "methods"))
            os.mkdir(self.tests)
            for path in glob.glob(os.path.join(TESTS, "methods_test*")):
                shutil.copy(path, self.tests)
        if fault:
            path = os.path.join(self.folder, source_of(fault))
            text = text_of(path).replace(fault.old, fault.new)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def includes(self, *more):
        folders = [*more, TESTS, os.path.join(self.folder, "include"), os.path.join(self.folder, "detail")]
        return ["-I" + folder for folder in folders] + ["-isystem", self.options.cccl]

    def build(self, test):
        """Returns the program, or None and the compiler's output."""
        kind, name = test.split(":")[:2]
        program = os.path.join(self.folder, urllib.parse.quote(test, safe=""))  # baseline() builds several of one name at a time
        cxx = [*self.options.prefix, self.options.cxx, "-std=c++17", "-w", CPP_SYSTEM]
        gtest = ["-lgtest", "-lgtest_main", "-lpthread"]
        if kind == "whole":
            toolkit = os.path.dirname(self.options.cccl)
            system = ["-UTHRUST_DEVICE_SYSTEM", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CUDA"]
            includes = self.includes(*(os.path.join(EMULATION, folder) for folder in ("calls", "nvcc")))
            sources = [os.path.join(EMULATION, "calls", file) for file in (name + "_test.cpp", "runtime.cpp")]
            return self.call([*cxx, "-O1", *system, "-include", "emulation/gpu.h", *includes, "-isystem", toolkit, *sources,
                              *self.options.emulation, "-Wl,--wrap=memcpy", *gtest, "-lboost_context", "-o", program]), program
        if kind == "emulated":
            instrument = ["-include", "emulation/gpu.h", "-fsanitize=thread", "-fno-builtin-memcpy",
                          "--param", "tsan-distinguish-volatile=1"]
            includes = self.includes(*(os.path.join(EMULATION, folder) for folder in ("nvcc", "stub")))
            source = os.path.join(EMULATION, name + "_test.cpp")
            built = self.call([*cxx, "-O1", *instrument, *includes, "-c", source, "-o", program + ".o"])
            link = [*cxx, program + ".o", *self.options.emulation, "-Wl,--wrap=memcpy", *gtest, "-lboost_context"]
            return built or self.call([*link, "-o", program]), program
        if kind == "gpu":
            sources = [os.path.join(self.tests, name + "_test.cu"),
                       *(os.path.join(TESTS, file) for file in ("gpu_main.cpp", "gpu_present.cpp"))]
            nvcc = [*self.options.prefix, "nvcc", "-std=c++17", "-w", "-O1", "-arch=native", "--extended-lambda"]
            lines = [line for line in text_of(sources[0]).split("\n") if line.startswith("// wraps: ")]
            wraps = [word for line in lines for word in line.split()[2:]]
            link = ["-lgtest", "-lpthread", *(part for word in wraps for part in ("-Xlinker", "--wrap=" + word))]
            return self.call([*nvcc, *self.includes(), *sources, "-o", program, *link]), program
        flags = {"host": ["-O1", "-fopenmp"], "threads": ["-O1"], "tsan": ["-O1", "-g", "-fsanitize=thread"],
                 "asan": ["-O1", "-g", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
                 "example": ["-O1", "-fopenmp"]}[kind]
        if kind == "example":
            return self.call([*cxx, *flags, *self.includes(), os.path.join(self.folder, "examples", name + ".cpp"), "-o", program]), program
        source = os.path.join(self.tests, name + "_test.cpp")
        return self.call([*cxx, *flags, *self.includes(), source, *gtest, "-o", program]), program

    @staticmethod
    def call(command):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        return (done.stdout or f"{command[0]} ended with {done.returncode}") if done.returncode else ""

    def refuses_misuse(self):
        folders = [self.options.cccl, os.path.join(self.folder, "include"), os.path.join(self.folder, "detail")]
        return not self.call([*self.options.prefix, sys.executable, os.path.join(TESTS, "misuse_test.py"), "nvcc", *folders])

    def has_cub_calls(self):
        command = [sys.executable, os.path.join(TESTS, "cub_calls_test.py"), self.options.cccl, "--library=" + self.folder]
        return not self.call(command)

    def require_time_for(self, test):
        if self.fault:
            with Library(self.options) as library:
                if not library.passes(test):
                    raise RuntimeError(f"{test} runs into the time limit, and does not pass without the fault")

    def passes(self, test):
        """Whether a test passes; an error of the compiler's is raised."""
        if test == "misuse:misuse":
            return self.refuses_misuse()
        if test == "calls:cub_calls":
            return self.has_cub_calls()
        error, program = self.build(test)
        if error:
            raise RuntimeError(error[:2000])
        cases = test.split(":", 2)[2] if test.count(":") > 1 else "*"
        environment = dict(os.environ, OMP_NUM_THREADS="4", HINDSIGHT_TEST_SECONDS="3")
        arguments = [] if test.startswith("example:") else ["--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + cases]
        try:
            done = subprocess.run([program, *arguments], env=environment, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=self.options.limit, check=False)
        except subprocess.TimeoutExpired:
            self.require_time_for(test)
            return False
        if b"[==========] 0 tests" in done.stdout:
            raise RuntimeError("no case of " + test)
        if done.returncode == SKIPPED:
            raise RuntimeError(f"{test} was skipped: {done.stdout.decode(errors='replace')}")
        return done.returncode == 0


def runs_here(test, options):
    if options.gpu_only and not test.startswith("gpu:"):
        return False
    if test == "misuse:misuse":
        return shutil.which("nvcc") is not None
    return not test.startswith("gpu:") or options.gpu or options.gpu_only


def judge(fault, options):
    """What became of a fault: a line, and whether that is as it should be."""
    tests = [test for test in fault.tests if runs_here(test, options)]
    if not tests:
        return f"left out, needs {'nvcc' if 'misuse:misuse' in fault.tests else 'a GPU'}: {fault.name}", True
    try:
        with Library(options, fault) as library:
            survives = all(library.passes(test) for test in tests)
    except RuntimeError as error:
        return f"NOT TESTED: {fault.name}: {error}", False
    if fault.equivalent:
        return f"{'equivalent' if survives else 'NOT EQUIVALENT'}: {fault.name}", survives
    return f"{'SURVIVES' if survives else 'caught'}: {fault.name}", not survives


def verdicts_in(log):
    """The faults that an earlier run judged well: those are not planted again. What it left out may be planted on this machine."""
    good = ("caught: ", "equivalent: ")
    lines = text_of(log).split("\n") if log and os.path.exists(log) else []
    return {line[len(word):] for line in lines for word in good if line.startswith(word)}


def judge_all(faults, options):
    """Plants the faults, `jobs` at a time; returns whether all became what they should."""
    good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        for line, is_right in workers.map(lambda fault: judge(fault, options), faults):
            print(line, flush=True)
            if options.log:
                with open(options.log, "a", encoding="utf-8") as log:
                    log.write(line + "\n")
            good = good and is_right
    return good


def check(faults):
    lost = [fault for fault in faults if places(fault) != 1 or fault.old == fault.new]
    for fault in lost:
        print(f"FAIL: {fault.name}: found {places(fault)} times in {source_of(fault)}:\n{fault.old}")
    if len({fault.name for fault in faults}) != len(faults):
        print("FAIL: two faults have one name")
        return False
    print(f"{len(faults) - len(lost)} of {len(faults)} faults have one place each")
    return not lost


def build_emulation(options):
    folder = tempfile.mkdtemp(prefix="emulation-")
    with Library(options) as library:
        includes = library.includes(*(os.path.join(EMULATION, folder) for folder in ("nvcc", "stub")))
        for source in EMULATION_SOURCES:
            compiled = os.path.join(folder, source + ".o")
            command = [*options.prefix, options.cxx, "-std=c++17", "-O2", "-w", *includes, "-c",
                       os.path.join(EMULATION, source), "-o", compiled]
            error = library.call(command)
            if error:
                sys.exit(error)
            options.emulation.append(compiled)
    return folder


def baseline(tests, options):
    """Every test must pass without a fault."""
    with Library(options) as library:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
            verdicts = zip(sorted(tests), workers.map(library.passes, sorted(tests)))
            broken = [test for test, passed in verdicts if not passed]
    for test in broken:
        print(f"FAIL: {test} fails without a fault")
    return not broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only look for the places")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="TEXT")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--cccl", default="/usr/local/cuda/include/cccl", help="the folder of CCCL's headers")
    parser.add_argument("--gpu-only", action="store_true", help="the same, and no other tests")
    parser.add_argument("--gpu", action="store_true", help="there is a GPU: faults that only its tests catch, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=120, help="seconds for a test")
    parser.add_argument("--prefix", default="", help="a command that runs the compilers")
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument("--log", metavar="FILE", help="verdicts go here, too; those that stand here are not repeated")
    options = parser.parse_args()
    options.prefix, options.emulation = options.prefix.split(), []

    if not check(FAULTS):
        return 1
    if options.check:
        return 0
    faults = [fault for fault in FAULTS if (not options.quick or fault.quick) and
              (not options.only or any(text in fault.name for text in options.only))]
    if not faults:
        sys.exit("no fault has such a name")
    known = verdicts_in(options.log)
    faults = [fault for fault in faults if fault.name not in known]
    if options.gpu_only:
        faults = [fault for fault in faults if any(runs_here(test, options) for test in fault.tests)]
    tests = {test for fault in faults for test in fault.tests if runs_here(test, options)}
    folder = build_emulation(options) if any(test.startswith(("emulated:", "whole:")) for test in tests) else tempfile.mkdtemp()
    try:
        good = options.no_baseline or baseline(tests, options)
        good = judge_all(faults, options) and good
    finally:
        shutil.rmtree(folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
