// State of a path for each queue pair of its NIC, made when it is first asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "transport/qpn_table.h"

namespace weft::host {

/// A queue pair as its NIC names it: kind in the upper 4 bits, place in its slab below.
using FlowRef = std::uint32_t;

[[nodiscard]] constexpr transport::EngineKind engine_of(FlowRef flow) {
  return static_cast<transport::EngineKind>(flow >> 28);
}

template <class State>
class FlowTable {
 public:
  [[nodiscard]] State& operator[](FlowRef flow) {
    WEFT_DCHECK((flow >> 28) < states_.size());
    std::vector<State>& kind = states_[flow >> 28];
    const std::size_t place = flow & 0xFFFFFFF;
    if (place >= kind.size()) {
      kind.resize(std::max(place + 1, 2 * kind.size()));
    }
    return kind[place];
  }
  void forget(FlowRef flow) { (*this)[flow] = State{}; }
  [[nodiscard]] std::size_t heap_bytes() const {
    std::size_t bytes = 0;
    for (const std::vector<State>& kind : states_) {
      bytes += kind.capacity() * sizeof(State);
    }
    return bytes;
  }

 private:
  std::array<std::vector<State>, 8> states_;
};

}  // namespace weft::host
