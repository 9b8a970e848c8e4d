// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// systems: OMP
// Thrust's OpenMP system has the threads that the sequential one has here: a part of the cases is
// enough.
#include "random_ab/partition_cases.h"
#include "random_ab/reduce_by_key_cases.h"
#include "random_ab/reduce_cases.h"
#include "random_ab/scan_by_key_cases.h"
#include "random_ab/scan_cases.h"
#include "random_ab/select_cases.h"
#include "random_ab/typed_runs.h"
#include "random_ab/typed_scan.h"

namespace hindsight_test {

TEST(RandomOtherSystems, Partitions) {
  expect_same_bits(cases::partitions);
}

TEST(RandomOtherSystems, Reductions) {
  expect_same_bits(cases::reductions);
}

TEST(RandomOtherSystems, Runs) {
  expect_same_bits(cases::runs);
}

TEST(RandomOtherSystems, Scans) {
  expect_same_bits(cases::scans);
}

TEST(RandomOtherSystems, ScansByKey) {
  expect_same_bits(cases::scans_by_key);
}

TEST(RandomOtherSystems, Selections) {
  expect_same_bits(cases::selections);
}

TEST(RandomOtherSystems, TypedFoldsByKey) {
  expect_same_bits(typed::all_folds_by_key<types_of_system>());
}

TEST(RandomOtherSystems, TypedScans) {
  expect_same_bits(typed::all_scans<types_of_system>());
}

}  // namespace hindsight_test
