#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Before a release: one version in all its places, the head of every public header, scripts that build for the GPU at hand, and a report of
GPU tests that ran."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM_HEADER = "#pragma once\n#if !defined(HINDSIGHT_SHOW_WARNINGS)\n#  pragma GCC system_header\n#endif\n"


def text(*path):
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        header = text("include", "hindsight", "version.h")
        self.parts = [int(number) for number in re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)]
        self.number = int(re.search(r"HINDSIGHT_VERSION (\d+)", header)[1])

    def test_version_is_one(self):
        major, minor, patch = self.parts
        version = f"{major}.{minor}.{patch}"
        self.assertEqual(self.number, major * 10000 + minor * 100 + patch)
        self.assertEqual(json.loads(text("packaging", "vcpkg", "hindsight", "vcpkg.json"))["version"], version)
        self.assertEqual(re.search(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[1], version)
        self.assertIn(f"hindsight/{version}", text("packaging", "README.md"))
        for document in (("README.md",), ("packaging", "README.md")):
            self.assertEqual(re.findall(r"find_package\(hindsight (\S+) REQUIRED", text(*document)), [f"{major}.{minor}"])

    def test_public_headers_are_system_headers(self):
        headers = sorted((ROOT / "include" / "hindsight").glob("*.*h"))
        self.assertGreater(len(headers), 10)
        for header in headers:
            if header.name != "version.h":  # macros alone
                self.assertTrue(SYSTEM_HEADER in header.read_text(encoding="utf-8"), header.name)

    def test_scripts_build_for_the_gpu_at_hand(self):
        for lines, expected in (("9.0\n8.9", "90"), ("12.0", "120"), ("No devices were found", "")):
            with self.subTest(lines=lines), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "nvidia-smi")
                program.write_text(f"#!/bin/sh\necho '{lines}'\n", encoding="utf-8")
                program.chmod(0o755)
                script = f"set -euo pipefail; . {ROOT}/.ci/setup.sh; find_gpu; echo $gpu"
                path = f"{folder}{os.pathsep}{os.environ['PATH']}"
                result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env={**os.environ, "PATH": path})
                self.assertEqual(result.stdout.strip(), expected)

    def test_a_test_that_cannot_run_has_failed(self):
        project = """cmake_minimum_required(VERSION 3.25)
project(tests LANGUAGES NONE)
enable_testing()
foreach(name IN ITEMS passes fails lacks_its_fixture is_skipped)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E true)
endforeach()
set_tests_properties(fails PROPERTIES WILL_FAIL ON FIXTURES_SETUP fixture)
set_tests_properties(lacks_its_fixture PROPERTIES FIXTURES_REQUIRED fixture)
set_tests_properties(is_skipped PROPERTIES SKIP_RETURN_CODE 0)
add_test(NAME is_missing COMMAND /no/such/program)
"""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(project, encoding="utf-8")
            script = f"""set -euo pipefail; . {ROOT}/.ci/setup.sh; cd {folder}
cmake . >log; ctest --output-junit report.xml >>log 2>&1 || true; count_tests report.xml 8; echo $all $bad $left
ctest -R passes --output-junit good.xml >>log; count_tests good.xml 0; echo $all $bad $left; (count_tests good.xml 1) || echo no"""
            result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
            self.assertEqual(result.stdout, "5 3 1\n1 0 0\nno\n")

    def test_headers_that_were_fetched_in_part_are_fetched_again(self):
        python = """#!/bin/sh
for last; do :; done
case "$*" in
*download*) touch build/cccl/some-1.part/some.whl ;;
*zipfile*) mkdir -p "$last/nvidia/include/thrust" && [ -e complete ] && touch "$last/nvidia/include/thrust/version.h" ;;
esac
"""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "python3")
            program.write_text(python, encoding="utf-8")
            program.chmod(0o755)
            script = f"""set -euo pipefail; . {ROOT}/.ci/setup.sh; cd {folder}; PATH={folder}:$PATH; cccl_package=some==1
(fetch_cccl) >/dev/null || echo no; (fetch_cccl) >/dev/null || echo no; touch complete; fetch_cccl >/dev/null; echo $cccl
cccl=; mkdir -p build/cccl/other/nvidia; cccl_package=other; (fetch_cccl) || echo no"""
            result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
            self.assertEqual(result.stdout, f"no\nno\n{os.path.realpath(folder)}/build/cccl/some-1/nvidia/include\nno\n")
            self.assertIn("build/cccl/other has no thrust/version.h", result.stderr)

    def test_the_newest_headers_are_those_of_today(self):
        python = """#!/bin/sh
for last; do :; done
case "$*" in
*download*) [ -e day ] && touch build/cccl/newest.part/some.whl ;;
*zipfile*) mkdir -p "$last/nvidia/include/thrust" && cp day "$last/nvidia/include/thrust/version.h" ;;
esac
"""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "python3")
            program.write_text(python, encoding="utf-8")
            program.chmod(0o755)
            script = f"""set -euo pipefail; . {ROOT}/.ci/setup.sh; cd {folder}; PATH={folder}:$PATH; cccl_package=newest
show() {{ fetch_cccl >/dev/null; cat "$cccl/thrust/version.h"; }}
a_day_passes() {{ touch -d '25 hours ago' build/cccl/newest; }}
echo 1 >day; show; echo 2 >day; show; a_day_passes; show; rm day; a_day_passes; show"""
            result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
            self.assertEqual(result.stdout, "1\n1\n2\n2\n", result.stderr)

    def test_a_run_without_tests_leaves_the_report_of_the_last_one(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            report.write_text("the last one", encoding="utf-8")
            command = [sys.executable, ROOT / "tests" / "gpu_report.py", folder, "--output", report]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("no test ran", result.stderr)
            self.assertEqual(report.read_text(encoding="utf-8"), "the last one")


    def test_the_report_has_all_programs(self):
        names = {"a_test_cuda": 77, "b_test_and_others_cuda": 77, "example_c_cuda": 0}
        with tempfile.TemporaryDirectory() as folder:
            for name, status in {**names, "a_test_and_others_cuda": 0, "gpu_present": 0, "a_test_host": 0}.items():
                program = pathlib.Path(folder, name)
                program.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
                program.chmod(0o755)
            report = pathlib.Path(folder, "report.json")
            command = [sys.executable, ROOT / "tests" / "gpu_report.py", folder, "--output", report]
            subprocess.run(command, capture_output=True, text=True, check=True)
            programs = json.loads(report.read_text(encoding="utf-8"))["programs"]
            self.assertEqual([program["program"] for program in programs], list(names))

    def run_gpu_script(self, script, folder, *arguments, programs=(), body="exit 0", **environment):
        for name in programs:
            program = pathlib.Path(folder, name)
            program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            program.chmod(0o755)
        command = [sys.executable, ROOT / "tests" / script, folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **environment})

    def test_programs_run_on_the_gpus_that_are_visible(self):
        programs = ["example_a_cuda", "example_b_cuda"]
        for script, arguments in (("gpu_report.py", ()), ("gpu_check.py", ("--parts", "threads", "--beside", "1"))):
            with self.subTest(script=script), tempfile.TemporaryDirectory() as folder:
                used, report = pathlib.Path(folder, "used"), pathlib.Path(folder, "report.json")
                names = programs if script == "gpu_report.py" else ["stress_a_test_cuda", "stress_b_test_cuda"]
                made = {"programs": names, "body": f"echo $CUDA_VISIBLE_DEVICES >>{used}"}
                few = self.run_gpu_script(script, folder, "--output", report, "--gpus", "2", *arguments, **made, CUDA_VISIBLE_DEVICES="5")
                self.assertEqual((few.returncode, len(few.stderr.splitlines())), (1, 1), few.stderr)
                self.assertIn("there are 1 GPUs here", few.stderr)
                self.assertFalse(report.exists() or used.exists())
                both = self.run_gpu_script(script, folder, "--output", report, "--gpus", "2", *arguments, **made, CUDA_VISIBLE_DEVICES="5,7,8")
                self.assertEqual(both.returncode, 0, both.stdout + both.stderr)
                self.assertEqual(sorted(used.read_text(encoding="utf-8").split()), ["5", "7"])

    def test_programs_that_want_several_gpus_get_all(self):
        sys.path.insert(0, str(ROOT / "tests"))
        from gpu_report import SEVERAL_GPUS

        for path in sorted((ROOT / "tests").glob("*_test.cu")):
            counts_devices = re.search(r"\bcudaGetDeviceCount\(|\bnccl::all_gpus\b|ranks_gpu_testing\.h", path.read_text(encoding="utf-8"))
            if counts_devices:
                self.assertIn(f"{path.stem}_cuda", SEVERAL_GPUS)

    def test_a_part_of_the_tests_is_no_report(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "tests").mkdir()
            report = pathlib.Path(folder, "tests", "gpu_report.json")
            report.write_text('{"checks": [1]}', encoding="utf-8")
            programs = ["example_a_cuda", "example_b_cuda"]
            part = self.run_gpu_script("gpu_report.py", folder, "--only", "_a_", programs=programs)
            self.assertIn("1 passed, 0 failed, 0 skipped", part.stdout)
            self.assertEqual((part.returncode, report.read_text(encoding="utf-8")), (0, '{"checks": [1]}'))
            self.assertEqual(self.run_gpu_script("gpu_report.py", folder, programs=programs).returncode, 0)
            written = json.loads(report.read_text(encoding="utf-8"))
            self.assertEqual((written["passed"], written["checks"]), (2, [1]))
            self.assertEqual([path.name for path in report.parent.iterdir()], ["gpu_report.json"])

    def test_a_report_that_cannot_be_read_is_known_before_the_tests(self):
        for script, name in (("gpu_report.py", "example_a_cuda"), ("gpu_check.py", "stress_a_test_cuda")):
            with self.subTest(script=script), tempfile.TemporaryDirectory() as folder:
                report, ran = pathlib.Path(folder, "report.json"), pathlib.Path(folder, "ran")
                report.write_text('{"checks": [', encoding="utf-8")
                result = self.run_gpu_script(script, folder, "--output", report, programs=[name], body=f"touch {ran}")
                self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1), result.stderr)
                self.assertFalse(ran.exists())

    def test_a_check_whose_tool_is_missing_has_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            arguments = ("--output", report, "--parts", "sanitizers")
            result = self.run_gpu_script("gpu_check.py", folder, *arguments, programs=["stress_a_test_cuda"], PATH=folder)
            self.assertEqual((result.returncode, result.stderr), (1, ""))
            self.assertIn("FAILED (compute-sanitizer: No such file", result.stdout)
            self.assertEqual({row["passed"] for row in json.loads(report.read_text(encoding="utf-8"))["checks"]}, {False})

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_a_digest_is_of_the_sources_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in ("include", "detail", "tests"):
                pathlib.Path(folder, part).mkdir()
            shutil.copy(ROOT / "tests" / "gpu_report.py", pathlib.Path(folder, "tests"))
            header = pathlib.Path(folder, "include", "a.h")
            call = [sys.executable, "-B", "-c", "import gpu_report; print(gpu_report.source_digest())"]
            digests = []
            for text_now in ("one", "two", "one"):
                header.write_text(text_now + "\n", encoding="utf-8")
                if not digests:
                    for command in (["init", "-q"], ["add", "include"]):
                        subprocess.run(["git", "-C", folder, *command], check=True)
                made = subprocess.run(call, cwd=pathlib.Path(folder, "tests"), capture_output=True, text=True, check=True)
                digests.append(made.stdout.strip())
            listing = subprocess.run(["git", "-C", folder, "ls-files", "-s", "include", "detail"], capture_output=True, check=True).stdout
            self.assertEqual(digests[0], hashlib.sha256(listing).hexdigest())
            self.assertEqual(digests[2], digests[0])
            self.assertNotEqual(digests[1], digests[0])

    def test_checks_refuse_a_build_without_a_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("stress_test_cuda", "random_scan_test_and_others_cuda"):
                program = pathlib.Path(folder, name)
                program.write_text("#!/bin/sh\n", encoding="utf-8")
                program.chmod(0o755)
            report = pathlib.Path(folder, "report.json")
            command = [sys.executable, ROOT / "tests" / "gpu_check.py", folder, "--output", report, "--parts", "threads"]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("several tests in a program", result.stderr)
            self.assertFalse(report.exists())

    def test_a_log_of_planted_faults_ends_no_fault_that_was_left_out(self):
        sys.path.insert(0, str(ROOT / "tests" / "mutations"))
        from run import verdicts_in

        lines = ["caught: a", "equivalent: b", "left out, needs a GPU: c", "SURVIVES: d", "NOT TESTED: e: no case of gpu:e"]
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            log.write_text("\n".join(lines) + "\n", encoding="utf-8")
            self.assertEqual(verdicts_in(str(log)), {"a", "b"})

    def test_a_slow_machine_catches_no_fault(self):
        sys.path.insert(0, str(ROOT / "tests" / "mutations"))
        from faults import FAULTS
        from run import Library, judge

        options = types.SimpleNamespace(limit=0.5, gpu=False, gpu_only=False)
        fault = next(fault for fault in FAULTS if fault.tests[0].startswith("host:") and not fault.equivalent)
        with tempfile.TemporaryDirectory() as folder:
            hangs, passes = pathlib.Path(folder, "hangs"), pathlib.Path(folder, "passes")
            hangs.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
            passes.write_text("#!/bin/sh\n", encoding="utf-8")
            hangs.chmod(0o755)
            passes.chmod(0o755)
            with unittest.mock.patch.object(Library, "build", lambda library, _: ("", hangs if library.fault else passes)):
                self.assertEqual(judge(fault, options), (f"caught: {fault.name}", True))
            with unittest.mock.patch.object(Library, "build", lambda *_: ("", hangs)):
                line, is_right = judge(fault, options)
                self.assertTrue(line.startswith("NOT TESTED: "))
                self.assertFalse(is_right)

    def test_planted_faults_are_planted_one_by_one(self):
        """Tests that are built at the same time have programs of their own; a compiler that fails without a word has failed."""
        sys.path.insert(0, str(ROOT / "tests" / "mutations"))
        from faults import FAULTS
        from run import Library

        tests = {test for fault in FAULTS for test in fault.tests if not test.startswith(("misuse:", "calls:"))}
        self.assertGreater(len(tests), 100)
        with Library(types.SimpleNamespace(prefix=[], cxx="g++", cccl="/nowhere", emulation=[])) as library:
            library.call = lambda command: ""
            self.assertEqual(len({library.build(test)[1] for test in tests}), len(tests))
        self.assertEqual(Library.call(["true"]), "")
        self.assertNotEqual(Library.call(["false"]), "")
        self.assertIn("no/such/compiler", Library.call(["no/such/compiler"]))
        command = [sys.executable, ROOT / "tests" / "mutations" / "run.py", "--only", "no such fault", "--no-baseline"]
        self.assertNotEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
