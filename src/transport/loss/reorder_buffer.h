// Receiver side of selective repeat: out-of-order packets by PSN, until the gap before them is filled.
//
// The window is a number of PSNs from the expected one: what a device can track. A packet in it is
// - held: the packet itself with its bytes, counted against the capacity in packets and bytes;
// - placed: its data are in memory already. What is needed to finish its message in order is kept, not counted;
// - placed in the middle of a WRITE: one bit, since such packets differ in nothing that matters any more.
// It also knows what has not been reported to the sender yet. Allocated on first use; memory grows with what is early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/data_size.h"
#include "base/psn.h"
#include "transport/loss/psn_bitmap.h"
#include "transport/packet_io.h"

namespace weft::transport {

class ReorderBuffer {
 public:
  struct Options {
    std::uint32_t window = 128;  // PSNs from the expected one, itself included; 2 to 65,536
    std::uint32_t packets = 64;  // held at most, at least 1
    Bytes bytes = Bytes::max();  // payload of held packets, at most
  };
  explicit ReorderBuffer(const Options& options);

  /// One packet that came early.
  struct Entry {
    wire::Packet packet;
    wire::ColdPacket cold;
    std::vector<std::byte> payload;
    bool placed = false;
  };

  [[nodiscard]] std::uint32_t window() const { return window_; }

  enum class Outcome : std::uint8_t { kKept, kDuplicate, kNoRoom };
  /// Keeps the packet; its PSN lies 1 to window - 1 after `expected`.
  Outcome hold(const ReceivedPacket& received);
  /// Remembers a packet whose data are placed.
  Outcome note_placed(const ReceivedPacket& received);
  /// The same for a full packet from the middle of a WRITE that has not come before.
  void note_middle(Psn psn) {
    WEFT_DCHECK(!arrived_.test(psn));
    arrived_.set(psn);
    ++arrived_count_;
    note_unreported(psn);
  }
  [[nodiscard]] bool contains(Psn psn) const { return arrived_.test(psn); }

  /// Takes the middles that follow one another from `expected` on; how many there were.
  [[nodiscard]] std::uint32_t take_middles(Psn expected);
  /// The entry for `psn`, which the caller then releases; null if there is none.
  [[nodiscard]] Entry* find(Psn psn);
  void release(Psn psn);
  /// Forgets what lies in [from, to), which the expected PSN has jumped over.
  void skip(Psn from, Psn to);

  /// Some arrivals have not been reported to the sender in a bitmap.
  [[nodiscard]] bool has_unreported() const { return unreported_; }
  /// The 128 PSNs to report next: from `expected` on if all that is new lies there. Counts as reported.
  [[nodiscard]] wire::SackBitmap report(Psn expected);
  /// Whether this is the first packet beyond the window or capacity since `expected` is the expected PSN.
  [[nodiscard]] bool first_overflow(Psn expected) {
    const bool first = !overflowed_ || overflow_psn_ != expected;
    overflowed_ = true;
    overflow_psn_ = expected;
    return first;
  }
  [[nodiscard]] std::uint32_t held() const { return held_; }
  [[nodiscard]] bool any() const { return arrived_count_ > 0; }
  void clear();
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  Outcome keep(const ReceivedPacket& received, bool placed);
  /// Counters agree with what is held; for assertions.
  [[nodiscard]] bool consistent() const;
  void note_unreported(Psn psn) {
    if (!unreported_ || psn < first_unreported_)
      first_unreported_ = psn;
    if (!unreported_ || psn > last_unreported_)
      last_unreported_ = psn;
    unreported_ = true;
    WEFT_DCHECK(first_unreported_ <= last_unreported_);
  }

  PsnBitmap arrived_;
  PsnBitmap kept_;                       // has an entry
  std::vector<std::uint16_t> entry_of_;  // by PSN modulo the window, meaningful where kept_
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> free_;
  Options options_;
  std::uint32_t window_;
  std::uint32_t arrived_count_ = 0;
  std::uint32_t held_ = 0;
  Bytes held_bytes_;
  Psn first_unreported_;
  Psn last_unreported_;
  Psn overflow_psn_;
  bool unreported_ = false;
  bool overflowed_ = false;
};

}  // namespace weft::transport
