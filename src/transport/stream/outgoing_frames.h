// The frames of a stream that are written and not yet acknowledged: what a segment is made of, as often as it is sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ring.h"
#include "transport/tcp/tcp_stream.h"

namespace weft::transport {

/// One frame: a header, then a payload, then what the framing adds (pad, check).
struct OutgoingFrame {
  /// A TERMINATE with all its parts: 2 + 18 + 52.
  static constexpr std::size_t kMaxHeader = 72;
  /// Where the payload comes from.
  enum class Source : std::uint8_t {
    kNone,
    kRequest,  // the send request `number`
    kRegion,   // memory: `key`, `address` (the answer of a READ)
    kOwn,      // the framing's own bytes: `number`
  };

  StreamOffset begin = 0;    // filled in by the queue
  std::uint32_t length = 0;  // bytes in the stream
  std::uint32_t payload_bytes = 0;
  std::uint32_t payload_offset = 0;  // of the message, where the payload of this frame begins
  std::uint32_t number = 0;
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  Source source = Source::kNone;
  std::uint8_t header_bytes = 0;
  std::array<std::byte, kMaxHeader> header{};

  [[nodiscard]] StreamOffset end() const { return begin + length; }
  [[nodiscard]] std::span<const std::byte> header_span() const { return std::span(header).first(header_bytes); }
};

class OutgoingFrames {
 public:
  /// Appends a frame behind the last one, with no gap.
  void push(OutgoingFrame frame);
  /// Forgets the frames that end at or before `offset`.
  void acknowledge(StreamOffset offset);
  void clear();

  /// The frame that holds the byte at `offset`, which must be written and not acknowledged.
  [[nodiscard]] const OutgoingFrame& at(StreamOffset offset) const;
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  /// Where the next frame begins.
  [[nodiscard]] StreamOffset end() const { return end_; }
  [[nodiscard]] std::size_t heap_bytes() const { return frames_.heap_bytes(); }

 private:
  Ring<OutgoingFrame> frames_;
  StreamOffset end_ = 0;
  mutable std::uint32_t hint_ = 0;  // where the last search ended
};

}  // namespace weft::transport
