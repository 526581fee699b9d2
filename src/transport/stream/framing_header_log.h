// The framing headers of one direction of a connection, for runs in which lengths alone travel: the sender notes each
// header with its place in the stream, the receiver reads it once those bytes have arrived.
//
// One producer and one consumer, which may be two threads: entries are published with release and read with acquire
// order. Entries come in ascending order of their offsets; what the consumer discards is freed. Where bytes travel, the
// headers are in the stream itself and there is no ledger.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/ids.h"
#include "transport/tcp/tcp_stream.h"

namespace weft::transport {

class FramingHeaderLog {
 public:
  /// A header and the offset of its first byte. `header` is valid until the entry is discarded.
  struct Entry {
    StreamOffset offset = 0;
    std::span<const std::byte> header{};
  };
  /// Longest header.
  static constexpr std::size_t kMaxHeader = 1024;

  FramingHeaderLog() = default;
  FramingHeaderLog(const FramingHeaderLog&) = delete;
  FramingHeaderLog& operator=(const FramingHeaderLog&) = delete;
  ~FramingHeaderLog();

  // For the producer.

  /// `offset` must be larger than that of the entry before.
  void append(StreamOffset offset, std::span<const std::byte> header);

  // For the consumer.

  /// The oldest entry not discarded.
  [[nodiscard]] std::optional<Entry> front() const;
  /// The entry at exactly this offset; it may lie behind others that are not yet discarded.
  [[nodiscard]] std::optional<Entry> find(StreamOffset offset) const;
  /// Forgets the entries that begin before `offset`.
  void discard_before(StreamOffset offset);

  /// Forgets everything. Only while neither end uses it.
  void clear();
  [[nodiscard]] std::size_t heap_bytes() const { return heap_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Chunk;
  /// A place between two entries; `at` counts bytes of the chunk.
  struct Place {
    Chunk* chunk = nullptr;
    std::uint32_t at = 0;
  };
  /// Moves on from a chunk that was read to its end; false, and `place` as it was, if nothing follows.
  [[nodiscard]] static bool settle(Place& place);
  [[nodiscard]] static Entry entry_at(const Place& place);
  static void step(Place& place);
  [[nodiscard]] bool open_reader() const;

  std::atomic<Chunk*> first_{nullptr};  // set once by the producer
  Chunk* last_ = nullptr;               // the producer's
  mutable Place read_;                  // the consumer's; empty until the first entry was seen
  mutable Place found_;                 // what the consumer found last; empty when that is gone
  std::atomic<std::size_t> heap_bytes_{0};
};

/// The ledgers of a world, each found by the sender of its stream. Opening and closing are for any thread; a ledger
/// lives until both its ends have let go of it, at a fixed address.
class FramingHeaderLogs {
 public:
  struct Sender {
    EndpointId endpoint;
    Qpn qpn;

    friend auto operator<=>(const Sender&, const Sender&) = default;
  };

  /// Makes the ledger, or finds the one that the other end has made.
  [[nodiscard]] FramingHeaderLog& open(Sender sender);
  /// One end needs it no longer.
  void close(Sender sender);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Held {
    std::unique_ptr<FramingHeaderLog> ledger;
    int users = 0;
  };
  mutable std::mutex mutex_;
  std::map<Sender, Held> ledgers_;
};

}  // namespace weft::transport
