// InfiniBand's congestion control at the source: each BECN moves a flow further into the congestion control table, a
// timer moves it back, and the table says how long the flow pauses after each packet. Receiver half: FECN becomes BECN.
//
// The index (CCTI) belongs to one flow. Its timer starts when the index leaves its minimum and is not restarted by
// further BECNs; ticks that fell due between two calls are applied exactly. Source: IBTA annex A10.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// One entry of the congestion control table: the pause after a packet is its time at link rate, times `multiplier`
/// (14 bits), shifted right by `shift` (2 bits).
//= ibta-1.7 A10
struct CctEntry {
  static constexpr std::uint16_t kMaxMultiplier = (1U << 14) - 1;
  std::uint8_t shift = 0;
  std::uint16_t multiplier = 0;
};

/// The congestion settings of a channel adapter for one service level, and its table.
struct IbCongestionParameters {
  Rate link_rate;
  std::uint16_t ccti_increase = 1;      // steps per BECN, at least 1
  std::uint16_t ccti_min = 0;           // <= ccti_limit
  std::uint16_t ccti_limit = 127;       // last entry in use; < table.size()
  std::uint16_t ccti_timer = 150;       // one step back per this many times 1.024 us, at least 1
  std::uint16_t trigger_threshold = 0;  // reaching this index counts as an event; 0 = never
  std::vector<CctEntry> table;

  static constexpr Duration kTimerUnit = Duration::nanoseconds(1'024);
  [[nodiscard]] Duration timer() const { return kTimerUnit * ccti_timer; }
};

struct LinearCct {
  std::uint16_t entries = 128;
  std::uint16_t step = 1;  // multiplier added per entry
  std::uint8_t shift = 0;  // 0..3
};
/// Entry i pauses for i * step / 2^shift packet times, so that the rate falls to 1 / (1 + that). `entries` times `step`
/// must fit into 14 bits.
[[nodiscard]] std::vector<CctEntry> linear_cct(LinearCct shape);
/// The set of Gran et al., IPDPS 2010 (increase 1, limit 127, minimum 0, timer 150), with the plain linear table.
[[nodiscard]] IbCongestionParameters ib_congestion_published(Rate link);

class IbCongestionControl final : public CongestionControl {
 public:
  /// `parameters` is shared by flows and must outlive them.
  explicit IbCongestionControl(const IbCongestionParameters& parameters);
  explicit IbCongestionControl(IbCongestionParameters&&) = delete;

  void on_ack(const AckSample&, Time) override {}
  void on_congestion(Time now) override;
  void on_transmit(Bytes, Time now) override { apply_due(now); }
  [[nodiscard]] Bytes window(Time) override { return Bytes::max(); }
  /// The mean rate of a flow that always has a packet to send.
  [[nodiscard]] Rate pacing_rate(Time now) override;
  [[nodiscard]] Duration gap_after(Bytes size, Time now) override;

  [[nodiscard]] std::uint16_t ccti(Time now);
  /// A manager's setting of the least index, in place of that of the parameters; at most `limit`.
  void set_minimum(std::uint16_t ccti_min, Time now);
  [[nodiscard]] std::uint16_t limit() const { return parameters_->ccti_limit; }
  /// How often the index has reached the trigger threshold from below.
  [[nodiscard]] std::uint32_t threshold_events() const { return threshold_events_; }

 private:
  [[nodiscard]] const CctEntry& entry() const { return parameters_->table[ccti_]; }
  /// The index lies between its limits and its timer runs while it is above its minimum; for assertions.
  [[nodiscard]] bool consistent() const {
    return ccti_ >= ccti_min_ && ccti_ <= parameters_->ccti_limit && next_tick_.is_never() == (ccti_ == ccti_min_);
  }
  void apply_due(Time now);

  const IbCongestionParameters* parameters_;
  Time next_tick_ = Time::never();
  std::uint32_t threshold_events_ = 0;
  std::uint16_t ccti_;
  std::uint16_t ccti_min_;
};

/// Responds to FECN: with BECN on the next acknowledgement (reliable connections), or with a CNP (all others).
class FecnReply final : public CongestionReceiver {
 public:
  /// kEcho or kCnp.
  explicit FecnReply(CongestionSignal signal);
  [[nodiscard]] CongestionSignal on_data(bool marked, Time) override {
    return marked ? signal_ : CongestionSignal::kNone;
  }

 private:
  CongestionSignal signal_;
};

}  // namespace weft::transport
