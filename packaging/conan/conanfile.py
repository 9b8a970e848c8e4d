# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Hindsight(ConanFile):
    name = "hindsight"
    description = "A Thrust execution policy on single-pass look-back kernels"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("cuda", "thrust", "parallel", "scan", "sort", "header-only")
    package_type = "header-library"

    @property
    def root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self.root, "include", "hindsight", "version.h"))
        self.version = ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "include/*", "detail/*"):
            copy(self, pattern, self.root, self.export_sources_folder)

    def build(self):
        # Without a toolchain: nothing is compiled.
        self.run(f'cmake -S "{self.source_folder}" -B "{self.build_folder}"')

    def package(self):
        self.run(f'cmake --install "{self.build_folder}" --prefix "{self.package_folder}"')
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The installed package finds threads and CCCL, which a file generated here would not.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "hindsight")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
