# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Defines hindsight::cccl, which carries the include path of Thrust, CUB and libcu++. Used by this project's build and,
# installed, by its package config.
#
#   HINDSIGHT_CCCL_INCLUDE_DIR  folders with thrust/, cub/, cuda/std: they go before the CUDA toolkit's own, for every
#                               language, so that hindsight is built on and measured against that CCCL
#
# Otherwise C++ sources get the toolkit's copy (nvcc has it on its own), found beside nvcc, in CUDAToolkit_ROOT,
# CUDA_HOME, CUDA_PATH or /usr/local/cuda.

set(HINDSIGHT_CCCL_INCLUDE_DIR "" CACHE STRING
    "Folders with thrust/, cub/ and cuda/std; they go before the CUDA toolkit's own")

if(NOT TARGET hindsight::cccl)
  add_library(hindsight::cccl INTERFACE IMPORTED GLOBAL)
  # Plain -I: nvcc searches its own copy, a system folder, before any other system folder.
  set_target_properties(hindsight::cccl PROPERTIES SYSTEM OFF)

  if(HINDSIGHT_CCCL_INCLUDE_DIR)
    find_path(_hindsight_cccl thrust/version.h PATHS ${HINDSIGHT_CCCL_INCLUDE_DIR} NO_DEFAULT_PATH NO_CACHE)
    set_target_properties(hindsight::cccl PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${HINDSIGHT_CCCL_INCLUDE_DIR}")
  else()
    set(_hindsight_nvcc_root "")
    set(_hindsight_nvcc "${CMAKE_CUDA_COMPILER}")
    if(NOT _hindsight_nvcc)
      find_program(_hindsight_nvcc nvcc NO_CACHE)
    endif()
    if(_hindsight_nvcc)
      get_filename_component(_hindsight_nvcc_root "${_hindsight_nvcc}" REALPATH)
      get_filename_component(_hindsight_nvcc_root "${_hindsight_nvcc_root}/../.." ABSOLUTE)
    endif()
    find_path(_hindsight_cccl thrust/version.h
      HINTS ${_hindsight_nvcc_root} ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH
      PATHS /usr/local/cuda
      PATH_SUFFIXES include/cccl include NO_CACHE)
    if(_hindsight_cccl)
      set_target_properties(hindsight::cccl PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "$<$<COMPILE_LANGUAGE:CXX>:${_hindsight_cccl}>")
    endif()
  endif()

  if(NOT _hindsight_cccl)
    message(FATAL_ERROR "hindsight: no thrust/version.h found. Install the CUDA toolkit, or set "
      "HINDSIGHT_CCCL_INCLUDE_DIR to a folder that holds thrust/, cub/ and cuda/std (the PyPI package "
      "nvidia-cuda-cccl has one: nvidia/cu13/include/cccl).")
  endif()
  set(HINDSIGHT_CCCL_VERSION "unknown")
  file(STRINGS "${_hindsight_cccl}/thrust/version.h" _hindsight_line REGEX "define THRUST_VERSION ")
  if(_hindsight_line MATCHES "([0-9]+)")
    math(EXPR _hindsight_major "${CMAKE_MATCH_1} / 100000")
    math(EXPR _hindsight_minor "${CMAKE_MATCH_1} / 100 % 1000")
    math(EXPR _hindsight_patch "${CMAKE_MATCH_1} % 100")
    set(HINDSIGHT_CCCL_VERSION "${_hindsight_major}.${_hindsight_minor}.${_hindsight_patch}")
  endif()
  message(STATUS "hindsight: CCCL ${HINDSIGHT_CCCL_VERSION} in ${_hindsight_cccl}")
  unset(_hindsight_cccl)
endif()
