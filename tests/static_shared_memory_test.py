#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles histograms and checks that their kernels have no shared memory but the dynamic one.

A launch is planned with all the shared memory that a block may have. Static memory counts as well: with 16 bytes of it a
launch fails where the bins take all, and no test sees that whose bins do not.

Usage: static_shared_memory_test.py NVCC INCLUDE_DIR... (in the order in which nvcc gets them)
"""

import os
import re
import subprocess
import sys
import tempfile

SOURCE = """
#include <hindsight/device_histogram.cuh>
using histogram = hindsight::DeviceHistogram;
template <class Sample>
cudaError_t count(void* temp, std::size_t& bytes, const Sample* in, int* out, const Sample* levels, int n) {
  const cudaError_t status = histogram::HistogramEven(temp, bytes, in, out, 100, Sample{0}, Sample{99}, n);
  return status ? status : histogram::HistogramRange(temp, bytes, in, out, 100, levels, n);
}
template cudaError_t count(void*, std::size_t&, const float*, int*, const float*, int);
template cudaError_t count(void*, std::size_t&, const unsigned char*, int*, const unsigned char*, int);
template cudaError_t count(void*, std::size_t&, const long long*, int*, const long long*, int);
"""


def main():
    nvcc, *include_dirs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = os.path.join(folder, "histograms.cu"), os.path.join(folder, "histograms.ptx")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        includes = [flag for folder in include_dirs for flag in ("-I", folder)]
        subprocess.run([nvcc, "-std=c++17", "-arch=compute_80", "-ptx", *includes, "-o", ptx, source], check=True)
        with open(ptx, encoding="utf-8") as file:
            text = file.read()
    kernels = re.findall(r"\.entry (\w*histogram_kernel\w*)\(", text)
    dynamic = re.findall(r"^\s*\.extern \.shared .*", text, re.MULTILINE)
    static = re.findall(r"^\s*(?:\.\w+ )?\.shared .*", text, re.MULTILINE)
    static = [line for line in static if not line.lstrip().startswith(".extern")]
    print(f"{len(kernels)} kernels, {len(dynamic)} names of dynamic shared memory, {len(static)} of static one")
    print("\n".join(static))
    return 0 if len(kernels) >= 6 and dynamic and not static else 1


if __name__ == "__main__":
    sys.exit(main())
