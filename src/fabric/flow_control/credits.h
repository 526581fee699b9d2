// Absolute credits of one virtual lane, as the two ends of an InfiniBand link keep them. Units: blocks of 64 bytes.
//
// The sender counts what it has sent since the link came up (FCTBS), the receiver what has come in (ABR); the receiver
// advertises how far the sender may go (FCCL). All are modulo 4096, so a limit may be at most 2048 ahead. Because the
// numbers are absolute, a flow control packet that is lost is made good by the next one, and a data packet that is lost
// by the FCTBS that the next one carries (docs/decisions/0012).
//= ibta-1.7 7.9.4
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/assert.h"

namespace weft::fabric {

inline constexpr std::uint32_t kBlockBytes = 64;
inline constexpr std::uint32_t kCreditMask = 0xFFF;
inline constexpr std::uint32_t kMaxAdvertised = 2048;
/// A credit update is never sent for less than this part of the buffer.
inline constexpr std::uint32_t kMinThresholdDivisor = 16;

/// Blocks that a packet of `frame_bytes` (LRH to VCRC) costs.
[[nodiscard]] constexpr std::uint32_t blocks_of(std::uint32_t frame_bytes) {
  return (frame_bytes + kBlockBytes - 1) / kBlockBytes;
}

/// The end that sends. 4 bytes.
class CreditSender {
 public:
  [[nodiscard]] bool admits(std::uint32_t blocks) const {
    return ((limit_ - (sent_ + blocks)) & kCreditMask) <= kMaxAdvertised;
  }
  void spend(std::uint32_t blocks) {
    WEFT_DCHECK(admits(blocks));  // never more than was granted
    sent_ = static_cast<std::uint16_t>((sent_ + blocks) & kCreditMask);
  }
  void set_limit(std::uint32_t fccl) {
    WEFT_DCHECK(fccl <= kCreditMask);
    limit_ = static_cast<std::uint16_t>(fccl);
  }
  /// The link has come up: nothing was sent yet.
  void restart(std::uint32_t fccl) {
    sent_ = 0;
    set_limit(fccl);
  }

  [[nodiscard]] std::uint32_t total_sent() const { return sent_; }  // FCTBS
  [[nodiscard]] std::uint32_t limit() const { return limit_; }      // FCCL of the latest update
  [[nodiscard]] std::uint32_t available() const { return (limit_ - sent_) & kCreditMask; }

 private:
  std::uint16_t sent_ = 0;
  std::uint16_t limit_ = 0;
};

/// The end that receives, with the buffer of the lane. 12 bytes.
class CreditReceiver {
 public:
  struct Options {
    std::uint32_t buffer = 0;          // blocks, 1 to 65535
    std::uint32_t largest_packet = 0;  // blocks, at most what is advertised of the buffer
    std::uint32_t round_trip_blocks =
        0;                      // blocks in one round trip of the link: what can arrive before an update takes effect
    std::uint32_t divisor = 4;  // an update is due at the latest when this part of the buffer is unadvertised; >= 1
  };

  CreditReceiver() = default;
  explicit CreditReceiver(const Options& options) : buffer_(static_cast<std::uint16_t>(options.buffer)) {
    const std::uint32_t usable = std::min(options.buffer, kMaxAdvertised);
    WEFT_ASSERT(options.buffer <= 0xFFFF && options.largest_packet <= usable && options.divisor > 0);
    // As few updates as the round trip allows: the advertised part must cover it, with a packet at either end, and the
    // unadvertised part must never block the largest packet.
    const std::uint32_t needed = options.round_trip_blocks + 2 * options.largest_packet;
    const std::uint32_t spare = usable > needed ? usable - needed : 0;
    const std::uint32_t max_threshold = std::max(usable / options.divisor, 1U);
    const std::uint32_t min_threshold = std::max(usable / kMinThresholdDivisor, 1U);
    threshold_ = static_cast<std::uint16_t>(std::min(
        std::clamp(spare, std::min(min_threshold, max_threshold), max_threshold), usable - options.largest_packet + 1));
    WEFT_ASSERT(threshold_ > 0);  // or an update would be due for ever
    restart();
  }

  /// A packet has come in. What is unadvertised is added up here and not worked out, for every packet comes by.
  void count(std::uint32_t blocks) {
    WEFT_DCHECK(blocks > 0 && blocks <= kMaxAdvertised);
    received_ = static_cast<std::uint16_t>((received_ + blocks) & kCreditMask);
    unadvertised_ = static_cast<std::uint16_t>((unadvertised_ + blocks) & kCreditMask);  // the limit moves on with it
  }
  /// It stays in the buffer; never more than fits, or the credits were wrong.
  void store(std::uint32_t blocks) {
    WEFT_DCHECK(occupied_ + blocks <= buffer_);
    occupied_ = static_cast<std::uint16_t>(occupied_ + blocks);
    compare();
  }
  void release(std::uint32_t blocks) {
    WEFT_DCHECK(blocks <= occupied_);
    occupied_ = static_cast<std::uint16_t>(occupied_ - blocks);
    compare();
  }

  /// FCCL if an update were sent now.
  [[nodiscard]] std::uint32_t limit() const {
    WEFT_DCHECK(occupied_ <= buffer_);
    const std::uint32_t free = std::uint32_t{buffer_} - occupied_;
    return (received_ + std::min(free, kMaxAdvertised)) & kCreditMask;
  }
  [[nodiscard]] std::uint32_t unadvertised() const { return unadvertised_; }
  /// An update is due.
  [[nodiscard]] bool update_due() const { return unadvertised_ >= threshold_; }
  /// Takes the FCCL to send now.
  std::uint32_t advertise() {
    unadvertised_ = 0;
    return advertised_ = static_cast<std::uint16_t>(limit());
  }

  /// The sender reported its FCTBS: everything sent before it that has not arrived is lost.
  void resynchronise(std::uint32_t total_sent) {
    received_ = static_cast<std::uint16_t>(total_sent & kCreditMask);
    compare();
  }
  /// The link has come up; what is in the buffer stays.
  void restart() {
    received_ = 0;
    (void)advertise();
  }

  [[nodiscard]] std::uint32_t received() const { return received_; }  // ABR
  [[nodiscard]] std::uint32_t advertised() const { return advertised_; }
  [[nodiscard]] std::uint32_t occupied() const { return occupied_; }
  [[nodiscard]] std::uint32_t buffer() const { return buffer_; }
  [[nodiscard]] std::uint32_t threshold() const { return threshold_; }

 private:
  void compare() { unadvertised_ = static_cast<std::uint16_t>((limit() - advertised_) & kCreditMask); }

  std::uint16_t received_ = 0;
  std::uint16_t advertised_ = 0;
  std::uint16_t unadvertised_ = 0;  // credits beyond the advertised limit
  std::uint16_t occupied_ = 0;
  std::uint16_t buffer_ = 0;
  std::uint16_t threshold_ = 0;
};

/// One virtual lane of a port: the sender of what goes out, the receiver of what comes in, and what was sent.
struct alignas(32) LaneCredits {
  std::uint64_t packets_sent = 0;
  CreditSender sender;
  CreditReceiver receiver;
  std::uint64_t bytes_sent = 0;  // of frames; beside the packets, both would be added to as one vector, which is slower
};
static_assert(sizeof(LaneCredits) == 32);

}  // namespace weft::fabric
