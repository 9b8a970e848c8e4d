# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib

from spack.package import *


class Hindsight(CMakePackage):
    """A Thrust execution policy on single-pass look-back kernels."""

    # The checkout that this recipe lies in.
    git = str(pathlib.Path(__file__).resolve().parents[4])

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("cuda", default=True, description="Take CCCL from the CUDA toolkit; without it your program names a CCCL")

    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@12.9:", when="+cuda")  # the first with CCCL 2.8
