// For tests: an endpoint that takes what arrives into a receive buffer, which empties at a rate of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/rate.h"
#include "fabric/endpoint.h"

namespace weft::fabric {

class SlowReceiver final : public Endpoint {
 public:
  struct Options {
    Rate drain;
    std::int64_t xoff = 0;  // bytes of frames
    std::int64_t xon = 0;
  };
  /// Hands everything on to `behind` as it arrives.
  SlowReceiver(const Options& options, Endpoint& behind, const PacketPool& packets)
      : options_(options), behind_(behind), packets_(packets) {}

  void on_packet(PacketHandle packet, Time now) override {
    empty(now);
    const std::int64_t size = packets_[packet].common.frame_bytes;
    drained_ = later(drained_, now) + options_.drain.transmit_time(Bytes(size));
    held_.emplace_back(drained_, size);
    bytes_ += size;
    peak = std::max(peak, bytes_);
    behind_.on_packet(packet, now);
  }
  void on_wire_ready(Time now) override { behind_.on_wire_ready(now); }
  [[nodiscard]] bool may_back_up() const override { return true; }
  [[nodiscard]] Time room_at(PacketHandle packet, Time now) override {
    empty(now);
    std::int64_t left = bytes_ + packets_[packet].common.frame_bytes;
    if (left <= (until_ > now ? options_.xon : options_.xoff)) {
      return now;
    }
    for (auto entry = held_.begin(); left > options_.xon && entry != held_.end(); ++entry) {
      left -= entry->second;
      until_ = later(until_, entry->first);
    }
    return until_;
  }
  /// Everything that has come is out of the buffer.
  [[nodiscard]] Time drained() const { return drained_; }

  std::int64_t peak = 0;  // most bytes that ever were in the buffer

 private:
  void empty(Time now) {
    while (!held_.empty() && held_.front().first <= now) {
      bytes_ -= held_.front().second;
      held_.pop_front();
    }
  }

  Options options_;
  Endpoint& behind_;
  const PacketPool& packets_;
  std::deque<std::pair<Time, std::int64_t>> held_;
  std::int64_t bytes_ = 0;
  Time drained_;
  Time until_;
};

}  // namespace weft::fabric
