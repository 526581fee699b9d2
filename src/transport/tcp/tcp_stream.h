// What a TCP connection carries, as its user sees it: a stream of bytes each way, numbered from 0.
//
// A connection holds no payload. It asks its user for the bytes it sends, as often as it sends them, and hands on each
// byte that arrives once, in whatever order; in runs where only lengths travel it moves the numbers alone. Messages and
// their boundaries are the user's affair (transport/stream/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::transport {

/// Place of a byte in one direction of a connection; the first byte of data is 0.
using StreamOffset = std::uint64_t;

/// A run of bytes that has arrived. `bytes` is empty where lengths alone travel, else of size `length`.
struct StreamRun {
  StreamOffset offset = 0;
  std::uint32_t length = 0;
  std::span<const std::byte> bytes{};
};

/// The user of one connection. Calls come from inside TcpConnection's functions and must not call it back, except
/// where stated.
class TcpStreamUser {
 public:
  virtual ~TcpStreamUser() = default;

  /// How many bytes from `offset` on one segment may carry, 1 to `room`: a user that aligns its frames with segments
  /// ends them there. Must give the same answer for the same arguments until the bytes have been acknowledged.
  [[nodiscard]] virtual std::uint32_t segment_length(StreamOffset offset, std::uint32_t room) const = 0;
  /// Copies the bytes from `offset` on into `out`; not called where lengths alone travel.
  virtual void gather(StreamOffset offset, std::span<std::byte> out) const = 0;
  /// Bytes that were not there before; earlier ones may still be missing.
  virtual void on_arrival(const StreamRun& run) = 0;
};

}  // namespace weft::transport
