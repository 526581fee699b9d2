// Which entropy value a context of Ultra Ethernet on one path has: all queue pairs between two ends share it, so it is
// that of the queue pair for which its initiator opened it. Both directions have it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "base/ids.h"

namespace weft::study::world {

class ContextEntropies {
 public:
  struct Ends {
    EndpointId initiator{};
    EndpointId target{};
    std::uint8_t traffic_class = 0;
  };
  /// `own`: that of the queue pair that asks, which opens the context if it is the first.
  std::uint16_t of(const Ends& ends, std::uint16_t own) {
    return first_.try_emplace({ends.initiator.value(), ends.target.value(), ends.traffic_class}, own).first->second;
  }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>, std::uint16_t> first_;
};

}  // namespace weft::study::world
