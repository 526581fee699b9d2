// Path selection of one flow: which entropy value each packet carries, and so which path load balancing gives it.
//
// A null pointer in the engine means one path for ever: the source port of the address vector.
#pragma once

#include <cstdint>

#include "base/psn.h"
#include "base/time.h"

namespace weft::transport {

class PathSelector {
 public:
  virtual ~PathSelector() = default;
  /// Entropy for the data packet `psn`.
  [[nodiscard]] virtual std::uint16_t entropy_for(Psn psn, Time now) = 0;
  /// The path with this entropy lost a packet.
  virtual void on_loss(std::uint16_t entropy, Time now) = 0;
};

}  // namespace weft::transport
