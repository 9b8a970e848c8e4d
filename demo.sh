#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what the demo needs (Debian), builds it and runs it on the text and the picture in bench/data: eleven
# algorithms under Thrust's own policy and under hindsight's, on the GPU if there is one, else on host threads.
# Then the textbook's algorithms side by side (docs/methods.md), as a table and as pictures.
#
#   ./demo.sh [NUM_BYTES [NUM_WORDS]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. .ci/setup.sh

need_packages g++ make cmake
count_jobs
find_nvcc
find_gpu
options=(-DCMAKE_BUILD_TYPE=Release -DHINDSIGHT_BENCH=ON)
if [ -n "$nvcc" ] && [ -n "$gpu" ]; then
  engine=cuda
  options+=(-DHINDSIGHT_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$gpu")
else
  engine=host
  options+=(-DHINDSIGHT_CUDA=OFF)
  if [ -z "$nvcc" ]; then
    fetch_cccl
    options+=("-DHINDSIGHT_CCCL_INCLUDE_DIR=$cccl")
  fi
fi

dir=build/demo-$engine
mkdir -p "$dir"
say "building the demo for $engine (log: $dir/build.log)"
{ cmake -S . -B "$dir" "${options[@]}" && cmake --build "$dir" -j "$jobs" --target "demo_$engine" hindsight_methods; } \
  >"$dir/build.log" 2>&1 || { cat "$dir/build.log" && fail "the build failed"; }
say "running it"
"$dir/bench/demo_$engine" bench/data "$@"

say "the textbook's algorithms side by side"
"$dir/bench/methods/hindsight_methods" --n 2^12,2^20 --json "$dir/methods.json"
find_drawer
if [ -n "$drawer" ]; then
  echo "pictures:"
  "$drawer" bench/methods/report.py --pictures "$dir" "$dir/methods.json"
else
  echo "no pictures: this needs Python with matplotlib and pillow (Debian: python3-matplotlib python3-pil)"
fi
