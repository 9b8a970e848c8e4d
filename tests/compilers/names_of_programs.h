// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that programs, X11 and <complex.h> define as macros: none of hindsight's headers may use
// them. CCCL's headers come first, for they do use some.
#pragma once

#include <cuda/functional>
#include <cuda/std/functional>
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>
#if defined(__CUDACC__)
#  include <cub/cub.cuh>
#endif

#define I 1
#define K 2
#define M 3
#define N 4
#define P 5
#define Q 6
#define None 7
#define True 8
#define False 9
#define Bool 10
#define Status 11
#define Success 12
#define Always 13
#define Complex 14
#define SIZE 15
#define BLOCK_SIZE 16
#define WARP_SIZE 17
#define TILE 18
#define BINS 19
#define RADIX 20
#define THREADS 21
#define MAX 22
#define MIN 23
#define EPS 24
#define PI 25
#define CHECK 26
#define ASSERT 27
#define DEBUG 28
#define ERROR 29
