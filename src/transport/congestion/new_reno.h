// NewReno: slow start, one segment more a round trip after it, half the window at a loss or mark.
//
// Counts bytes, so that delayed acknowledgements do not slow it. Sources: RFC 5681, RFC 3465, RFC 6582.
#pragma once

#include "transport/congestion/tcp_congestion_control.h"

namespace weft::transport {

class NewReno final : public TcpCongestionControl {
 public:
  void on_tcp_ack(const TcpAckSample& sample, Time now) override;

 protected:
  [[nodiscard]] Bytes reduced(Bytes flight, Cause cause, Time now) override;
};

}  // namespace weft::transport
