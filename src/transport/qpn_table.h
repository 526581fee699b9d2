// Which engine a queue pair number belongs to: the device's first look-up for every packet.
//
// A hash table with open addressing, 8 bytes an entry, at most three quarters full. Numbers are random already
// (transport/qpn_sequence.h), so their low bits are the hash. Places are visible, so that a driver with few queue
// pairs can walk round them; inserting and erasing moves entries. Order depends only on the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace weft::transport {

/// What carries a queue pair: RC of verbs is served by the RC engine, over a stream by TCP or iWARP, or over a
/// scale-up link by loads and stores. kUetPdc is no queue pair, but a packet delivery context, which several queue
/// pairs of kind kUet send through.
enum class EngineKind : std::uint8_t { kRc, kUc, kUd, kTcp, kIwarp, kMemory, kUet, kUetPdc };
inline constexpr std::size_t kEngineKinds = 8;
static_assert(static_cast<std::size_t>(EngineKind::kUetPdc) + 1 == kEngineKinds);

/// An engine of one device: its kind, and its handle in the slab of that kind.
struct QpSlot {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t index = kNone;
  EngineKind kind = EngineKind::kRc;

  [[nodiscard]] bool exists() const { return index != kNone; }
  friend bool operator==(const QpSlot&, const QpSlot&) = default;
};

class QpnTable {
 public:
  /// The number must not be in the table, and not be 0.
  void insert(Qpn qpn, QpSlot slot);
  /// The number must be in the table.
  void erase(Qpn qpn);

  /// A slot that does not exist if the number is not in the table.
  [[nodiscard]] QpSlot find(Qpn qpn) const {
    if (entries_.empty())
      return {};
    for (std::size_t place = home(qpn.value());; place = next(place)) {
      const Entry& entry = entries_[place];
      if (entry.qpn() == qpn.value())
        return {.index = entry.index, .kind = entry.kind()};
      if (entry.is_free())
        return {};
    }
  }

  /// Prefetches a table of one cache line; of a larger one the place is not known before the number is.
  [[gnu::always_inline]] void prefetch() const { __builtin_prefetch(entries_.data()); }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t heap_bytes() const { return entries_.capacity() * sizeof(Entry); }

  /// Number of places; a power of two, or 0.
  [[nodiscard]] std::size_t places() const { return entries_.size(); }
  /// The number at a place, invalid if the place is free.
  [[nodiscard]] Qpn at(std::size_t place) const {
    return entries_[place].is_free() ? Qpn::invalid() : Qpn(entries_[place].qpn());
  }

 private:
  struct Entry {
    std::uint32_t tagged = 0;             // kind in the top byte, number below; 0 = free, since no number is 0
    std::uint32_t index = QpSlot::kNone;  // so that a search for number 0 finds nothing at a free place

    [[nodiscard]] bool is_free() const { return tagged == 0; }
    [[nodiscard]] std::uint32_t qpn() const { return tagged & 0xFFFFFF; }
    [[nodiscard]] EngineKind kind() const { return static_cast<EngineKind>(tagged >> 24); }
  };
  static_assert(sizeof(Entry) == 8);

  [[nodiscard]] std::size_t home(std::uint32_t qpn) const { return qpn & (entries_.size() - 1); }
  [[nodiscard]] std::size_t next(std::size_t place) const { return (place + 1) & (entries_.size() - 1); }
  void place_entry(const Entry& entry);
  void grow();

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace weft::transport
