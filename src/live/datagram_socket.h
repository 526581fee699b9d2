// What the driver needs of a datagram socket; decorators (live/socket_faults.h) have the same face.
//
// Nothing waits. All storage of received bytes belongs to the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/time.h"
#include "live/socket_address.h"

namespace weft::live {

/// One UDP payload to be sent; `to` and `bytes` must live until `send` returns. A segment number above zero says that
/// the datagram continues the one before it: same destination, and all but the last of such a run have one size
/// (live/segment_runs.h decides it, because the ICRC depends on it).
struct OutgoingDatagram {
  const SocketAddress* to = nullptr;
  std::span<const std::byte> bytes{};
  std::uint16_t segment = 0;
};

struct IncomingDatagram {
  SocketAddress from{};
  std::span<const std::byte> bytes{};
};

class DatagramSocket {
 public:
  virtual ~DatagramSocket() = default;

  /// The number taken, from the front; fewer than given means that the kernel has no room now. A datagram that the
  /// kernel refuses for good counts as taken and as lost.
  [[nodiscard]] virtual std::size_t send(std::span<const OutgoingDatagram> datagrams, Time now) = 0;
  /// What has arrived, possibly not all of it; valid until the next call.
  [[nodiscard]] virtual std::span<const IncomingDatagram> receive(Time now) = 0;

  /// For ppoll.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Most datagrams that one run may have; 1 = the socket does not segment.
  [[nodiscard]] virtual std::size_t max_segments() const = 0;
  /// The earliest instant at which `receive` is to be called although the kernel reports nothing.
  [[nodiscard]] virtual Time next_event() const = 0;
  /// Datagrams that the kernel refused.
  [[nodiscard]] virtual std::uint64_t refused() const = 0;
};

}  // namespace weft::live
