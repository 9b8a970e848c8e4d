# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes a header that names the sources of the library:
#   cmake -D root=FOLDER -D output=FILE -P source_digest.cmake
# The digest is the first field of
#   (find include detail -name '*.h' -o -name '*.cuh') | LC_ALL=C sort | xargs sha256sum | sha256sum
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE ${root}
  ${root}/include/*.h ${root}/include/*.cuh ${root}/detail/*.h ${root}/detail/*.cuh)
list(SORT headers)
set(listing "")
foreach(header IN LISTS headers)
  file(SHA256 ${root}/${header} digest)
  string(APPEND listing "${digest}  ${header}\n")
endforeach()
string(SHA256 digest "${listing}")
file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ab {

inline constexpr const char* source_digest = "@digest@";

}  // namespace ab
]])
