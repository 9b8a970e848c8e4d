#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc takes the examples in the comments of the public headers; only its front end runs.

Usage: docstring_examples_test.py NVCC [CCCL_FOLDER] HEADER...
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(nvcc, *paths):
    headers = [path for path in paths if path.endswith((".h", ".cuh"))]
    folders = [*(path for path in paths if path not in headers), ROOT / "include", ROOT / "detail"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "examples.cu")
        with open(source, "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, ROOT / "docs/api/docstrings.py", "--examples", *headers], stdout=file, check=True)
        command = [nvcc, "-std=c++17", "-arch=sm_90", "-c", "-fdevice-syntax-only", "-Xcompiler", "-fsyntax-only"]
        command += [*(f"-I{path}" for path in folders), source, "-o", pathlib.Path(folder, "examples.o")]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
