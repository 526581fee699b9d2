#include "transport/qpn_sequence.h"

#include "base/random.h"

namespace weft::transport {
namespace {

constexpr std::uint32_t kHalfBits = 12;
constexpr std::uint32_t kHalfMask = (1U << kHalfBits) - 1;
constexpr std::uint32_t kMask = (1U << (2 * kHalfBits)) - 1;

}  // namespace

QpnSequence::QpnSequence(std::uint64_t seed) {
  RandomStream random(seed, "queue pair numbers");
  for (std::uint64_t& key : round_keys_)
    key = random.next();
}

Qpn QpnSequence::next() {
  std::uint32_t number = 0;
  do {
    number = permute(order_);
    order_ = (order_ + 1) & kMask;
  } while (number < kFirst || number > kLast);
  return Qpn(number);
}

// A Feistel network: whatever the round function, it is a permutation of 24 bits, so that no number comes twice.
std::uint32_t QpnSequence::permute(std::uint32_t plain) const {
  std::uint32_t left = plain >> kHalfBits;
  std::uint32_t right = plain & kHalfMask;
  for (const std::uint64_t key : round_keys_) {
    const auto mixed = static_cast<std::uint32_t>(SplitMix64(key + right).next()) & kHalfMask;
    const std::uint32_t next = left ^ mixed;
    left = right;
    right = next;
  }
  return left << kHalfBits | right;
}

}  // namespace weft::transport
