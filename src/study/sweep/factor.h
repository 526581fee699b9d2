// What a sweep varies: a key of the scenario with its values, or the scenario's cases. From the text of --vary.
//
//   key=x,y,z         these values, as --set takes them
//   key=a..b:5        five values from a to b, evenly spaced
//   key=a..b:log:5    five values with the same ratio from one to the next
//   key=a..b:by:c     a, a + c, a + 2 c, ... not beyond b
//   key=a..b          anywhere from a to b, and `key=a..b:log`: of samples alone
//   case=x,y          cases of the file; `case` alone: all of them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/given.h"
#include "study/scenario/scenario.h"
#include "study/sweep/value_scale.h"

namespace weft::study::sweep {

enum class Spacing : std::uint8_t { kEven, kLogarithmic };

/// Values between two ends.
struct ContinuousRange {
  const ValueScale* scale = nullptr;
  double low = 0;
  double high = 0;
  Spacing spacing = Spacing::kEven;
  /// `at` from -1 (the low end) to 1.
  [[nodiscard]] std::string value_at(double at) const;
};

struct Factor {
  std::string key;                         // "ethernet.priority.3.kmin", or "case"
  std::vector<std::string> levels{};       // as text; empty: a continuous range
  std::optional<ContinuousRange> range{};  // instead of levels
  [[nodiscard]] bool is_case() const { return key == "case"; }
  /// What --set takes for a value of it.
  [[nodiscard]] std::string setting(std::string_view value) const { return key + "=" + std::string(value); }
};

inline constexpr std::size_t kMostLevels = 1'000;

struct FactorContext {
  std::vector<std::string> cases{};  // of the file
  enum class Kind : std::uint8_t { kGrid, kSamples } kind = Kind::kGrid;
};

/// Errors begin with "--vary KEY": no such key, with the nearest; a value without its unit or of another; a range that
/// is empty or of a key that has none; a range without a number of levels on a grid; too many levels.
[[nodiscard]] Result<Factor> parse_factor(std::string_view text, const FactorContext& context);

/// Whether the factors can be applied together to a scenario: each value is one of its key, no two values and no two
/// keys are the same, no case gives another value to a key that is varied, and seeds are left alone. `chosen`: the case
/// that alone is used; empty: any that `case` varies, or all of the file.
struct FactorCheck {
  std::span<const Factor> factors;
  const scenario::Scenario& scenario;
  const scenario::GivenDocument& document;
  std::string chosen{};
};
[[nodiscard]] Result<void> check_factors(const FactorCheck& check);

/// Errors: a setting ("key=value", of --set) whose key is varied, so that its value would count nowhere.
[[nodiscard]] Result<void> check_settings(std::span<const Factor> factors, std::span<const std::string> settings);

}  // namespace weft::study::sweep
