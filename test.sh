#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what the tests need (Debian), configures, builds and runs all of them.
#
#   ./test.sh            both engines where there is nvcc, else the host engine; then the sanitizers
#   HINDSIGHT_NO_CUDA=1 ./test.sh         the host engine alone
#   HINDSIGHT_NO_SANITIZERS=1 ./test.sh   without the asan and tsan presets
#   HINDSIGHT_TEST_LIMIT=N ./test.sh      a sanitizer's preset is stopped N seconds after the start; the end names it
#
# GPU tests are built wherever there is nvcc and reported as skipped where there is no CUDA device.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. .ci/setup.sh

need_packages g++ clang make cmake libgtest-dev libboost-dev libboost-context-dev libtbb-dev libbenchmark-dev doxygen
count_jobs
find_nvcc
find_gpu
options=()
if [ -n "$nvcc" ]; then
  preset=cuda
  if [ -n "$gpu" ]; then
    # What the lines below may have left in the build folder, where there was no GPU.
    options+=(-UCMAKE_CUDA_FLAGS -UCMAKE_CUDA_FLAGS_RELEASE -UHINDSIGHT_GPU_TESTS_TOGETHER "-DCMAKE_CUDA_ARCHITECTURES=$gpu")
  else
    # What is built for the GPU will not run here: the compiler shall be fast, not its code, and needs no assembler.
    options+=("-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG" -DCMAKE_CUDA_ARCHITECTURES=90-virtual -DHINDSIGHT_GPU_TESTS_TOGETHER=8)
    if [[ $("$nvcc" --help) == *--Ofast-compile* ]]; then options+=(-DCMAKE_CUDA_FLAGS=--Ofast-compile=max); fi
  fi
else
  preset=host
  fetch_cccl
  options+=("-DHINDSIGHT_CCCL_INCLUDE_DIR=$cccl")
fi
fetch_tools

export HINDSIGHT_TEST_SECONDS=${HINDSIGHT_TEST_SECONDS:-2} # for each random test
passed=0 failed=0 skipped=0

# Configures, builds and tests one preset, and adds its counts. With a second argument it stops after so many seconds, and
# what failed until then counts; false if it was stopped.
run_preset() {
  local name=$1 limit=${2:-0} started=$SECONDS report=$PWD/build/$1/junit.xml output=$PWD/build/$1.txt launcher=() status=0
  local all bad left
  say "preset $name: configure and build, $jobs at a time"
  cmake --preset "$name" "${options[@]}" >"build/$name.log" || { cat "build/$name.log" && fail "configure failed"; }
  grep hindsight: "build/$name.log" || true
  within cmake --build --preset "$name" -j "$jobs" || status=$?
  if [ "$status" -eq 124 ]; then return 1; fi
  [ "$status" -eq 0 ] || fail "build failed"
  say "preset $name: test ($((SECONDS - started)) s so far)"
  # GCC 12's ThreadSanitizer needs the address space layout of an older kernel.
  if [ "$name" = tsan ] && setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
  rm -f "$report"
  within "${launcher[@]}" ctest --preset "$name" -j "$jobs" --output-junit "$report" | tee "$output" || status=$?
  if [ "$status" -eq 124 ]; then
    bad=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Exception|Timeout|Not Run)' "$output") || true
    failed=$((failed + bad))
    return 1
  fi
  [ -f "$report" ] || fail "ctest wrote no report"
  count_tests "$report" "$status"
  [ "$all" -gt 0 ] || fail "preset $name ran no test"
  passed=$((passed + all - bad - left)) failed=$((failed + bad)) skipped=$((skipped + left))
}

# Runs a command for what is left of run_preset's limit. Status 124: it was stopped.
within() {
  if [ "$limit" -eq 0 ]; then
    "$@"
  elif [ $((started + limit)) -gt "$SECONDS" ]; then
    timeout $((started + limit - SECONDS)) "$@"
  else
    return 124
  fi
}

mkdir -p build
run_preset "$preset"
left_out=()
if [ "${HINDSIGHT_NO_SANITIZERS:-0}" != 1 ]; then
  for sanitizer in asan tsan; do
    if [ -z "${HINDSIGHT_TEST_LIMIT:-}" ]; then
      run_preset "$sanitizer"
    elif [ "$SECONDS" -ge "$HINDSIGHT_TEST_LIMIT" ] || ! run_preset "$sanitizer" $((HINDSIGHT_TEST_LIMIT - SECONDS)); then
      left_out+=("$sanitizer")
    fi
  done
fi

say "summary ($((SECONDS / 60)) min $((SECONDS % 60)) s)"
gpu_present=build/$preset/tests/gpu_present
if [ -x "$gpu_present" ]; then
  reason=$("$gpu_present") || echo "GPU tests ${reason:-skipped}"
else
  echo "GPU tests were not built: no CUDA compiler"
fi
for sanitizer in "${left_out[@]}"; do
  echo "preset $sanitizer was not run to its end: this machine is too slow for it within $HINDSIGHT_TEST_LIMIT s"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
