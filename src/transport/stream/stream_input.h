// What has arrived of a stream and is not yet consumed, as framing reads it: by offset, bytes or headers alone.
//
// With bytes, everything between the consumed part and the farthest byte is kept in one circular buffer, which grows to
// what the receive window lets in. Where lengths alone travel, headers come from the sender's ledger; all other reads
// do nothing. The reader knows what has arrived: only such ranges may be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/stream/framing_header_log.h"
#include "transport/tcp/tcp_stream.h"

namespace weft::transport {

class StreamInput {
 public:
  /// Reads headers from `ledger`, which must outlive its use; null: from the bytes.
  void start(FramingHeaderLog* ledger);
  void reset();
  [[nodiscard]] bool carries_bytes() const { return ledger_ == nullptr; }

  /// Keeps a run of bytes; offsets at or behind `position()`.
  void store(const StreamRun& run);

  /// First offset not consumed.
  [[nodiscard]] StreamOffset position() const { return position_; }
  /// All before `offset` is done with.
  void consume_to(StreamOffset offset);

  /// Copies the header of a frame that begins at `offset`: up to out.size() bytes, their number comes back. From a
  /// ledger it is that of the header noted there, 0 if there is none.
  [[nodiscard]] std::size_t read_header(StreamOffset offset, std::span<std::byte> out) const;
  /// Copies bytes; not without bytes.
  void read(StreamOffset offset, std::span<std::byte> out) const;
  /// The bytes at `offset`, as many as lie together, at most `length`.
  [[nodiscard]] std::span<const std::byte> view(StreamOffset offset, std::size_t length) const;

  [[nodiscard]] std::size_t heap_bytes() const { return buffer_.capacity(); }

 private:
  void grow(std::size_t needed);

  FramingHeaderLog* ledger_ = nullptr;
  std::vector<std::byte> buffer_;  // size: a power of two, or 0
  StreamOffset position_ = 0;
  StreamOffset farthest_ = 0;
};

}  // namespace weft::transport
