// The receiver's half of path selection where congestion control has none: marks concern nobody but the selector.
#pragma once

#include "transport/congestion/congestion_control.h"

namespace weft::transport {

class MarkedPaths final : public CongestionReceiver {
 public:
  MarkedPaths() : CongestionReceiver(Sees::kMarkedPackets) { name_marked_paths(); }
  [[nodiscard]] CongestionSignal on_data(bool, Time) override { return CongestionSignal::kNone; }
};

}  // namespace weft::transport
