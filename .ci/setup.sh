# shellcheck shell=bash disable=SC2034  # nvcc, gpu, cccl, drawer, jobs and the counts are read by the scripts that source this
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What test.sh and demo.sh share. Sourced by them, in the root of the repository.
#
#   HINDSIGHT_NO_CUDA=1  build the host engine alone, as on a machine without the CUDA toolkit
#   HINDSIGHT_JOBS=N     parallel compilations (default: one per core and per 3.5 GiB of memory)

# The nvidia-cuda-cccl release that holds the Thrust of CUDA 13.0 (CCCL 3.0.1), for machines without the toolkit.
cccl_package=nvidia-cuda-cccl==13.0.85

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Installs the Debian packages that are missing, or prints the command that does and stops.
need_packages() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: the build says what it lacks
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local install="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    fail "these Debian packages are missing. Run this, then $0 again:
  sudo sh -c '$install'"
  fi
  say "installing ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive sh -c "$install" </dev/null >&2 || fail "apt-get failed"
}

# Sets nvcc to the CUDA compiler's path, or to nothing.
find_nvcc() {
  nvcc=
  [ "${HINDSIGHT_NO_CUDA:-0}" = 1 ] && return 0
  nvcc=$(command -v nvcc || true)
  if [ -z "$nvcc" ] && [ -x /usr/local/cuda/bin/nvcc ]; then nvcc=/usr/local/cuda/bin/nvcc; fi
  if [ -n "$nvcc" ]; then export CUDACXX=$nvcc; fi
}

# Sets gpu to the architecture of the first GPU, such as 90, or to nothing.
find_gpu() {
  gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) || gpu=
  gpu=${gpu%%$'\n'*} && gpu=${gpu/./}
  [[ $gpu =~ ^[0-9]+$ ]] || gpu=
}

# Downloads cccl_package into the folder $1.
download_cccl() {
  python3 -m pip --version >/dev/null 2>&1 || need_packages python3 python3-pip
  say "fetching the headers of $cccl_package"
  rm -rf "$1"
  mkdir -p "$1"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$1" "$cccl_package" ||
    fail "pip could not download $cccl_package"
  python3 -m zipfile -e "$1"/*.whl "$1" || fail "$cccl_package cannot be unpacked"
}

# Sets cccl to a folder with the headers of cccl_package, fetched once into build/cccl; without a version once a day. If that
# fails, those of an earlier day stay.
fetch_cccl() {
  local root=build/cccl/${cccl_package//==/-} is_old=
  if [[ $cccl_package != *==* ]] && [ -d "$root/nvidia" ]; then is_old=$(find "$root" -maxdepth 0 -mtime +0); fi
  if [ ! -d "$root/nvidia" ] || [ -n "$is_old" ]; then
    if (download_cccl "$root.part"); then
      rm -rf "$root"
      mv "$root.part" "$root"
    elif [ -z "$is_old" ]; then
      exit 1
    fi
  fi
  cccl=$(find "$PWD/$root/nvidia" -path '*/thrust/version.h' -printf '%h/..' -quit)
  [ -n "$cccl" ] || fail "$root has no thrust/version.h"
  cccl=$(cd "$cccl" && pwd)
}

# Puts programs from PyPI on PATH, fetched once into build/tools: cuobjdump and the nvdisasm that it needs, to read machine
# code, and the newest CCCL, if there is nvcc; conan, to try its recipe. A test without its program is skipped or left out.
fetch_tools() {
  local tools=$PWD/build/tools
  python3 -m ensurepip --version >/dev/null 2>&1 || need_packages python3 python3-pip python3-venv
  if [ -n "$nvcc" ] && ! command -v cuobjdump >/dev/null; then
    say "fetching cuobjdump"
    python3 -m venv "$tools/cuda" && "$tools/cuda/bin/pip" install --quiet --disable-pip-version-check \
      --only-binary :all: nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm || echo "pip could not fetch cuobjdump"
  fi
  local program
  for program in "$tools"/cuda/lib/python*/site-packages/nvidia/cu*/bin/cuobjdump; do
    if [ -x "$program" ]; then export PATH=$PATH:${program%/*}; fi
  done
  if [ -n "$nvcc" ]; then # tests/same_kernels_test.py compares with the newest
    HINDSIGHT_OTHER_CCCL=$(cccl_package=nvidia-cuda-cccl && fetch_cccl >&2 && echo "$cccl") || HINDSIGHT_OTHER_CCCL=
    export HINDSIGHT_OTHER_CCCL
  fi
  if [ ! -x "$tools/conan/bin/conan" ] && ! command -v conan >/dev/null; then
    say "fetching conan"
    python3 -m venv "$tools/conan" && "$tools/conan/bin/pip" install --quiet --disable-pip-version-check conan ||
      echo "pip could not fetch conan"
  fi
}

# Sets drawer to a Python that can draw pictures, or to nothing; as root it installs what is missing (Debian).
find_drawer() {
  local python attempt
  drawer=
  for attempt in before after; do
    for python in python3 /usr/bin/python3; do
      if "$python" -c 'import matplotlib, PIL' 2>/dev/null; then
        drawer=$python
        return 0
      fi
    done
    if [ "$attempt" = before ] && [ "$(id -u)" -eq 0 ]; then
      (need_packages python3 python3-matplotlib python3-pil) || return 0
    fi
  done
}

# Sets jobs.
count_jobs() {
  local by_memory
  by_memory=$(awk '/MemAvailable/ {print int($2 / 3670016)}' /proc/meminfo)
  jobs=$(nproc)
  if [ "$by_memory" -lt "$jobs" ]; then jobs=$by_memory; fi
  if [ "$jobs" -lt 1 ]; then jobs=1; fi
  jobs=${HINDSIGHT_JOBS:-$jobs}
}

# Sets all, bad and left to the numbers of tests, of those that failed, and of those that were skipped, in a JUnit report of
# CTest's. CTest counts as skipped what it could not run, too: a program that is missing, a test whose fixture failed.
# The second argument is CTest's exit status.
count_tests() {
  local unable
  all=$(counter tests "$1") bad=$(counter failures "$1") left=$(counter skipped "$1")
  unable=$(grep '<skipped ' "$1" | grep -cv 'message="SKIP_') || true
  bad=$((bad + unable)) left=$((left - unable))
  [ "${2:-0}" -eq 0 ] || [ "$bad" -gt 0 ] || fail "ctest ended with $2, and its report has no failure"
}

# The value of a counter in the head of a JUnit report.
counter() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }
