// A constant window, not paced: the simplest congestion control, for tests and for static configurations.
#pragma once

#include "transport/congestion/congestion_control.h"

namespace weft::transport {

class FixedWindow final : public CongestionControl {
 public:
  /// `window` > 0.
  explicit FixedWindow(Bytes window);
  void on_ack(const AckSample&, Time) override {}
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override { return window_; }
  [[nodiscard]] Rate pacing_rate(Time) override { return Rate::zero(); }

 private:
  Bytes window_;
};

}  // namespace weft::transport
