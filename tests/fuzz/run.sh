#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fuzzes the host engine, or the kernels on the CPU: tests/fuzz/run.sh host|kernel [seconds] [CCCL's include folder].
# Of 0 seconds only the compiler's front end runs, for CI: a target that does not compile is of no use on the day it is needed.
# Needs clang with libFuzzer; kernels need Boost.Context, too. Starts from the inputs of host.tar.xz or kernel.tar.xz, and
# leaves there those that reach all code that was reached. An input that fails is left in the current folder, and its name
# printed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests=$(dirname "$here")
target=${1:?host or kernel}
seconds=${2:-600}
cccl=${3:-/usr/local/cuda/include/cccl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$work/fuzz
first=()
[ "$target" = kernel ] && first=(-I "$tests/emulation/nvcc" -I "$tests/emulation/stub" -D__SANITIZE_ADDRESS__)  # which g++ defines by itself
# Kernels compute offsets from null when they are asked for the size of their temporary memory.
compile=(${CXX:-clang++} -std=c++17 -O1 -g -w -fsanitize=fuzzer-no-link,address,undefined
  -fno-sanitize=null,pointer-overflow -fno-sanitize-recover=all -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP
  "${first[@]}" -I "$tests" -I "$tests/../include" -I "$tests/../detail" -isystem "$cccl" -c)
libraries=(-pthread)
if [ "$target" = kernel ]; then
  libraries+=(-lgtest -lboost_context)
  for source in grid memory schedule; do
    [ "$seconds" = 0 ] || "${compile[@]}" "$tests/emulation/$source.cpp" -o "$work/$source.o"
  done
  compile+=(-include emulation/gpu.h)
fi
if [ "$seconds" = 0 ]; then
  "${compile[@]}" -fsyntax-only "$here/${target}_fuzz.cpp"
  exit
fi
"${compile[@]}" "$here/${target}_fuzz.cpp" -o "$work/fuzz.o"
${CXX:-clang++} -fsanitize=fuzzer,address,undefined "$work"/*.o "${libraries[@]}" -o "$program"
mkdir "$work/corpus" "$work/kept"
tar -C "$work" -xJf "$here/$target.tar.xz"
"$program" -max_total_time="$seconds" -max_len=2048 -timeout=60 -print_final_stats=1 "$work/corpus"
"$program" -merge=1 "$work/kept" "$work/corpus"
tar -C "$work" --sort=name --owner=0 --group=0 --mtime=2026-01-01 --transform='s/^kept/corpus/' -cJf "$here/$target.tar.xz" kept
