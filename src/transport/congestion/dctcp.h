// DCTCP: the window falls in proportion to the share of bytes that were marked, estimated once a window.
//
// Needs a receiver that echoes each packet's mark. Losses halve the window as NewReno's do. Alpha is a fixed-point
// fraction. Source: RFC 8257.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "transport/congestion/tcp_congestion_control.h"

namespace weft::transport {

/// Parameters of all flows of a kind.
struct DctcpParameters {
  Probability gain = Probability::from_ratio({.numerator = 1, .denominator = 16});  // g
  Probability initial_alpha = Probability::one();
};

class Dctcp final : public TcpCongestionControl {
 public:
  explicit Dctcp(const DctcpParameters& parameters = {}) : parameters_(parameters), alpha_(parameters.initial_alpha) {}

  void start(const TcpWindowStart& start) override;
  void on_tcp_ack(const TcpAckSample& sample, Time now) override;

  /// The estimated share of marked bytes.
  [[nodiscard]] Probability alpha() const { return alpha_; }

 protected:
  [[nodiscard]] Bytes reduced(Bytes flight, Cause cause, Time now) override;

 private:
  void update_alpha();

  DctcpParameters parameters_;
  Probability alpha_;
  Bytes acknowledged_;  // in this window
  Bytes marked_;
  std::int64_t window_end_ = 0;  // sequence number; acknowledging beyond it ends the window
};

}  // namespace weft::transport
