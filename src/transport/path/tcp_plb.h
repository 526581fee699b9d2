// PLB of a TCP connection over IPv6: one flow label for all segments, until transport/path/plb_rule.h says to leave it;
// then any other at random. Switches that hash the label give the connection another path; ports stay the same.
//
// A round ends when everything that had left at its beginning is acknowledged; what it delivered was marked as far as
// acknowledgements echoed marks, so the peer must echo exactly the marked segments (TcpEcn::kPerPacket). With nothing
// in flight the first segment that leaves may take another path. Each retransmission timeout takes another path at
// once, and suspends the rule. changes(): the times that it has taken another path. Source: as of the rule.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "transport/path/path_selector.h"
#include "transport/path/plb_rule.h"

namespace weft::transport {

class TcpPlb final : public PathSelector {
 public:
  TcpPlb(const PlbRule::Options& rule, RandomStream random);

  /// What one acknowledgement has brought; sequence numbers do not wrap.
  struct Delivery {
    std::int64_t bytes = 0;           // newly known to have arrived, in whatever order; may be zero
    std::int64_t unacknowledged = 0;  // everything before it has been acknowledged
    std::int64_t next = 0;            // everything before it has been sent
    PathMark mark = PathMark::kNone;  // whether it echoes a mark
  };
  void on_delivery(const Delivery& delivery, Time now);
  /// Data are about to leave, with nothing in flight.
  void on_idle(Time now);
  void on_timeout(Time now);

  [[nodiscard]] std::uint16_t label() const { return label_; }
  [[nodiscard]] const PlbRule& rule() const { return rule_; }

  // Of the wider seam: the label, whatever the packet.
  [[nodiscard]] std::uint16_t entropy_for(Psn /*psn*/, Time /*now*/) override { return label_; }
  void on_loss(std::uint16_t /*entropy*/, PathLoss /*sign*/, Time /*now*/) override {}
  [[nodiscard]] std::uint32_t paths() const override { return kLabels; }
  [[nodiscard]] std::optional<std::uint16_t> lasting_entropy() const override { return label_; }

 private:
  static constexpr std::uint32_t kLabels = 1U << 16;  // of the 20 bits those that a packet's record holds

  void leave_if_due(PlbRule::Flight flight, Time now);
  void move();

  RandomStream random_;
  PlbRule rule_;
  PlbRule::Round round_{};
  std::int64_t round_end_ = 0;
  std::uint16_t label_;
};

}  // namespace weft::transport
