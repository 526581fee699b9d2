// One entropy value for each message: its packets keep to one path, and the next message takes another at random.
//
// The value is f(seed, first PSN of the message), so that packets that leave again take the path of their message.
// Packets of one message stay in order; a message may pass the one before it where several are in flight, which an
// engine that goes back takes for a loss.
#pragma once

#include <cstdint>

#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class MessagePath final : public PathSelector {
 public:
  /// `seed` is this flow's own.
  MessagePath(EntropyRange range, std::uint64_t seed)
      : PathSelector(Feedback::kIgnored, Progress::kMessages), range_(range), seed_(seed), entropy_(range.base) {}

  void begin_message(Psn first) override;
  [[nodiscard]] std::uint16_t entropy_for(Psn, Time) override { return entropy_; }
  void on_loss(std::uint16_t, PathLoss, Time) override {}
  [[nodiscard]] std::uint32_t paths() const override { return range_.paths; }

 private:
  EntropyRange range_;
  std::uint64_t seed_;
  std::uint16_t entropy_;  // of the message that a packet leaves of
};

}  // namespace weft::transport
