// Sender's half of selective repeat: which packets in flight the peer holds, and which are to be sent again.
//
// The window is 128 PSNs from the oldest unacknowledged one. A packet counts as lost when `threshold` or more later
// ones have arrived, and is sent again once; if that copy is lost too, the ACK timeout sends every missing packet.
// Wire form: docs/decisions (selective repeat). Compare IRN (Mittal et al., SIGCOMM 2018).
#pragma once

#include <cstdint>

#include "base/psn.h"
#include "wire/packet.h"

namespace weft::transport {

class SelectiveRepeat {
 public:
  static constexpr int kWindow = wire::SackBitmap::kBits;

  /// `threshold` 1..127.
  explicit SelectiveRepeat(std::uint8_t threshold);

  /// Everything before `una` is acknowledged. Never moves backwards.
  void advance(Psn una);
  /// The peer holds the packets that `bitmap` names; bit 0 stands for `base`. Only PSNs before `end` count.
  void on_sack(Psn base, const wire::SackBitmap& bitmap, Psn end);
  /// All missing packets before `end` are to be sent again.
  void on_timeout(Psn end);
  /// Packet `psn` is to be sent again.
  void request(Psn psn);
  /// Packets in [from, to) need not be sent again after all.
  void cancel(Psn from, Psn to);

  [[nodiscard]] bool has_retransmission() const { return lost_ != 0; }
  /// The earliest packet to send again, which is then no longer due.
  [[nodiscard]] Psn take_retransmission();
  void clear();

 private:
  __extension__ using Bits = unsigned __int128;
  [[nodiscard]] static constexpr Bits below(int count) { return count >= kWindow ? ~Bits{0} : (Bits{1} << count) - 1; }
  [[nodiscard]] Bits in_flight_before(Psn end) const;

  Bits received_ = 0;  // bit i stands for una_ + i in all three
  Bits lost_ = 0;      // to be sent again
  Bits resent_ = 0;    // sent again already
  Psn una_;
  std::uint8_t threshold_;
};

}  // namespace weft::transport
