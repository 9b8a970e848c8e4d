# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs a consumer project, as a CTest test: cmake -D way=FOLDER ... -P run.cmake
# The way "install" comes first: it installs the package that others find.
cmake_minimum_required(VERSION 3.25)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(consumer_dir ${work_dir}/${way})
set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${consumer_dir})
file(MAKE_DIRECTORY ${consumer_dir})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " line "${ARGV}")
    message(FATAL_ERROR "failed (${status}): ${line}")
  endif()
endfunction()

# Runs a command that has to fail, and to say `message`.
function(expect_failure message)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(FIND "${text}" "${message}" place)
  if(status EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "expected a failure that says \"${message}\", got ${status}: ${text}")
  endif()
endfunction()

# The README's two commands, on a machine that has neither compiler nor any library.
if(way STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  foreach(package IN ITEMS GTest Boost TBB OpenMP Threads Doxygen benchmark CUDAToolkit Python3)
    list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endforeach()
  run(${CMAKE_COMMAND} -S ${source_dir} -B ${consumer_dir} -DCMAKE_CXX_COMPILER=/nowhere/c++ ${options})
  run(${CMAKE_COMMAND} --install ${consumer_dir} --prefix ${prefix})
  foreach(file IN ITEMS include/hindsight/policy.h include/hindsight/hindsight.h include/hindsight/version.h
      include/hindsight/detail/config.h share/doc/hindsight/LICENSE share/cmake/hindsight/hindsight-config.cmake)
    if(NOT EXISTS ${prefix}/${file})
      message(FATAL_ERROR "not installed: ${file}")
    endif()
  endforeach()
  # Tests where they are asked for, and what they lack.
  expect_failure("GoogleTest (Debian: libgtest-dev), Boost (Debian: libboost-dev)"
    ${CMAKE_COMMAND} -S ${source_dir} -B ${consumer_dir}/tests -DCMAKE_CXX_COMPILER=${cxx} -DHINDSIGHT_TESTS=ON
    -DHINDSIGHT_CUDA=OFF "-DHINDSIGHT_CCCL_INCLUDE_DIR=${cccl}"
    -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON)
  return()
endif()

if(way STREQUAL "conan")
  set(ENV{CONAN_HOME} ${consumer_dir}/home)
  set(ENV{CXX} ${cxx})
  run(${conan} profile detect)
  if(cccl)
    set(variables -c "tools.cmake.cmaketoolchain:extra_variables={'HINDSIGHT_CCCL_INCLUDE_DIR': '${cccl}'}")
  endif()
  run(${conan} create ${source_dir}/packaging/conan --no-remote ${variables}
    -c tools.cmake.cmake_layout:test_folder=${consumer_dir}/test -c tools.cmake.cmaketoolchain:user_presets=)
  return()
endif()

set(options -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix} -DHINDSIGHT_SOURCE_DIR=${source_dir})
if(way STREQUAL "cuda_only")
  list(APPEND options -DCMAKE_CUDA_HOST_COMPILER=${cxx})
else()
  list(APPEND options -DCMAKE_CXX_COMPILER=${cxx})
endif()
if(cuda)
  list(APPEND options -DCMAKE_CUDA_COMPILER=${cuda} "-DCMAKE_CUDA_ARCHITECTURES=${cuda_architectures}")
endif()
string(REPLACE ";" "\\;" cccl_option "-DHINDSIGHT_CCCL_INCLUDE_DIR=${cccl}")

if(way STREQUAL "old_cccl")
  set(old ${consumer_dir}/old)
  file(WRITE ${old}/thrust/version.h "#define THRUST_VERSION 200700\n")
  expect_failure("has CCCL 2.7.0. Set HINDSIGHT_CCCL_INCLUDE_DIR"
    ${CMAKE_COMMAND} -E chdir ${consumer_dir}  # a relative path begins where cmake is called
    ${CMAKE_COMMAND} -S ${here}/${way} -B ${consumer_dir}/build ${options} -DHINDSIGHT_CCCL_INCLUDE_DIR=old)
  # A program that can do without hindsight goes on.
  run(${CMAKE_COMMAND} -S ${here}/${way} -B ${consumer_dir}/optional ${options} -Doptional=ON
    -DHINDSIGHT_CCCL_INCLUDE_DIR=${old})
  expect_failure("hindsight needs CCCL 2.8 or later"
    ${cxx} -std=c++17 -fsyntax-only -x c++ -I ${old} -I ${prefix}/include ${prefix}/include/hindsight/hindsight.h)
  return()
endif()
if(way STREQUAL "own_cccl")
  # The headers of the CCCL at hand, but for a mark, in another folder.
  set(own ${consumer_dir}/own)
  file(GLOB parts RELATIVE ${cccl_at_hand} ${cccl_at_hand}/* ${cccl_at_hand}/thrust/*)
  list(REMOVE_ITEM parts thrust thrust/version.h)
  file(MAKE_DIRECTORY ${own}/thrust)
  foreach(part IN LISTS parts)
    file(CREATE_LINK ${cccl_at_hand}/${part} ${own}/${part} SYMBOLIC)
  endforeach()
  file(READ ${cccl_at_hand}/thrust/version.h text)
  file(WRITE ${own}/thrust/version.h "#define THIS_IS_MY_OWN_CCCL\n${text}")
  list(APPEND options -Down_cccl=${own})
  expect_failure("and a program can have one only"
    ${CMAKE_COMMAND} -S ${here}/${way} -B ${consumer_dir}/two ${options} -Dfound_first=ON
    -DHINDSIGHT_CCCL_INCLUDE_DIR=${cccl_at_hand})
elseif(cccl)
  list(APPEND options "${cccl_option}")
endif()

run(${CMAKE_COMMAND} -S ${here}/${way} -B ${consumer_dir}/build ${options})
run(${CMAKE_COMMAND} --build ${consumer_dir}/build)
if(NOT way STREQUAL "cuda_only")
  run(${consumer_dir}/build/consumer)
endif()
