// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros of the library, and all tests of what compilers define: the compiler, the processor, the
// system, OpenMP.
//
// Public headers declare themselves system headers, and with them those that they include. So a
// compiler that is newer or stricter warns of nothing in them. HINDSIGHT_SHOW_WARNINGS shows the
// warnings; this project's own programs are built with it.
#pragma once

#include <hindsight/version.h>

#include <thrust/version.h>
#if THRUST_VERSION < 200800
#  error "hindsight needs CCCL 2.8 or later, as CUDA 12.9 has: put -I of a later one first."
#endif

#include <nv/target>
#include <thrust/detail/config.h>  // resolves THRUST_DEVICE_SYSTEM and THRUST_HOST_SYSTEM

#include <cstddef>  // of the standard library that is compiled with

// A program may wrap the namespaces of Thrust and CUB into one of its own: both by
// THRUST_CUB_WRAPPED_NAMESPACE, one of them by THRUST_ or CUB_WRAPPED_NAMESPACE.
#if defined(THRUST_WRAPPED_NAMESPACE)
namespace THRUST_WRAPPED_NAMESPACE::thrust {}
namespace hindsight {
namespace thrust = ::THRUST_WRAPPED_NAMESPACE::thrust;
}
#endif
#if defined(THRUST_CUB_WRAPPED_NAMESPACE)
namespace THRUST_CUB_WRAPPED_NAMESPACE::cub {}
namespace hindsight {
namespace cub = ::THRUST_CUB_WRAPPED_NAMESPACE::cub;
}
#elif defined(CUB_WRAPPED_NAMESPACE)
namespace CUB_WRAPPED_NAMESPACE::cub {}
namespace hindsight {
namespace cub = ::CUB_WRAPPED_NAMESPACE::cub;
}
#endif

// 1 where kernels can be compiled: nvcc with Thrust's CUDA backend selected. tests/emulation
// compiles them with g++.
#if (defined(__CUDACC__) || defined(HINDSIGHT_EMULATION)) && \
    THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#  define HINDSIGHT_CUDA 1
#else
#  define HINDSIGHT_CUDA 0
#endif

// 1 where the compiler has OpenMP turned on.
#if defined(_OPENMP)
#  define HINDSIGHT_HAS_OPENMP 1
#else
#  define HINDSIGHT_HAS_OPENMP 0
#endif
// 1 where a system of Thrust's is oneTBB's: then the program links that library.
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB || THRUST_HOST_SYSTEM == THRUST_HOST_SYSTEM_TBB
#  define HINDSIGHT_HAS_TBB 1
#else
#  define HINDSIGHT_HAS_TBB 0
#endif
#if defined(__GLIBCXX__)
#  define HINDSIGHT_HAS_LIBSTDCXX 1
#else
#  define HINDSIGHT_HAS_LIBSTDCXX 0
#endif
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)  // device code is compiled without host functions
#  define HINDSIGHT_HAS_SSE2 1
// The compilers' own names: <emmintrin.h> is 100 KB. The first writes 16 bytes past the caches, the
// second takes bits of `yes` where the mask has ones, else of `no`: vectors of floats (ps) or
// doubles (pd). GCC would turn operators into a longer chain.
#  if defined(__clang__)
#    define HINDSIGHT_STREAM_STORE(to, word) __builtin_nontemporal_store(word, to)
#    define HINDSIGHT_CHOOSE_BITS(type, mask, yes, no) \
      ((decltype(yes))(((mask) & (vector_of_words)(yes)) | (~(mask) & (vector_of_words)(no))))
#  else
#    define HINDSIGHT_STREAM_STORE(to, word) __builtin_ia32_movntdq(to, word)
#    define HINDSIGHT_CHOOSE_BITS(type, mask, yes, no)                             \
      (__builtin_ia32_or##type(__builtin_ia32_and##type(decltype(yes)(mask), yes), \
                               __builtin_ia32_andn##type(decltype(no)(mask), no)))
#  endif
#else
#  define HINDSIGHT_HAS_SSE2 0
#endif
#if defined(__linux__)
#  define HINDSIGHT_ON_LINUX 1
#else
#  define HINDSIGHT_ON_LINUX 0
#endif
#if defined(__unix__) || defined(__APPLE__)
#  define HINDSIGHT_ON_UNIX 1
#else
#  define HINDSIGHT_ON_UNIX 0
#endif
// For functions that each call runs once, or only the first call: one copy of the code is enough.
#define HINDSIGHT_OUT_OF_LINE [[gnu::noinline]]
// 1 where device code is compiled, whatever Thrust's system is.
#if defined(__CUDACC__)
#  define HINDSIGHT_HAS_KERNELS 1
#else
#  define HINDSIGHT_HAS_KERNELS 0
#endif

// 1 where kernels may assign std::pair and std::tuple: their assignment is constexpr in C++20, and
// nvcc takes constexpr functions into kernels if it is told to.
#if defined(HINDSIGHT_EMULATION) || \
    (__cplusplus >= 202002L && (defined(__CUDACC_RELAXED_CONSTEXPR__) || defined(__clang__)))
#  define HINDSIGHT_ASSIGNS_STD_PAIRS 1
#else
#  define HINDSIGHT_ASSIGNS_STD_PAIRS 0
#endif

// 1 where CCCL knows half and bfloat16. CCCL 2.8 says so by defining a name.
#if THRUST_VERSION >= 300000
#  define HINDSIGHT_HAS_HALF _CCCL_HAS_NVFP16()
#  define HINDSIGHT_HAS_BFLOAT16 _CCCL_HAS_NVBF16()
#else
#  if defined(_CCCL_HAS_NVFP16)
#    define HINDSIGHT_HAS_HALF 1
#  endif
#  if defined(_CCCL_HAS_NVBF16)
#    define HINDSIGHT_HAS_BFLOAT16 1
#  endif
#endif

#if defined(HINDSIGHT_EMULATION)
// tests/emulation runs the kernels on the CPU, and has defined all of the following in its own way.
#elif defined(__CUDACC__)
#  define HINDSIGHT_HD __host__ __device__
#  define HINDSIGHT_DEVICE __device__ __forceinline__
// Kernels are hidden: two shared libraries with kernels of one name must not share them.
#  define HINDSIGHT_KERNEL _CCCL_VISIBILITY_HIDDEN __global__
// A kernel with launch bounds: the threads of a block, and the least number of blocks on a
// multiprocessor, or 0 to let the compiler choose.
// With -G nothing is inlined, and functions of other registers than the kernel's do not link.
#  if defined(__CUDACC_DEBUG__)
#    define HINDSIGHT_BOUNDED_KERNEL(threads, blocks) HINDSIGHT_KERNEL __launch_bounds__(threads)
#  else
#    define HINDSIGHT_BOUNDED_KERNEL(threads, blocks) \
      HINDSIGHT_KERNEL                                \
      __launch_bounds__(threads, ::hindsight::detail::at_most_resident(threads, blocks))
#  endif
// A launch: HINDSIGHT_LAUNCH(blocks, threads, shared_bytes, stream, kernel)(arguments).
#  define HINDSIGHT_LAUNCH(blocks, threads, shared_bytes, stream, ...) \
    __VA_ARGS__<<<blocks, threads, shared_bytes, stream>>>
// A launch whose blocks may start before the launch before it in the stream is over
// (cuda/next_launch.cuh), if that one is of the same call. The kernel is named in full, with all
// template arguments. The call returns a cudaError_t.
#  define HINDSIGHT_LAUNCH_NEXT_IF(is_next, blocks, threads, shared_bytes, stream, ...)    \
    ::hindsight::detail::cuda::next_launch(is_next, blocks, threads, shared_bytes, stream, \
                                           __VA_ARGS__)
#  define HINDSIGHT_LAUNCH_NEXT(...) HINDSIGHT_LAUNCH_NEXT_IF(true, __VA_ARGS__)
// The same of a look-back kernel with a block for each tile, whose chain is prepared.
#  define HINDSIGHT_LAUNCH_TILES(chain, threads, stream, ...)                                \
    HINDSIGHT_LAUNCH_NEXT_IF((chain).starts_early, (chain).num_blocks(), threads, 0, stream, \
                             __VA_ARGS__)
// Shared memory of the block: a reference to a type, and the launch's shared_bytes as uint4[].
// Nothing is constructed in either.
#  define HINDSIGHT_SHARED(name, ...)                                                        \
    static_assert(sizeof(__VA_ARGS__) <= 48 * 1024,                                          \
                  "hindsight: items are too large for the shared memory of this algorithm"); \
    __shared__ ::hindsight::detail::cuda::room_for<__VA_ARGS__> name##_room;                 \
    auto& name = name##_room.first()
#  define HINDSIGHT_DYNAMIC_SHARED(name) extern __shared__ uint4 name[]
// What only code for architectures from 9.0 on does: waits for barriers in shared memory, and for
// the launch before.
#  define HINDSIGHT_FROM_SM_90(body) NV_IF_TARGET(NV_PROVIDES_SM_90, body)
// Runs the first statement in device code, the second on the host; both in parentheses.
#  define HINDSIGHT_ON_DEVICE(on_device, on_host) NV_IF_TARGET(NV_IS_DEVICE, on_device, on_host)
#else
#  define HINDSIGHT_HD
#  define HINDSIGHT_ON_DEVICE(on_device, on_host) NV_IF_TARGET(NV_IS_HOST, on_host)
#endif

// Threads and blocks that a multiprocessor holds; ptxas warns of launch bounds beyond.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || \
    (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
#  define HINDSIGHT_RESIDENT_THREADS 2048
#  define HINDSIGHT_RESIDENT_BLOCKS 32
#elif __CUDA_ARCH__ == 750
#  define HINDSIGHT_RESIDENT_THREADS 1024
#  define HINDSIGHT_RESIDENT_BLOCKS 16
#else
#  define HINDSIGHT_RESIDENT_THREADS 1536
#  define HINDSIGHT_RESIDENT_BLOCKS 16
#endif

namespace hindsight::detail {
constexpr int at_most_resident(int threads, int blocks) {
  constexpr int most_threads = HINDSIGHT_RESIDENT_THREADS, most_blocks = HINDSIGHT_RESIDENT_BLOCKS;
  const int fitting = most_threads / threads < most_blocks ? most_threads / threads : most_blocks;
  return blocks < fitting ? blocks : fitting;
}
}  // namespace hindsight::detail

#if defined(__CUDA_ARCH__)
#  define HINDSIGHT_UNROLL _Pragma("unroll")
#  define HINDSIGHT_UNROLL_BY(n) HINDSIGHT_PRAGMA_(unroll n)
#  define HINDSIGHT_ROLL HINDSIGHT_UNROLL_BY(1)
#  define HINDSIGHT_PRAGMA_(text) _Pragma(#  text)
#else
#  define HINDSIGHT_UNROLL
#  define HINDSIGHT_UNROLL_BY(n)
#  define HINDSIGHT_ROLL
#endif

// Runs the first argument on the host and the second, sequential one in device code, where no
// kernel can be launched. The dead branch makes the device pass instantiate the kernels, which
// only the host branch names. Each argument is a parenthesised statement.
#if HINDSIGHT_CUDA
#  define HINDSIGHT_DISPATCH(on_host, in_kernel) \
    if (false) {                                 \
      NV_IF_TARGET(NV_ANY_TARGET, on_host);      \
    }                                            \
    NV_IF_TARGET(NV_IS_HOST, on_host, in_kernel)
#else
#  define HINDSIGHT_DISPATCH(on_host, in_kernel) NV_IF_TARGET(NV_IS_HOST, on_host)
#endif

// A program may contain libraries that were compiled with other versions of hindsight or of CCCL.
// Namespaces have both in their names, so that none takes the functions and objects of another for
// its own.
#define HINDSIGHT_VERSION_ABI HINDSIGHT_JOIN_VERSIONS_(HINDSIGHT_VERSION, THRUST_VERSION)
#define HINDSIGHT_JOIN_VERSIONS_(own, stock) HINDSIGHT_JOIN_VERSIONS_EXPANDED_(own, stock)
#define HINDSIGHT_JOIN_VERSIONS_EXPANDED_(own, stock) v##own##_thrust_##stock

// The host engine and the policies that reach it live in a namespace named after what their code
// depends on, too: Thrust's systems, the kind of threads, and the language, since more iterators
// are known to be contiguous in C++20. Translation units that differ in one of them may then meet
// in one program.
#if HINDSIGHT_HAS_TBB
#  define HINDSIGHT_TEAM onetbb
#elif HINDSIGHT_HAS_OPENMP
#  define HINDSIGHT_TEAM openmp
#else
#  define HINDSIGHT_TEAM std_threads
#endif
#if __cplusplus >= 202002L
#  define HINDSIGHT_LANGUAGE cxx20
#else
#  define HINDSIGHT_LANGUAGE cxx17
#endif
#define HINDSIGHT_HOST_ABI                                                          \
  HINDSIGHT_JOIN_(__THRUST_DEVICE_SYSTEM_NAMESPACE, __THRUST_HOST_SYSTEM_NAMESPACE, \
                  HINDSIGHT_TEAM, HINDSIGHT_LANGUAGE, HINDSIGHT_VERSION_ABI)
#define HINDSIGHT_JOIN_(device, host, team, language, version) \
  HINDSIGHT_JOIN_EXPANDED_(device, host, team, language, version)
#define HINDSIGHT_JOIN_EXPANDED_(device, host, team, language, version) \
  device_##device##_host_##host##_##team##_##language##_##version

// What puts work into streams lives in a namespace named after the default stream, too: nvcc
// --default-stream per-thread gives functions of the runtime other names.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#  define HINDSIGHT_STREAM_ABI HINDSIGHT_JOIN_STREAM_(HINDSIGHT_VERSION_ABI)
#  define HINDSIGHT_JOIN_STREAM_(version) HINDSIGHT_JOIN_STREAM_EXPANDED_(version)
#  define HINDSIGHT_JOIN_STREAM_EXPANDED_(version) version##_stream_per_thread
#else
#  define HINDSIGHT_STREAM_ABI HINDSIGHT_VERSION_ABI
#endif

// Kernels, the functions that lead to them and the policies of the GPU live in a namespace named
// after the architectures that are compiled for, too. Objects for different architectures may then
// meet in one program: none launches a kernel of another, for which the GPU may have no code.
#define HINDSIGHT_ARCH_ABI \
  HINDSIGHT_JOIN_ARCHITECTURES_(HINDSIGHT_ARCHITECTURES, HINDSIGHT_STREAM_ABI)
#define HINDSIGHT_JOIN_ARCHITECTURES_(names, version) \
  HINDSIGHT_JOIN_ARCHITECTURES_EXPANDED_(names, version)
#define HINDSIGHT_JOIN_ARCHITECTURES_EXPANDED_(names, version) names##_##version
#if defined(__CUDA_ARCH_LIST__)
#  define HINDSIGHT_ARCHITECTURES \
    HINDSIGHT_ARCHITECTURES_OF_(__CUDA_ARCH_LIST__, , , , , , , , , , , , , , , )
#  define HINDSIGHT_ARCHITECTURES_OF_(...) HINDSIGHT_NAME_ARCHITECTURES_(__VA_ARGS__, )
#  define HINDSIGHT_NAME_ARCHITECTURES_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
    sm_##a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p
#  define HINDSIGHT_LOWEST_ARCH HINDSIGHT_FIRST_OF_(__CUDA_ARCH_LIST__, 0)
#  define HINDSIGHT_FIRST_OF_(...) HINDSIGHT_TAKE_FIRST_(__VA_ARGS__)
#  define HINDSIGHT_TAKE_FIRST_(a, ...) a
#else
#  if HINDSIGHT_CUDA  // clang does not say which they are
#    define HINDSIGHT_ARCHITECTURES sm_unnamed
#  else
#    define HINDSIGHT_ARCHITECTURES sm_none
#  endif
#  define HINDSIGHT_LOWEST_ARCH 0
#endif

// Returns from the enclosing function when a CUDA call fails. Only in functions returning
// cudaError_t. An error that is returned is not left to later calls, as in CUB.
#define HINDSIGHT_TRY(expression)                                         \
  do {                                                                    \
    if (const cudaError_t status_ = (expression); status_ != cudaSuccess) \
      return static_cast<void>(cudaGetLastError()), status_;              \
  } while (false)
