// Congestion control of a TCP connection: a window in bytes that acknowledgements raise and losses or marks lower.
//
// The engine finds losses, counts what is in flight, spreads the reduction over the round trip of a fast recovery, and
// asks for window() after each call; the algorithm only says how large the window should be. It holds no timer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// What holds from the start of a connection.
struct TcpWindowStart {
  Bytes segment;         // largest payload of a segment, > 0
  Bytes initial_window;  // at least one segment
};

/// What one acknowledgement of new data tells.
struct TcpAckSample {
  Duration rtt;               // negative: not measured
  Duration smoothed_rtt;      // zero: none yet
  Duration minimum_rtt;       // meaningful with the smoothed one
  Bytes acknowledged;         // newly, by this acknowledgement
  std::int64_t sequence = 0;  // everything before it has been acknowledged
  std::int64_t next = 0;      // everything before it has been sent
  bool may_grow = false;      // the window was what limited the sender, and no reduction is under way
  bool echoes_mark = false;
};

class TcpCongestionControl : public CongestionControl {
 public:
  static constexpr Bytes kNoThreshold = Bytes::max();

  /// Before anything else; begins anew.
  virtual void start(const TcpWindowStart& start);
  /// New data have been acknowledged; in a fast recovery `may_grow` is false.
  virtual void on_tcp_ack(const TcpAckSample& sample, Time now) = 0;
  /// A fast recovery begins: lowers the threshold and the window to it. `flight` was unacknowledged, lost and received
  /// parts included.
  void on_fast_recovery(Bytes flight, Time now);
  /// The retransmission timer fired: the window falls to one segment. Repeated ones leave the threshold as it is.
  void on_retransmission_timeout(Bytes flight, Time now);
  /// The last reduction was spurious: nothing had been lost.
  void on_undo(Time now);
  /// Nothing was sent for a retransmission timeout.
  virtual void on_idle(Time now);

  [[nodiscard]] Bytes ssthresh() const { return ssthresh_; }
  [[nodiscard]] Bytes window() const { return window_; }

  // The wider seam's half.
  void on_ack(const AckSample& sample, Time now) final;
  /// A mark was echoed; called at most once a round trip.
  void on_congestion(Time now) final;
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) final { return window_; }
  [[nodiscard]] Rate pacing_rate(Time) override { return Rate::zero(); }

 protected:
  /// Why the window is lowered.
  enum class Cause : std::uint8_t { kLoss, kTimeout, kMark };
  /// The new threshold, before its lower bound of two segments is applied. `flight` is the window for marks.
  [[nodiscard]] virtual Bytes reduced(Bytes flight, Cause cause, Time now) = 0;
  /// The algorithm's own state, saved before a reduction and put back by an undo.
  virtual void save() {}
  virtual void restore() {}

  [[nodiscard]] bool in_slow_start() const { return window_ < ssthresh_; }
  /// Raises the window by what was acknowledged, up to the threshold; returns what is left for congestion avoidance.
  //= rfc5681 3.1
  [[nodiscard]] Bytes slow_start(Bytes acknowledged);
  /// One segment more for each window acknowledged.
  //= rfc5681 3.1
  void additive_increase(Bytes acknowledged);
  [[nodiscard]] Bytes segment() const { return segment_; }
  void set_window(Bytes window) { window_ = std::max(window, segment_); }

 private:
  void reduce(Bytes flight, Cause cause, Time now);

  Bytes segment_ = Bytes(1);
  Bytes window_ = Bytes(1);
  Bytes ssthresh_ = kNoThreshold;
  Bytes initial_window_ = Bytes(1);
  Bytes counted_;  // acknowledged since the last additive increase
  Bytes saved_window_ = Bytes(1);
  Bytes saved_ssthresh_ = kNoThreshold;
  bool after_timeout_ = false;  // nothing has been acknowledged since one
};

}  // namespace weft::transport
