// Sender's half of selective repeat: which packets in flight have arrived, which are lost, and when that is known.
//
// The window is a number of PSNs from the oldest unacknowledged one (`una`), sized by the bandwidth-delay product; each
// PSN in it costs 4 bytes and 4 bits. Two ways to find losses:
// - by count: a packet is lost when `threshold` or more later ones have arrived. For paths that keep the order.
// - by time (after RFC 8985, RACK): a packet is lost when one that left later has arrived and, since it left, the round
//   trip of the empty network and the longest recent one, 1 + `steps` times, have passed. Disorder of any extent is no
//   loss. `steps` is 3 at first, since queues and stalls of credits may just begin, 1 after rounds without one, and
//   grows when the peer reports that a packet came twice. What no later arrival can tell (the tail) is probed for
//   four round trips after the last packet left, then eight, and so on; after `first_probe` of the empty network where
//   none has been measured yet. While there is more to send, the next packet is the probe (RcRequester). When the
//   probe, or any other copy, has arrived, everything that left before it is overtaken as well, and lost unless it is
//   acknowledged within one more round trip.
// By count, a packet is sent again once and then waits for the ACK timeout; by time, again and again.
// Round trips are those of packets sent once. Of one that arrived behind a gap the sender may hear only when the gap is
// filled, if the acknowledgement that named it was lost: while packets are sent again, only the oldest one, and one
// that left after all that have arrived so far, give a round trip. Else each recovery would count as one, and make the
// next one longer. Answers (READ data, atomic results) are not judged by the time they left: RcRequester leaves their
// PSNs out. Wire form: docs/decisions (selective repeat). Compare IRN (Mittal et al., SIGCOMM 2018).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "base/psn.h"
#include "base/time.h"
#include "transport/loss/psn_bitmap.h"
#include "transport/path/path_memory.h"
#include "wire/packet.h"

namespace weft::transport {

/// How a sender tells a lost packet from a late one.
enum class LossDetection : std::uint8_t { kByCount, kByTime };

class SelectiveRepeat {
 public:
  struct Options {
    std::uint32_t window = 128;  // PSNs; a power of two, 64 to 65,536
    LossDetection detection = LossDetection::kByCount;
    std::uint16_t threshold = 3;                      // by count; 1 to window - 1
    Duration round_trip = Duration::milliseconds(1);  // by time: of the empty network, about; the first estimate
    std::uint16_t first_probe =
        16;  // by time: of these, until the first probe where none has been measured; at least 1
  };

  explicit SelectiveRepeat(const Options& options);
  /// Begins, or begins again, with nothing in flight.
  void start(Psn una);
  /// Tells `selector`, which learns and must outlive this, what becomes of each packet; two bytes per PSN.
  void learn_paths(PathSelector& selector);

  [[nodiscard]] bool by_time() const { return by_time_; }
  [[nodiscard]] std::uint32_t window() const { return received_.window(); }

  /// Packet `psn` leaves now, for the first time or again.
  void on_sent(Psn psn, Time now) {
    WEFT_DCHECK(psn >= una_ && psn - una_ < static_cast<std::int32_t>(window()));
    if (by_time_)
      sent_[psn.value() & mask_] = stamp(now);
  }
  /// The packet that leaves now has this entropy; only where paths are learnt.
  void note_path(Psn psn, std::uint16_t entropy) {
    WEFT_DCHECK(paths_ != nullptr);
    paths_->on_sent(psn, entropy);
  }
  /// Of an acknowledgement that names the entropy of a marked packet, before and after what else it tells.
  void begin_mark(std::uint16_t entropy) {
    if (paths_ != nullptr)
      paths_->begin_mark(entropy);
  }
  void end_mark(Time now) {
    if (paths_ != nullptr)
      paths_->end_mark(now);
  }
  /// The peer asks for packet `psn` again.
  void lose_path(Psn psn, PathLoss sign, Time now) {
    if (paths_ != nullptr)
      paths_->on_loss(psn, sign, now);
  }
  /// Everything before `una` is acknowledged, `end` is one past the last packet sent. Never moves backwards.
  void advance(Psn una, Psn end, Time now);
  /// What an acknowledgement says beside its bitmap.
  struct Sack {
    Psn acknowledged;  // everything before it has arrived, though answers may be missing
    Psn end;           // one past the last packet sent
  };
  /// The peer has the packets that `bitmap` names: bit 0 stands for its base. Only PSNs from una to the end count.
  void on_sack(const wire::SackBitmap& bitmap, const Sack& sack, Time now);
  /// The answer of PSN `psn` has come; false if it had before, or lies outside the window.
  [[nodiscard]] bool on_response(Psn psn);
  /// The peer got a packet twice: losses were declared too early. At most one step a round trip.
  void on_duplicate(Psn end);

  /// By count: marks what was overtaken; called by on_sack. By time: marks what is lost by now among the PSNs before
  /// `limit`, and tells when to look again; never if nothing is doubtful.
  [[nodiscard]] Time detect(Psn limit, Time now);
  /// Reordering timeout: how long to wait for an overtaken packet, from its transmission.
  [[nodiscard]] Duration reorder_timeout() const { return round_trip_ + longest() * (1 + steps_); }
  /// By time: since packet `psn` left last; it must be in flight, or the first of a READ whose answers are awaited.
  [[nodiscard]] Duration since_sent(Psn psn, Time now) const {
    return duration(stamp(now) - sent_[psn.value() & mask_]);
  }
  /// Probe timeout: how long without any response, and without a packet that has left, before the first probe. The
  /// first acknowledgements of a flow may wait behind queues that the round trip of the empty network knows nothing of.
  //= rfc8985 7.2
  [[nodiscard]] Duration probe_delay() const { return (measured_ ? 4 : patience_) * longest(); }

  /// The ACK timeout: by count all missing packets before `end` are to be sent again, by time the oldest.
  void on_timeout(Psn end, Time now);
  /// Packet `psn` is to be sent again.
  void request(Psn psn);
  /// Packets in [from, to) need not be sent again after all.
  void cancel(Psn from, Psn to);

  [[nodiscard]] bool has_retransmission() const { return lost_count_ != 0; }
  /// The earliest packet to send again, which is then no longer due. `end`: one past the last packet sent.
  [[nodiscard]] Psn take_retransmission(Psn end);
  /// How many answers from `from` on have come without a gap, at most `limit`.
  [[nodiscard]] std::uint32_t responses_in_a_row(Psn from, std::uint32_t limit) const {
    return responded_count_ == 0 ? 0 : responded_.run_from(from, limit);
  }
  /// Something after una has arrived.
  [[nodiscard]] bool has_gap() const { return received_count_ + responded_count_ != 0; }
  /// By time: something has arrived that left after a packet which is still missing may have left.
  [[nodiscard]] bool has_overtaken() const { return has_gap() || copy_overtook_; }
  /// Forgets what the peer has and what is lost, as after a receiver that was not ready.
  void clear();
  /// Beside the object itself.
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  static constexpr std::uint8_t kFirstSteps = 3;
  /// A point in time in units of 4.096 ns, modulo 2^32 (17 s): enough to compare what is in flight.
  using Stamp = std::uint32_t;
  static constexpr int kStampShift = 12;
  [[nodiscard]] static Stamp stamp(Time time) { return static_cast<Stamp>(time.picoseconds() >> kStampShift); }
  [[nodiscard]] static Duration duration(Stamp span) {
    return Duration::picoseconds(static_cast<std::int64_t>(span) << kStampShift);
  }

  [[nodiscard]] Duration longest() const {
    return duration(longest_now_ > longest_before_ ? longest_now_ : longest_before_);
  }
  /// Counters fit the window and what was received lies in it; for assertions.
  [[nodiscard]] bool consistent() const;
  [[nodiscard]] std::uint32_t span(Psn end) const;
  /// `end`: one past the last packet sent.
  void measure(Psn psn, Psn end, Time now);
  void measure_first_arrival(Psn psn, Psn end, Time now);
  /// How long a packet that nothing later has overtaken is still waited for since a copy has arrived.
  [[nodiscard]] Stamp patience_after_copy(Stamp present) const;
  void end_round(Psn end);
  void mark_lost(Psn psn);
  void detect_by_count(Psn acknowledged, Time now);
  void tell_arrivals(Psn from, std::uint64_t places, Time now);
  void tell_losses(Psn from, std::uint64_t places, PathLoss sign, Time now);

  PsnBitmap received_;                 // the peer has the packet
  PsnBitmap responded_;                // its answer has come: not the same for a READ that the peer has put aside
  PsnBitmap lost_;                     // to be sent again
  PsnBitmap resent_;                   // sent again already
  std::vector<Stamp> sent_;            // by time only: when each packet left last
  std::unique_ptr<PathMemory> paths_;  // only where paths are learnt
  Psn una_;
  Psn highest_;      // received, while received_count_ != 0
  Psn round_end_;    // when una reaches it, a round trip has passed
  Psn steps_round_;  // no further step before una reaches it
  Psn copy_end_;     // while copy_overtook_: everything before it left before that copy arrived
  Psn doubt_end_;    // while in_doubt_: one past the last packet that had left when one was last sent again
  std::uint32_t mask_;
  std::uint32_t received_count_ = 0;
  std::uint32_t responded_count_ = 0;
  std::uint32_t lost_count_ = 0;
  std::uint32_t resent_count_ = 0;
  Stamp longest_now_ = 0;  // round trip in this round, acknowledgement's delay included
  Stamp longest_before_;   // in the rounds before, forgotten slowly
  Stamp newest_sent_ = 0;  // when the packet left that left last of all received
  Stamp copy_arrived_ = 0;
  Duration round_trip_;
  std::uint16_t patience_;  // by count: the threshold; by time: round trips before the first probe
  std::uint8_t steps_ = kFirstSteps;
  std::uint8_t quiet_rounds_ = 0;  // without a duplicate, since the last step
  bool by_time_;
  bool measured_ = false;
  bool copy_overtook_ = false;  // what was sent again has arrived, and una has not reached copy_end_
  bool in_doubt_ = false;       // what is first heard of may have arrived long ago
};

}  // namespace weft::transport
