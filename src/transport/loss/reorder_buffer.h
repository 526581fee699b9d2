// Receiver's half of selective repeat: packets that came early, by PSN, until the gap before them is filled.
//
// An entry is either held (the packet itself, with its bytes, counted against the capacity) or placed (its data are in
// memory already, only what is needed to finish its message in order is kept; not counted). The window is 128 PSNs
// from the expected one. Allocated on first use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/psn.h"
#include "transport/packet_io.h"

namespace weft::transport {

class ReorderBuffer {
 public:
  static constexpr int kWindow = wire::SackBitmap::kBits;

  /// One packet that came early.
  struct Entry {
    wire::Packet packet;
    wire::ColdPacket cold;
    std::vector<std::byte> payload;
    bool used = false;
    bool placed = false;
  };

  /// `capacity` held packets, 1..127.
  explicit ReorderBuffer(std::uint8_t capacity) : capacity_(capacity) {}

  enum class Outcome : std::uint8_t { kKept, kDuplicate, kNoRoom };
  /// Keeps the packet; its PSN lies 1 to 127 after `expected`.
  Outcome hold(const ReceivedPacket& received, Psn expected);
  /// Remembers a packet whose data are placed.
  Outcome note_placed(const ReceivedPacket& received, Psn expected);
  [[nodiscard]] bool contains(Psn psn) const { return entry(psn).used && entry(psn).packet.ib.psn == psn; }

  /// The entry for `psn`, which the caller then releases; null if it has not come.
  [[nodiscard]] Entry* find(Psn psn);
  void release(Entry& taken);

  /// Bit i stands for `expected` + i.
  [[nodiscard]] wire::SackBitmap bitmap(Psn expected) const;
  [[nodiscard]] int held() const { return held_; }
  [[nodiscard]] bool any() const { return used_ > 0; }
  void clear();

 private:
  [[nodiscard]] const Entry& entry(Psn psn) const { return entries_[psn.value() % kWindow]; }
  [[nodiscard]] Entry& entry(Psn psn) { return entries_[psn.value() % kWindow]; }
  Outcome keep(const ReceivedPacket& received, Psn expected, bool placed);

  std::array<Entry, kWindow> entries_;
  int held_ = 0;
  int used_ = 0;
  std::uint8_t capacity_;
};

}  // namespace weft::transport
