// The congestion controls of a scenario by name. What each needs and has is a row of congestion_table.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::study::scenario {

enum class CongestionAlgorithm : std::uint8_t {
  kNone,
  kStaticWindow,
  kDcqcn,
  kIbCc,
  kSwift,
  kHpcc,
  kTimely,
  kNscc,
  kRccc
};
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 9> kCongestionWords = {"none", "static-window", "dcqcn", "ib-cc", "swift",
                                                                     "hpcc", "timely",        "nscc",  "rccc"};

/// NICs measure or are told of congestion, and change how fast they send.
[[nodiscard]] constexpr bool reacts_to_congestion(CongestionAlgorithm algorithm) {
  return algorithm != CongestionAlgorithm::kNone && algorithm != CongestionAlgorithm::kStaticWindow;
}

}  // namespace weft::study::scenario
