// Random tests run over many seeds; a failing one prints the command that repeats it alone.
//
// WEFT_SEED=n runs one seed; WEFT_SEEDS=n the first n instead of the test's own number; WEFT_SEED_DIVISOR=n an n-th
// part of that number, for builds with sanitizers, which are slow.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace weft::testing {

[[nodiscard]] inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) {
    return otherwise;
  }
  std::uint64_t value = otherwise;
  const std::string_view view(text);
  std::from_chars(view.data(), view.data() + view.size(), value);
  return value;
}

/// Calls `run(seed)` for seeds 1..count and stops at the first that fails.
template <class Run>
void for_each_seed(std::uint64_t count, Run run) {
  const std::uint64_t only = number_from_environment("WEFT_SEED", 0);
  const std::uint64_t divisor = std::max<std::uint64_t>(number_from_environment("WEFT_SEED_DIVISOR", 1), 1);
  const std::uint64_t own = std::max<std::uint64_t>(count / divisor, 1);
  const std::uint64_t last = only != 0 ? only : number_from_environment("WEFT_SEEDS", own);
  for (std::uint64_t seed = only != 0 ? only : 1; seed <= last; ++seed) {
    run(seed);
    if (::testing::Test::HasFailure()) {
      const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
      ADD_FAILURE() << "repeat with: WEFT_SEED=" << seed
                    << " weft_property_group_test --gtest_filter=" << test->test_suite_name() << "." << test->name();
      return;
    }
  }
}

}  // namespace weft::testing
