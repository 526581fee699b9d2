// Credits of one virtual channel of an Ethernet link (CBFC), as its two ends keep them. A credit is a unit of the
// receiver's buffer, 32 to 2048 bytes.
//
// The sender counts what it has consumed since the link came up, the receiver what it has freed; both only grow, and
// are compared modulo 2^32. A message that is lost is made good by the next one of its kind: CF_Update carries all that
// was freed, CC_Update all that was consumed, from which the receiver learns of frames that never came
// (docs/decisions/0039).
#pragma once

#include <cstdint>

#include "base/assert.h"

namespace weft::fabric {

/// Credits that a frame of so many bytes takes.
[[nodiscard]] constexpr std::uint32_t credits_of(std::uint32_t frame_bytes, std::uint32_t unit) {
  return (frame_bytes + unit - 1) / unit;
}

/// The end that sends.
class CreditGrantee {
 public:
  CreditGrantee() = default;
  CreditGrantee(std::uint32_t buffer, std::uint32_t largest_frame) : buffer_(buffer), largest_(largest_frame) {
    WEFT_ASSERT(largest_ > 0 && largest_ <= buffer_);
  }

  /// Whether a frame of the largest size may begin.
  [[nodiscard]] bool admits() const { return outstanding() + largest_ <= buffer_; }
  void consume(std::uint32_t credits) { consumed_ += credits; }
  /// A CF_Update. An old one changes nothing.
  void on_freed(std::uint32_t freed) {
    if (freed - freed_ <= consumed_ - freed_) {
      freed_ = freed;
    }
  }
  /// The link has come up again, and so much of the buffer is still held.
  void restart(std::uint32_t held) {
    consumed_ = 0;
    freed_ = 0 - held;
  }

  [[nodiscard]] std::uint32_t consumed() const { return consumed_; }
  /// Consumed and, as far as is known, not freed.
  [[nodiscard]] std::uint32_t outstanding() const { return consumed_ - freed_; }

 private:
  std::uint32_t buffer_ = 0;
  std::uint32_t largest_ = 0;
  std::uint32_t consumed_ = 0;
  std::uint32_t freed_ = 0;
};

/// The end that receives, with the buffer.
class CreditGranter {
 public:
  struct Options {
    std::uint32_t buffer = 0;         // credits
    std::uint32_t largest_frame = 0;  // credits, at most the buffer
    std::uint32_t threshold = 1;      // freed since the last CF_Update before the next is due
  };

  CreditGranter() = default;
  explicit CreditGranter(const Options& options) : buffer_(options.buffer), threshold_(options.threshold) {
    // Beside what is unsaid there must be room for the largest frame, or nobody would ever speak again.
    WEFT_ASSERT(threshold_ > 0 && threshold_ - 1 + options.largest_frame <= buffer_);
  }

  /// A frame stays in the buffer.
  void hold(std::uint32_t credits) {
    held_ += credits;
    WEFT_DCHECK(held_ <= buffer_);  // or the sender had credits that nobody gave
  }
  /// One that was held leaves, or one that was not goes on at once.
  void release(std::uint32_t credits) {
    WEFT_DCHECK(credits <= held_);
    held_ -= credits;
    freed_ += credits;
  }
  void pass(std::uint32_t credits) { freed_ += credits; }
  [[nodiscard]] bool owes_update() const { return freed_ - said_ >= threshold_; }
  /// The value of a CF_Update that is sent now.
  [[nodiscard]] std::uint32_t say() { return said_ = freed_; }
  /// A CC_Update: what was sent before it and has not come is lost, and its credits are free.
  void on_consumed(std::uint32_t consumed) {
    WEFT_DCHECK(consumed - (freed_ + held_) <= buffer_);
    freed_ = consumed - held_;
  }
  /// The link has come up again; what is held stays.
  void restart() { freed_ = said_ = 0 - held_; }

  [[nodiscard]] std::uint32_t held() const { return held_; }
  [[nodiscard]] std::uint32_t buffer() const { return buffer_; }

 private:
  std::uint32_t buffer_ = 0;
  std::uint32_t threshold_ = 1;
  std::uint32_t held_ = 0;
  std::uint32_t freed_ = 0;
  std::uint32_t said_ = 0;
};

}  // namespace weft::fabric
