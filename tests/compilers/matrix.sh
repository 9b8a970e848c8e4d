#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles every_call.cpp with many compilers and CCCL releases, hindsight in a normal include folder (-I) under
#   -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
#
#   matrix.sh fast CCCL_FOLDER   one g++ and one clang++ of this machine: under a minute
#   matrix.sh all                every g++ and clang++ of Debian, CCCL 2.8 to the newest on PyPI, nvcc, the newest nvcc on
#                                PyPI, clang as a CUDA compiler: half an hour. Installs compilers; the rest goes to build/
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
. .ci/setup.sh

source=tests/compilers/every_call
strict=(-Wall -Wextra -Wconversion -Wshadow)
ours=(-I include -I detail)
host=("${ours[@]}" -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs a command, and counts whether it succeeds.
check() {
  local name=$1 started=$SECONDS
  shift
  if "$@" >"$scratch/log" 2>&1; then
    passed=$((passed + 1))
    printf 'ok    %4d s  %s\n' $((SECONDS - started)) "$name"
  else
    failed=$((failed + 1))
    printf 'FAIL  %4d s  %s\n' $((SECONDS - started)) "$name"
    grep -E 'error|warning' "$scratch/log" | head -n 5
  fi
}

# A user's build: our headers in a normal folder, every warning an error.
check_host() {
  local compiler=$1 cccl=$2 standard=$3
  check "$compiler -std=$standard, CCCL $(cccl_version "$cccl")" \
    "$compiler" "-std=$standard" -fsyntax-only "${strict[@]}" -Wpedantic -Werror "${host[@]}" -isystem "$cccl" $source.cpp
}

# Our own warnings, but those of conversions, which are the user's operators'.
check_own_warnings() {
  local compiler=$1 cccl=$2
  check "$compiler, warnings in our headers, CCCL $(cccl_version "$cccl")" \
    "$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Wshadow -Werror -DHINDSIGHT_SHOW_WARNINGS "${host[@]}" \
    -isystem "$cccl" $source.cpp
}

# Further arguments are options of the compiler.
check_run() {
  local compiler=$1 cccl=$2
  shift 2
  check "$compiler -O1, run, CCCL $(cccl_version "$cccl") $*" sh -c '"$@" && '"$scratch/program" sh \
    "$compiler" "$@" -std=c++17 -O1 "${host[@]}" -isystem "$cccl" -o "$scratch/program" $source.cpp -lpthread
}

# nvcc's own line directives are no ISO C++, so without -Wpedantic. Further arguments are options of nvcc; `arch` is sm_90
# unless it is set.
check_nvcc() {
  local compiler=$1 cccl=$2 arch=${arch:-sm_90}
  shift 2
  check "$("$compiler" --version | sed -n 's/.*release \([0-9.]*\).*/nvcc \1/p') for $arch, CCCL $(cccl_version "$cccl") $*" \
    "$compiler" "$@" -std=c++17 "-arch=$arch" --Werror all-warnings "-Xcompiler=$(IFS=, && echo "${strict[*]}"),-Werror" \
    "${ours[@]}" -I "$cccl" -c -o "$scratch/object.o" $source.cu
}

check_clang_cuda() {
  local compiler=$1 cuda=$2 cccl=$3
  check "$compiler for CUDA in $cuda, CCCL $(cccl_version "$cccl")" \
    "$compiler" -x cuda -std=c++17 --cuda-gpu-arch=sm_90 "--cuda-path=$cuda" -Wno-unknown-cuda-version \
    "${strict[@]}" -Werror "${ours[@]}" -isystem "$cccl" -c -o "$scratch/object.o" $source.cu
}

# The standard library's mdspan, which libc++ has from 17 on and libstdc++ from 15 on.
check_std_mdspan() {
  local compiler=$1 cccl=$2
  check "$compiler, std::mdspan, run, CCCL $(cccl_version "$cccl")" sh -c '"$@" && '"$scratch/program" sh \
    "$compiler" -stdlib=libc++ -std=c++23 -O1 "${strict[@]}" -Wpedantic -Werror "${host[@]}" -isystem "$cccl" \
    -o "$scratch/program" tests/compilers/std_mdspan.cpp -lpthread
}

cccl_version() {
  local number
  number=$(sed -n 's/.*define THRUST_VERSION \([0-9]*\).*/\1/p' "$1/thrust/version.h")
  echo $((number / 100000)).$((number / 100 % 1000)).$((number % 100))
}

# The CCCL of CUDA 12.9.
oldest_cccl=nvidia-cuda-cccl-cu12==12.9.27

run_fast() {
  local compiler
  for compiler in g++ clang++; do
    command -v $compiler >/dev/null || { echo "skip: this machine has no $compiler"; continue; }
    check_host $compiler "$1" c++17
    check_own_warnings $compiler "$1"
  done
  cccl_package=$oldest_cccl
  (fetch_cccl) || { echo "skip: $oldest_cccl is not to be had" && return; }
  fetch_cccl # again, for what it sets
  check_run g++ "$cccl"
}

# The newest compiler of that name in /usr/bin.
newest_of() { printf '%s\n' /usr/bin/"$1"-[0-9]* | sort -V | tail -n 1; }

# The parts of CUDA 12.9 that clang needs, from PyPI, in one folder.
fetch_cuda_12() {
  cuda_12=$PWD/build/cuda-12
  [ -d "$cuda_12" ] && return
  local parts=build/cuda-12-parts
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --target $parts --only-binary :all: --upgrade \
    nvidia-cuda-runtime-cu12==12.9.* nvidia-cuda-nvcc-cu12==12.9.* nvidia-curand-cu12 || fail "pip failed"
  mkdir -p "$cuda_12"
  cp -r $parts/nvidia/cuda_nvcc/{bin,nvvm} $parts/nvidia/cuda_runtime/include "$cuda_12"
  cp -r $parts/nvidia/{cuda_nvcc,curand}/include "$cuda_12"
  # There is no fatbinary of CUDA 12 on PyPI, and that of CUDA 13 takes other options: the device code is left out.
  printf '#!/bin/sh\n: >"$3"\n' >"$cuda_12/bin/fatbinary" && chmod +x "$cuda_12/bin/fatbinary"
  echo '{"cuda": {"version": "12.9.0"}, "cuda_cudart": {"version": "12.9.0"}}' >"$cuda_12/version.json"
}

run_all() {
  local path compiler version folders=() newest oldest
  apt-get update >/dev/null
  # shellcheck disable=SC2046  # names of packages have no spaces
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-pip libc++-dev libc++abi-dev \
    $(apt-cache search --names-only '^(clang-(1[4-9]|[2-9][0-9])|g[+][+]-[0-9]+)$' | cut -d ' ' -f 1) >/dev/null ||
    fail "apt-get failed"
  for version in 13.0.85 13.1.115 13.2.86 ''; do # CCCL 3.0.1, 3.1.4, 3.2.0, and the newest
    cccl_package=nvidia-cuda-cccl${version:+==$version}
    fetch_cccl
    folders+=("$cccl")
  done
  newest=${folders[-1]}
  cccl_package=$oldest_cccl
  fetch_cccl
  oldest=$cccl
  for path in /usr/bin/g++-[0-9]* /usr/bin/clang++-[0-9]*; do
    compiler=${path##*/}
    check_host "$compiler" "${folders[0]}" c++17
    check_host "$compiler" "$newest" c++20
    check_run "$compiler" "$newest"
  done
  check_run clang++-14 "$newest" -stdlib=libc++ # CCCL 3.0.1 itself does not compile with it
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libc++-19-dev libc++abi-19-dev >/dev/null ||
    fail "apt-get failed" # after the line above: the two libc++ exclude each other
  check_std_mdspan clang++-19 "$newest"
  check_run g++ "$oldest"
  for version in "${folders[@]:1}"; do check_host g++ "$version" c++17; done
  for compiler in g++ clang++; do check_own_warnings "$(newest_of $compiler)" "$newest"; done

  find_nvcc
  compiler=$(newest_of clang++)
  if [ -n "$nvcc" ]; then
    for version in "${folders[@]}"; do check_nvcc "$nvcc" "$version"; done
    check_nvcc "$nvcc" "$oldest"
    arch=sm_75 check_nvcc "$nvcc" "${folders[0]}" # nvcc 13.0 compiles for it unless it is told otherwise
    check_nvcc "$nvcc" "${folders[0]}" -G
    check_nvcc "$nvcc" "${folders[0]}" -rdc=true -use_fast_math --default-stream=per-thread --expt-relaxed-constexpr \
      --extended-lambda
    check_clang_cuda "$compiler" "$(dirname "$(dirname "$(realpath "$nvcc")")")" "${folders[0]}"
  fi
  fetch_cuda_12
  for compiler in /usr/bin/clang++-19 "$compiler"; do check_clang_cuda "$compiler" "$cuda_12" "${folders[0]}"; done
  # A compiler from PyPI, with the headers that belong to it.
  python3 -m pip install --quiet --disable-pip-version-check --target build/nvcc --only-binary :all: --upgrade \
    nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl || fail "pip failed"
  nvcc=$(printf '%s\n' "$PWD"/build/nvcc/nvidia/cu*/bin/nvcc)
  check_nvcc "$nvcc" "${nvcc%/bin/nvcc}/include/cccl"
}

case ${1:-} in
fast) run_fast "${2:?a folder with thrust/}" ;;
all) run_all ;;
*) fail "say fast or all" ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
