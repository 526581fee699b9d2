// What the fast path (transport/uet/uet_fast_path.h) keeps of the middle of a message, at either end: a run of packets
// that differ in their place alone.
//
// The general code decides that a run may be; whatever could make a packet of it another one, or have it refused, ends
// the run. So a packet in a run is asked for nothing but that the run still goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/ids.h"
#include "transport/uet/pds_client.h"
#include "wire/packet.h"

namespace weft::transport {

/// At the sender, of a requester. It ends with the message's last packet but one.
struct SendRun {
  wire::Packet next;       // the next packet, but for PSN, path, and a request to acknowledge it
  SesPacket packet;        // what SES knows it by
  std::uint32_t end = 0;   // the index of the first packet that is not of the run
  std::uint32_t step = 0;  // from one packet's place in the message to the next one's

  [[nodiscard]] bool goes_on() const { return packet.index < end; }
};

/// The fields of a request's header that are the same in all packets of a run, as two words.
struct RunHeader {
  std::uint64_t target = 0;                // key, message, operation, flags of SES
  std::uint64_t kind = ~std::uint64_t{0};  // type, flags but for one, resource, next header; all ones: of no packet

  friend bool operator==(const RunHeader&, const RunHeader&) = default;

  [[nodiscard]] static RunHeader of(const wire::UetHeader& header) {
    constexpr std::size_t kTarget = offsetof(wire::UetRequestFields, memory_key);
    constexpr std::size_t kKind = offsetof(wire::UetHeader, psn_offset);
    static_assert(kTarget + sizeof(std::uint64_t) == sizeof(wire::UetRequestFields));
    static_assert(kKind + sizeof(std::uint64_t) == sizeof(wire::UetHeader));
    RunHeader words;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&header);
    std::memcpy(&words.target, bytes + kTarget, sizeof(words.target));
    std::memcpy(&words.kind, bytes + kKind, sizeof(words.kind));
    words.kind &= same_in_all();
    return words;
  }

 private:
  /// All bits but those of the clear PSN and of a request to acknowledge the packet.
  [[nodiscard]] static std::uint64_t same_in_all() {
    wire::UetHeader header{};
    header.psn_offset = -1;
    header.flags = wire::kUetAckRequest;
    std::uint64_t varies = 0;
    std::memcpy(&varies, reinterpret_cast<const std::byte*>(&header) + offsetof(wire::UetHeader, psn_offset),
                sizeof(varies));
    return ~varies;
  }
};

/// At the receiver, of a context: what is asked of a packet so that it may be taken without its message being looked
/// for.
struct TakeRun {
  RunHeader header{};
  EndpointId source{};
  std::uint16_t source_pdc = 0;
  std::uint16_t payload = 0;         // of each packet
  std::uint32_t memory_version = 0;  // what memory may be written has been asked of this one
  std::uint32_t epoch = 0;           // of the queue pair
  const std::uint32_t* epoch_now = nullptr;
  std::uint64_t place = 0;            // of the first byte that may be written
  std::uint64_t room = 0;             // from there to the last place of a packet
  std::uint32_t* received = nullptr;  // bytes of the message
  std::uint64_t length = 0;           // of the message, as far as it is known: with its last byte the run ends

  void end() { header = {}; }
};

}  // namespace weft::transport
