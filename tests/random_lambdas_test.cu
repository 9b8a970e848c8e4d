// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extended lambdas, with captures and without a trailing return type, as operators of every family.
#include <hindsight/hindsight.h>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include "random_ab/loops.h"
#include "random_ab/twin.h"

namespace hindsight_test {
namespace lambdas {

/// Two arrays in, two out, and keys: an algorithm writes what it likes.
struct data {
  std::size_t n;
  input<u32> keys, in;
  twin<u32> keys_out, out;
  explicit data(trial& t)
      : n{t.size(by_key_edges<u32, u32>(), sizeof(u64))},
        keys(draw_runs<u32>(t, n), t.shift()),
        in(draw_items<u32>(t, n), t.shift()),
        keys_out(n, t.shift()),
        out(n, t.shift()) {}
};

template <class Call>
void run(trial& t, const data& d, Call call) {
  std::ptrdiff_t count = 0;
  t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
    u32* const in = d.in.at(which);
    return count =
               call(policy, in, in + d.n, d.keys.at(which), d.keys_out.at(which), d.out.at(which));
  });
  const auto written = std::size_t(count);
  compare(t, "output", d.out, written, d.n);
  compare(t, "second output", d.keys_out, d.n, d.n);  // what neither side writes is the same there
}

/// Composition of x -> a * x + b in halves of a word.
HINDSIGHT_HD u32 compose_words(u32 f, u32 g, u32 one) {
  const u32 a = (f & 0xffff) * (g & 0xffff) * one & 0xffff;
  return ((g & 0xffff) * (f >> 16) + (g >> 16)) << 16 | a;
}

void inclusive_scan(trial& t) {
  const data d{t};
  const u32 one = 1;
  const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
  run(t, d, [&](auto& policy, u32* in, u32* last, u32*, u32*, u32* out) {
    return thrust::inclusive_scan(policy, in, last, out, op) - out;
  });
}
void transform_exclusive_scan(trial& t) {
  const data d{t};
  const u32 one = 1;
  const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
  const u32 salt = u32(d.n);
  const auto unary = [salt] __host__ __device__(const u32& item) { return item ^ salt << 3; };
  run(t, d, [&](auto& policy, u32* in, u32* last, u32*, u32*, u32* out) {
    return thrust::transform_exclusive_scan(policy, in, last, out, unary, 5u, op) - out;
  });
}
void exclusive_scan_by_key(trial& t) {
  const data d{t};
  const u32 one = 1;
  const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
  const auto equal = [] __host__ __device__(const u32& a, u32 b) { return a / 8 == b / 8; };
  run(t, d, [&](auto& policy, u32* in, u32*, u32* keys, u32*, u32* out) {
    return thrust::exclusive_scan_by_key(policy, keys, keys + d.n, in, out, 9u, equal, op) - out;
  });
}
void reduce_by_key(trial& t) {
  const data d{t};
  const u32 one = 1;
  const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
  const auto equal = [] __host__ __device__(u32 a, u32 b) { return a == b; };
  run(t, d, [&](auto& policy, u32* in, u32*, u32* keys, u32* keys_out, u32* out) {
    return thrust::reduce_by_key(policy, keys, keys + d.n, in, keys_out, out, equal, op).second -
           out;
  });
}
void copy_if(trial& t) {
  const data d{t};
  const u32 level = draw_level(t);
  const auto pred = [level] __host__ __device__(u32 item) { return item >> 24 < level; };
  run(t, d, [&](auto& policy, u32* in, u32* last, u32* stencil, u32*, u32* out) {
    return thrust::copy_if(policy, in, last, stencil, out, pred) - out;
  });
}
void stable_partition_copy(trial& t) {
  const data d{t};
  const u32 level = draw_level(t);
  const auto pred = [level] __host__ __device__(u32 item) { return item >> 24 < level; };
  run(t, d, [&](auto& policy, u32* in, u32* last, u32*, u32* rejected, u32* out) {
    return thrust::stable_partition_copy(policy, in, last, out, rejected, pred).first - out;
  });
}
void transform_reduce(trial& t) {
  const data d{t};
  const auto square = [] __host__ __device__(u32 item) { return item * item; };
  const auto op = [] __host__ __device__(u32 a, u32 b) { return a + b + a * b; };
  t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
    u32* const in = d.in.at(which);
    return std::ptrdiff_t(thrust::transform_reduce(policy, in, in + d.n, square, 3u, op));
  });
}
void count_if(trial& t) {
  const data d{t};
  const auto odd = [] __host__ __device__(u32 item) { return (item >> 2) % 2; };
  t.with_twins(thrust::cpp::par, [&](const auto& policy, auto which) {
    u32* const in = d.in.at(which);
    return std::ptrdiff_t(thrust::count_if(policy, in, in + d.n, odd));
  });
}

/// Lambdas in member functions, a template among them: nvcc names their stubs after the class.
class members {
 public:
  explicit members(u32 one) : one_{one} {}

  void inclusive_scan(trial& t) const {
    const data d{t};
    const u32 one = one_;
    const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
    run(t, d, [&](auto& policy, u32* in, u32* last, u32*, u32*, u32* out) {
      return thrust::inclusive_scan(policy, in, last, out, op) - out;
    });
  }
  template <class Key>
  void reduce_by_key(trial& t, Key width) const {
    const data d{t};
    const u32 one = one_;
    const auto op = [one] __host__ __device__(u32 f, u32 g) { return compose_words(f, g, one); };
    const auto equal = [width] __host__ __device__(const Key& a, const Key& b) {
      return a / width == b / width;
    };
    run(t, d, [&](auto& policy, u32* in, u32*, u32* keys, u32* keys_out, u32* out) {
      return thrust::reduce_by_key(policy, keys, keys + d.n, in, keys_out, out, equal, op).second -
             out;
    });
  }

 private:
  u32 one_;
};
void scan_in_a_member(trial& t) {
  members{1}.inclusive_scan(t);
}
void reduce_by_key_in_a_member(trial& t) {
  members{1}.reduce_by_key(t, 8u);
}

/// Lambdas that only the device has, in members of a class template: host code can neither call
/// them nor know what they return. `stock` is the same for the reference.
template <class Policy, class Stock, class Ours>
auto pick(const Policy&, const Stock& stock, const Ours& ours) {
  if constexpr (is_reference<Policy>)
    return stock;
  else
    return ours;
}
struct words_composed {
  u32 operator()(u32 f, u32 g) const { return compose_words(f, g, 1); }
};
struct eighths_equal {
  bool operator()(u32 a, u32 b) const { return a / 8 == b / 8; }
};
struct is_below {
  u32 level;
  bool operator()(u32 item) const { return item >> 24 < level; }
};

template <class T>
class device_members {
 public:
  void inclusive_scan(trial& t) {
    const data d{t};
    const auto op = [one = one_] __device__(T f, T g) { return compose_words(f, g, one); };
    run(t, d, [&](auto& policy, T* in, T* last, T*, T*, T* out) {
      return thrust::inclusive_scan(policy, in, last, out, pick(policy, words_composed{}, op)) -
             out;
    });
  }
  void reduce_by_key(trial& t) const {
    const data d{t};
    const auto op = [one = one_] __device__(T f, T g) { return compose_words(f, g, one); };
    const auto equal = [] __device__(const T& a, T b) { return a / 8 == b / 8; };
    run(t, d, [&](auto& policy, T* in, T*, T* keys, T* keys_out, T* out) {
      return thrust::reduce_by_key(policy, keys, keys + d.n, in, keys_out, out,
                                   pick(policy, eighths_equal{}, equal),
                                   pick(policy, words_composed{}, op))
                 .second -
             out;
    });
  }
  static void remove_if(trial& t) {
    const data d{t};
    const u32 level = draw_level(t);
    const auto pred = [level] __device__(T item) { return item >> 24 < level; };
    run(t, d, [&](auto& policy, T* in, T* last, T*, T*, T* out) {
      return thrust::remove_copy_if(policy, in, last, out, pick(policy, is_below{level}, pred)) -
             out;
    });
  }

 private:
  T one_ = 1;
};
void scan_on_the_device(trial& t) {
  device_members<u32>{}.inclusive_scan(t);
}
void reduce_by_key_on_the_device(trial& t) {
  device_members<u32>{}.reduce_by_key(t);
}
void remove_if_on_the_device(trial& t) {
  device_members<u32>::remove_if(t);
}

const std::vector<random_case> all = {
    HINDSIGHT_CASE(scan_on_the_device),
    HINDSIGHT_CASE(reduce_by_key_on_the_device),
    HINDSIGHT_CASE(remove_if_on_the_device),
    HINDSIGHT_CASE(scan_in_a_member),
    HINDSIGHT_CASE(reduce_by_key_in_a_member),
    HINDSIGHT_CASE(inclusive_scan),
    HINDSIGHT_CASE(transform_exclusive_scan),
    HINDSIGHT_CASE(exclusive_scan_by_key),
    HINDSIGHT_CASE(reduce_by_key),
    HINDSIGHT_CASE(copy_if),
    HINDSIGHT_CASE(stable_partition_copy),
    HINDSIGHT_CASE(transform_reduce),
    HINDSIGHT_CASE(count_if),
};

}  // namespace lambdas

TEST(RandomLambdas, EqualStock) {
  expect_same_bits(lambdas::all);
}

}  // namespace hindsight_test
