#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fuzzes the host engine: tests/fuzz/run.sh [seconds] [CCCL's include folder]. Needs clang with libFuzzer. Starts from
# the inputs of corpus.tar.xz, and leaves there those that reach all code that was reached. An input that fails is left in
# the current folder, and its name printed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=${1:-600}
cccl=${2:-/usr/local/cuda/include/cccl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$work/host_fuzz
${CXX:-clang++} -std=c++17 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
  -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -I "$here/../../include" -I "$here/../../detail" -isystem "$cccl" \
  "$here/host_fuzz.cpp" -pthread -o "$program"
mkdir "$work/corpus" "$work/kept"
tar -C "$work" -xJf "$here/corpus.tar.xz"
"$program" -max_total_time="$seconds" -max_len=2048 -timeout=20 -print_final_stats=1 "$work/corpus"
"$program" -merge=1 "$work/kept" "$work/corpus"
tar -C "$work" --sort=name --owner=0 --group=0 --mtime=2026-01-01 --transform='s/^kept/corpus/' -cJf "$here/corpus.tar.xz" kept
