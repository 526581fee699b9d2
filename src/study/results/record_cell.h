// One value of a record, as all forms of results take it: nothing, an integer, a real number or text.
//
// Durations and times are picoseconds, sizes bytes, rates bits per second, flags 0 or 1. Text may be borrowed from the
// record or from the row of a statement: a cell does not outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace weft::study::results {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view, std::string>;

/// What a cell means, which says how each form writes it: JSON has seconds where tables have picoseconds.
enum class CellKind : std::uint8_t {
  kNumber,
  kFlag,
  kReal,
  kMillionths,  // a share as an integer; in CSV and JSON a real number
  kText,
  kTime,
  kDuration,
  kBytes,
  kRate
};

[[nodiscard]] inline bool is_empty(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }
/// 0 of what is no integer.
[[nodiscard]] inline std::int64_t integer_of(const Cell& cell) {
  const auto* value = std::get_if<std::int64_t>(&cell);
  return value == nullptr ? 0 : *value;
}
/// Of an integer or a real number; else 0.
[[nodiscard]] inline double real_of(const Cell& cell) {
  const auto* value = std::get_if<double>(&cell);
  return value == nullptr ? static_cast<double>(integer_of(cell)) : *value;
}
/// Empty of what is no text.
[[nodiscard]] inline std::string_view text_of(const Cell& cell) {
  if (const auto* borrowed = std::get_if<std::string_view>(&cell)) {
    return *borrowed;
  }
  const auto* own = std::get_if<std::string>(&cell);
  return own == nullptr ? std::string_view() : std::string_view(*own);
}

}  // namespace weft::study::results
