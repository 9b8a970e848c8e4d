// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Boost.Test framework and the main of every test in this folder.
#define BOOST_TEST_NO_MAIN
#define BOOST_TEST_ALTERNATIVE_INIT_API
#include <boost/test/included/unit_test.hpp>

#if defined(HINDSIGHT_TEST_NEEDS_GPU)
#  include "gpu_present.h"
#endif

int main(int argc, char** argv) {
#if defined(HINDSIGHT_TEST_NEEDS_GPU)
  if (!hindsight_test::gpu_is_present()) return hindsight_test::exit_skipped;
#endif
  return boost::unit_test::unit_test_main([] { return true; }, argc, argv);
}
