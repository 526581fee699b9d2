#include "fabric/packet_pool.h"

#include <cstring>

namespace weft::fabric {

// The hot record, and behind it the cold one if there is one: both are the same in every process of one build.
void PacketPool::give_away(PacketHandle handle, std::string& bytes) {
  const wire::Packet& packet = packets_[handle.value()];
  bytes.append(reinterpret_cast<const char*>(&packet), sizeof packet);
  if (packet.has(wire::kHasCold)) {
    bytes.append(reinterpret_cast<const char*>(&cold_of(packet)), sizeof(wire::ColdPacket));
  }
  release(handle);
}

PacketHandle PacketPool::take_in(std::string_view bytes) {
  const PacketHandle handle = allocate();
  wire::Packet& packet = packets_[handle.value()];
  WEFT_ASSERT(bytes.size() >= sizeof packet);
  std::memcpy(&packet, bytes.data(), sizeof packet);
  if (packet.has(wire::kHasCold)) {
    wire::ColdPacket cold;
    WEFT_ASSERT(bytes.size() == sizeof packet + sizeof cold);
    std::memcpy(&cold, bytes.data() + sizeof packet, sizeof cold);
    attach_cold(packet, cold);
  }
  return handle;
}

}  // namespace weft::fabric
