// What becomes of a forged packet at the victim: gives it to the victim's engines and tells from what they counted and
// how they stand which check has refused it, or that none has.
#pragma once

#include "fabric/packet_pool.h"
#include "host/attack/attack_types.h"
#include "host/nic.h"

namespace weft::host {

/// The NIC owns the packet from here on. Changes the counts of the attack, its `arrived` included.
void judge_forged(Nic& victim, fabric::PacketPool& packets, fabric::PacketHandle handle, Time now,
                  AttackCounters& counters);

/// Whether the packet is a congestion notification.
[[nodiscard]] bool is_cnp(const wire::Packet& packet);

}  // namespace weft::host
