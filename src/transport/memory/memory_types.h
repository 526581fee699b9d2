// What the two halves of a memory queue pair share.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "transport/qp_core.h"
#include "wire/memory_format.h"

namespace weft::transport {

struct MemoryOptions {
  wire::MemoryFormat format{};
  /// Loads of a queue pair: bytes asked for that have not come. At least a unit.
  Bytes load_window{1 << 20};
};

struct MemoryCounters {
  std::uint32_t discarded = 0;          // units damaged, for another state, or behind one that is missing
  std::uint32_t access_violations = 0;  // requests that the key, range or rights forbid
  std::uint32_t waits = 0;              // messages that found no receive request when they came
  std::uint32_t timeouts = 0;
};

/// The environment of one call to a requester or responder.
struct MemoryCall {
  const QpCore& core;
  const MemoryOptions& options;
  verbs::Context& context;
  MemoryCounters& counters;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
};

/// Begins a unit; the caller sets operation, message and what goes with them, then `set_memory_sizes`.
inline void start_unit(const QpCore& core, wire::Packet& packet) {
  core.start_packet(packet);
  packet.common.kind = wire::PacketKind::kMemory;
  packet.memory = wire::MemoryHeader{};
  packet.memory.destination_qp = core.attributes().destination_qpn.value();
}

inline void set_memory_sizes(wire::Packet& packet, std::uint32_t payload, std::uint32_t wire_bytes) {
  packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  packet.common.frame_bytes = packet.common.wire_bytes = static_cast<std::uint16_t>(wire_bytes);
}

}  // namespace weft::transport
