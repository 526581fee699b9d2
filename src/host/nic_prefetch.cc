#include "host/nic_prefetch.h"

#include "base/assert.h"

namespace weft::host {

[[gnu::noinline]] void NicPrefetch::find_engine(NicHint& hint, const wire::Packet& packet) {
  WEFT_DCHECK(hint.nic != nullptr);
  if (packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
    return;
  }
  const transport::Device& device = hint.nic->device();
  const unsigned which = packet.has(wire::kControl) ? 1 : 0;
  const transport::QpSlot slot = device.slot_of(Qpn(packet.ib.destination_qp));
  hint.numbers[which] = packet.ib.destination_qp;
  hint.engines[which] = slot.exists() ? &device.core_of(slot) : nullptr;
}

}  // namespace weft::host
