# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sources of the checkout that this port lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)  # headers only

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/hindsight)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
