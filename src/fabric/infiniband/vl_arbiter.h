// Which virtual lane of an output port sends next: two weighted round robins, one before the other.
//
// A table is a list of (lane, weight); an entry sends packets of its lane until its weight, in units of 64 bytes, is
// used up or the lane has nothing that may go; the packet that uses it up goes whole. The high table comes first, but
// after HighLimit times 4096 bytes of it, one packet of the low table gets its chance; 0 stands for a single packet,
// 255 for no limit. A lane may be in several entries and in both tables.
//= ibta-1.7 7.6.9
#pragma once

#include <cstdint>
#include <vector>

namespace weft::fabric {

struct VlArbitration {
  struct Entry {
    std::uint8_t lane = 0;
    std::uint8_t weight = 0;  // 0: the entry is skipped
  };
  static constexpr std::uint8_t kUnlimited = 255;
  static constexpr std::size_t kMaxEntries = 64;

  std::vector<Entry> high;
  std::vector<Entry> low;
  std::uint8_t high_limit = kUnlimited;

  /// Bit l: lane l has weight in a table.
  [[nodiscard]] static std::uint32_t lanes_of(const std::vector<Entry>& table);
  /// All of `lanes` in the low table with equal weights.
  [[nodiscard]] static VlArbitration equal(std::uint32_t lanes);
};

/// A port's place in its tables.
class VlArbiter {
 public:
  /// `eligible` is not 0: bit l: lane l has a packet and the credits for it. Lanes without weight never send: then the
  /// result is kNobody.
  [[nodiscard]] std::uint32_t pick(const VlArbitration& tables, std::uint32_t eligible);
  /// The packet of the lane picked goes out.
  void charge(std::uint32_t blocks);

  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;

 private:
  struct Turn {
    std::uint8_t entry = 0;
    std::uint16_t left = 0;  // blocks
    bool begun = false;
  };
  [[nodiscard]] static std::uint32_t take(Turn& turn, const std::vector<VlArbitration::Entry>& table,
                                          std::uint32_t eligible);

  Turn high_;
  Turn low_;
  bool from_high_ = false;
  std::uint32_t high_blocks_ = 0;  // since the low table had its last chance
};

}  // namespace weft::fabric
