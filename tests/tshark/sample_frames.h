// Packets for another reader: every opcode in every encapsulation, with random fields from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "wire/frame.h"

namespace weft::test {

/// A frame with the memory that its payload views.
struct SampleFrame {
  std::string name;  // "rocev1 RC SEND Only"
  std::vector<std::byte> payload;
  wire::RdmaFrame frame;
};

enum class Tagging : std::uint8_t { kUntagged, kTagged };

/// The headers in front of the BTH that the encapsulation asks for, addresses at random; `kTagged` adds one VLAN tag to
/// Ethernet.
wire::RdmaFrame random_headers(wire::Encapsulation encapsulation, Tagging tagging, RandomStream& random);

/// Fills in the BTH and the extension headers of `opcode` at random, a payload of `payload_bytes` when the opcode has
/// one, and seals the frame.
SampleFrame random_frame(wire::RdmaFrame headers, std::uint8_t opcode, std::size_t payload_bytes, RandomStream& random);

/// Every opcode of RC, UC and UD that InfiniBand assigned.
std::vector<std::uint8_t> assigned_opcodes();

std::vector<std::byte> emitted(const wire::RdmaFrame& frame);

}  // namespace weft::test
