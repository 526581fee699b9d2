// How one switch takes a member of a group of next hops by the hash of a flow: its seed, the rotation of its tier, and
// what the rest of a division, or a table of buckets, makes of the value.
//
// The value is the flow's hash and the seed, for kMixed mixed, for the linear functions of hardware by exclusive or,
// and then turned to the left by `rotation` bits within its width. kMixed takes a member by the upper bits of the
// value, the others by the rest of its division by the number of members, as switches do.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "fabric/hash/hash_function.h"
#include "fabric/routing/ecmp_hash.h"

namespace weft::fabric {

/// Of a switch. The defaults are those of plain ECMP (routing/path_choice.h), which needs no groups.
struct HashOptions {
  HashFunction function = HashFunction::kMixed;
  std::uint8_t rotation = 0;    // bits for each tier above the leaves
  std::uint16_t buckets = 0;    // of a resilient group; 0: members are taken by the value itself
  bool parallel_links = false;  // those to one switch are one member (a LAG), and one of them is taken by a hash apart

  [[nodiscard]] bool is_plain() const { return *this == HashOptions{}; }
  friend bool operator==(const HashOptions&, const HashOptions&) = default;
};

class MemberChoice {
 public:
  struct Switch {
    std::uint64_t seed = 0;
    std::uint8_t tier = 1;  // 1: a leaf; 0 counts as that
  };
  MemberChoice() = default;
  MemberChoice(const HashOptions& options, const Switch& of)
      : seed_(of.seed),
        bits_(row_of(options.function).bits),
        rotation_(options.rotation * (of.tier > 0 ? of.tier - 1U : 0U) % bits_),
        mixes_(options.function == HashFunction::kMixed) {}

  /// Of as many bits as the function has.
  [[nodiscard]] std::uint32_t value_of(std::uint32_t flow_hash) const {
    return turned(mixes_ ? switch_hash(flow_hash, seed_) : (flow_hash ^ folded_seed()) & mask(), rotation_);
  }
  /// By which one of parallel links is taken: other bits of the value.
  [[nodiscard]] std::uint32_t apart(std::uint32_t value) const { return turned(value, bits_ / 2); }
  /// One of 0 to count - 1. count > 0.
  [[nodiscard]] std::uint32_t pick_of(std::uint32_t value, std::uint32_t count) const {
    WEFT_DCHECK(count > 0);
    return mixes_ ? pick(value, count) : value % count;
  }

 private:
  [[nodiscard]] std::uint32_t mask() const { return bits_ == 32 ? 0xFFFF'FFFF : 0xFFFF; }
  [[nodiscard]] std::uint32_t folded_seed() const {
    const auto folded = static_cast<std::uint32_t>(seed_ ^ seed_ >> 32);
    return bits_ == 32 ? folded : folded ^ folded >> 16;
  }
  [[nodiscard]] std::uint32_t turned(std::uint32_t value, std::uint32_t by) const {
    return by == 0 ? value : (value << by | value >> (bits_ - by)) & mask();
  }

  std::uint64_t seed_ = 0;
  std::uint32_t bits_ = 32;
  std::uint32_t rotation_ = 0;
  bool mixes_ = true;
};

}  // namespace weft::fabric
