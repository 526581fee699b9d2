// Between the records of engines (wire/packet.h) and UDP payloads, BTH to ICRC.
//
// The ICRC covers IP and UDP headers that a socket neither takes nor gives, so both directions rebuild them: addresses
// and ports from the sockets, IPv4 with don't-fragment and without options, the identification as told (sending) or
// solved for (receiving).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "live/ipv4_identification.h"
#include "live/socket_address.h"
#include "wire/frame.h"
#include "wire/packet.h"

namespace weft::live {

/// The two ends of a datagram. Both are IPv4 or both are IPv6.
struct DatagramPath {
  SocketAddress source{};
  SocketAddress destination{};
};

/// Room for one outgoing packet. An engine writes the payload, `seal` writes in front of it and behind it.
struct DatagramBuffer {
  static constexpr std::size_t kHeaderRoom = 128;
  static constexpr std::size_t kMaxPayload = 4'096;
  static constexpr std::size_t kTailRoom = 16;  // pad and ICRC, CRC, or ICV

  wire::Packet packet{};
  wire::ColdPacket cold{};
  alignas(64) std::array<std::byte, kHeaderRoom + kMaxPayload + kTailRoom> bytes;

  [[nodiscard]] std::span<std::byte> payload_room() { return std::span(bytes).subspan(kHeaderRoom, kMaxPayload); }
};

/// Length of the datagram that `seal` will make; the opcode is set and valid.
[[nodiscard]] std::size_t datagram_size(const wire::Packet& packet);

struct SealOptions {
  const DatagramPath& path;
  std::uint16_t identification = 0;  // of the IPv4 packet that will carry it
};
/// What was made of a packet: `bytes` and the frame's payload view the buffer. The frame has IP and UDP headers.
struct SealedDatagram {
  std::span<const std::byte> bytes{};
  wire::RdmaFrame frame{};
};
[[nodiscard]] SealedDatagram seal(DatagramBuffer& buffer, const SealOptions& options);

/// What became of a datagram.
enum class DatagramVerdict : std::uint8_t {
  kGood,
  kMalformed,
  kWrongIcrc,  // or CRC, or ICV
  kReplayed,   // has come before
};

class DatagramReader {
 public:
  /// kGood fills `frame` (with IP and UDP headers, viewing `bytes`), `packet` and `cold`; otherwise they hold nothing.
  [[nodiscard]] DatagramVerdict read(std::span<const std::byte> bytes, const DatagramPath& path);

  wire::RdmaFrame frame{};
  wire::Packet packet{};
  wire::ColdPacket cold{};

 private:
  [[nodiscard]] bool check_icrc();

  Ipv4IdentificationSolver solver_;
};

}  // namespace weft::live
