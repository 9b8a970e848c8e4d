# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a program with hindsight needs besides hindsight's headers. Used by this project's build and by the installed
# package, so that each program is configured for the machine that builds it.
#
#   hindsight::cccl       the include path of Thrust, CUB and libcu++
#   hindsight::toolchain  C++17 and threads, for the languages that are enabled
#
# Which CCCL:
#   HINDSIGHT_CCCL_INCLUDE_DIR    folders with thrust/, cub/, cuda/std: they go before the CUDA toolkit's own
#   else the program's own CCCL   where find_package(CCCL), find_package(Thrust) or the like is called anywhere in it
#   else the toolkit's            found beside nvcc, in CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH or /usr/local/cuda
# HINDSIGHT_OPENMP  OFF: the host engine uses threads of its own where the C++ compiler has OpenMP, too

set(HINDSIGHT_CCCL_INCLUDE_DIR "" CACHE PATH  # with which a relative one becomes an absolute one
    "Folders with thrust/, cub/ and cuda/std; they go before the CUDA toolkit's own")
option(HINDSIGHT_OPENMP "Let the host engine use OpenMP threads where the compiler has them" ON)

# Sets `result` to the version of the CCCL in `folder`.
function(hindsight_read_cccl_version folder result)
  set(${result} "unknown" PARENT_SCOPE)
  file(STRINGS "${folder}/thrust/version.h" line REGEX "define THRUST_VERSION ")
  if(line MATCHES "([0-9]+)")
    math(EXPR major "${CMAKE_MATCH_1} / 100000")
    math(EXPR minor "${CMAKE_MATCH_1} / 100 % 1000")
    math(EXPR patch "${CMAKE_MATCH_1} % 100")
    set(${result} "${major}.${minor}.${patch}" PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to a folder that has thrust/version.h, or to nothing. The remaining arguments are find_path's.
function(hindsight_find_thrust result)
  unset(hindsight_folder)  # find_path does not look for what is set, not even for what is set to nothing
  find_path(hindsight_folder thrust/version.h ${ARGN} NO_CACHE)
  if(NOT hindsight_folder)
    set(hindsight_folder "")
  endif()
  set(${result} "${hindsight_folder}" PARENT_SCOPE)
endfunction()

# Sets `result` to the folder with the headers of the program's own CCCL, or to nothing.
function(hindsight_find_cccl_of_program result)
  set(${result} "" PARENT_SCOPE)
  if(TARGET Thrust::Thrust)
    get_target_property(folders Thrust::Thrust INTERFACE_INCLUDE_DIRECTORIES)
    hindsight_find_thrust(folder PATHS ${folders} NO_DEFAULT_PATH)
    set(${result} "${folder}" PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to the folder with the headers of the CUDA toolkit's CCCL, or to nothing.
function(hindsight_find_cccl_of_toolkit result)
  set(nvcc_root "")
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc MATCHES "nvcc")
    unset(nvcc)
    find_program(nvcc nvcc NO_CACHE)
  endif()
  if(nvcc)
    get_filename_component(nvcc_root "${nvcc}" REALPATH)
    get_filename_component(nvcc_root "${nvcc_root}/../.." ABSOLUTE)
  endif()
  hindsight_find_thrust(folder
    HINTS ${nvcc_root} ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH
    PATHS /usr/local/cuda
    PATH_SUFFIXES include/cccl include)
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Sets `refusal` to the reason why there is no CCCL that hindsight can use, or to nothing.
function(hindsight_add_cccl refusal)
  hindsight_find_cccl_of_program(program_cccl)
  set(parts "")
  if(HINDSIGHT_CCCL_INCLUDE_DIR)
    hindsight_find_thrust(folder PATHS ${HINDSIGHT_CCCL_INCLUDE_DIR} NO_DEFAULT_PATH)
    if(NOT folder)
      set(${refusal} "no thrust/version.h in HINDSIGHT_CCCL_INCLUDE_DIR, ${HINDSIGHT_CCCL_INCLUDE_DIR}" PARENT_SCOPE)
      return()
    endif()
    file(REAL_PATH "${folder}" chosen_path)
    if(program_cccl)
      file(REAL_PATH "${program_cccl}" program_path)
      if(NOT program_path STREQUAL chosen_path)
        string(CONCAT reason "HINDSIGHT_CCCL_INCLUDE_DIR is ${folder}, but this program's own CCCL is "
          "${program_cccl}, and a program can have one only. Unset the former, or point both to one.")
        set(${refusal} "${reason}" PARENT_SCOPE)
        return()
      endif()
    endif()
    set(includes "${HINDSIGHT_CCCL_INCLUDE_DIR}")
  else()
    # Decided when the program's targets are all known, so the order of its find_package calls does not matter.
    foreach(part IN ITEMS Thrust::Thrust CUB::CUB libcudacxx::libcudacxx)
      list(APPEND parts $<TARGET_NAME_IF_EXISTS:${part}>)
    endforeach()
    set(folder "${program_cccl}")
    set(includes "")
    if(NOT folder)
      hindsight_find_cccl_of_toolkit(folder)
      # nvcc has it on its own.
      set(includes "$<$<AND:$<NOT:$<TARGET_EXISTS:Thrust::Thrust>>,$<NOT:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>>>:${folder}>")
    endif()
    if(NOT folder)
      string(CONCAT reason "no thrust/version.h found. Install the CUDA toolkit, or call find_package(CCCL) "
        "before, or set HINDSIGHT_CCCL_INCLUDE_DIR to a folder that holds thrust/, cub/ and cuda/std (the PyPI package "
        "nvidia-cuda-cccl has one: nvidia/cu13/include/cccl).")
      set(${refusal} "${reason}" PARENT_SCOPE)
      return()
    endif()
  endif()

  hindsight_read_cccl_version("${folder}" version)
  if(version VERSION_LESS 2.8)
    string(CONCAT reason "CCCL 2.8 or later is needed, but ${folder} has CCCL ${version}. "
      "Set HINDSIGHT_CCCL_INCLUDE_DIR to the include folder of a later one; CUDA 12 compilers take it, too.")
    set(${refusal} "${reason}" PARENT_SCOPE)
    return()
  endif()
  if(NOT hindsight_FIND_QUIETLY)
    message(STATUS "hindsight: CCCL ${version} in ${folder}")
  endif()
  set(${refusal} "" PARENT_SCOPE)
  add_library(hindsight::cccl INTERFACE IMPORTED GLOBAL)
  # Plain -I: nvcc searches its own copy, a system folder, before any other system folder.
  set_target_properties(hindsight::cccl PROPERTIES SYSTEM OFF
    INTERFACE_INCLUDE_DIRECTORIES "${includes}" INTERFACE_LINK_LIBRARIES "${parts}")
endfunction()

# Why hindsight cannot be used here; empty if it can. Whoever includes this has to ask.
set(hindsight_refusal "")
if(NOT TARGET hindsight::cccl)
  hindsight_add_cccl(hindsight_refusal)
endif()

# Not in a function: what find_package defines has to be seen by whoever includes this.
if(NOT TARGET hindsight::toolchain)
  add_library(hindsight::toolchain INTERFACE IMPORTED GLOBAL)
  set(hindsight_with_openmp OFF)
  if(CMAKE_CUDA_COMPILER_LOADED)
    set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_COMPILE_FEATURES cuda_std_17)
  endif()
  if(CMAKE_CXX_COMPILER_LOADED)
    set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_17)
    find_package(Threads REQUIRED)
    set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
    if(HINDSIGHT_OPENMP)
      find_package(OpenMP QUIET COMPONENTS CXX)
    endif()
    if(HINDSIGHT_OPENMP AND OpenMP_CXX_FOUND)
      set(hindsight_with_openmp ON)
      set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
      # One thread team for the whole program: the host engine inside a CUDA source uses OpenMP if C++ sources do.
      set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
        "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcompiler ${OpenMP_CXX_FLAGS}>")
    endif()
  elseif(UNIX)
    # FindThreads needs C or C++, which this program does without.
    set_property(TARGET hindsight::toolchain APPEND PROPERTY INTERFACE_LINK_LIBRARIES -lpthread)
  endif()
endif()
