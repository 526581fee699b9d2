// A node of a subnet as its agents have it: what managers read and set, per port and per switch.
//
// Made of what a file says of the node. As after power-up: no LIDs, forwarding tables without entries, the default
// P_Key alone, service levels on lanes of the same number.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "subnet/agent/counter_set.h"
#include "subnet/subnet.h"
#include "wire/subnet_attributes.h"

namespace weft::subnet {

inline constexpr std::size_t kSmpDataSize = 64;
using SmpData = std::array<std::byte, kSmpDataSize>;

struct ServedPort {
  wire::PortInfo info{};
  Guid guid{};
  std::optional<PortPlace> cable{};  // where it leads; none: the port is empty
  bool is_unplugged = false;         // the cable: at both of its ports
  CounterSet counters{};
  Time m_key_expiry = Time::never();  // of a lease that runs out

  [[nodiscard]] wire::PortState state() const { return static_cast<wire::PortState>(info.port_state); }
  [[nodiscard]] wire::PhysicalState physical() const { return static_cast<wire::PhysicalState>(info.physical_state); }
  void set(wire::PortState port_state, wire::PhysicalState physical) {
    info.port_state = static_cast<std::uint8_t>(port_state);
    info.physical_state = static_cast<std::uint8_t>(physical);
  }
  [[nodiscard]] bool has_lid(Lid lid) const {
    return info.lid != 0 && lid >= info.lid && lid - info.lid < 1 << info.lmc;
  }
};

/// A trap that waits for its TrapRepress.
struct PendingTrap {
  std::uint64_t transaction_id = 0;
  Time next = Time::never();  // when it is repeated
};

struct ServedNode {
  wire::NodeInfo info{};  // without what depends on the port
  SmpData description{};
  wire::SwitchInfo switch_info{};
  std::vector<ServedPort> ports{};   // index: number; [0] of an adapter is not used
  std::vector<PortNumber> linear{};  // index: LID; only as far as a manager has set it
  /// Blocks that a manager has set, by attribute and modifier: multicast forwarding, P_Keys, GUIDs, SL to VL,
  /// arbitration. Others read as after power-up.
  std::map<std::uint64_t, SmpData> blocks{};
  std::optional<PendingTrap> trap{};
  std::uint32_t traps_sent = 0;

  [[nodiscard]] bool is_switch() const { return info.node_type == wire::NodeInfo::kSwitch; }
  /// Of a LID, as far as LinearFDBTop reaches; none: no entry.
  [[nodiscard]] std::optional<PortNumber> egress(Lid lid) const;
  /// The first block of the P_Key table of an end port.
  [[nodiscard]] SmpData p_keys(PortNumber port) const;
  /// The port whose M_Key, LID and manager hold for packets that arrive at `port`.
  [[nodiscard]] ServedPort& end_port(PortNumber port) { return ports[is_switch() ? 0 : port]; }
};

/// Where a block of a table is kept: the attribute, and the block with its port.
[[nodiscard]] constexpr std::uint64_t block_key(std::uint16_t attribute, std::uint32_t modifier) {
  return std::uint64_t{attribute} << 32U | modifier;
}

/// All nodes, in the order of the subnet. Links are up and their ports in Initialize; switches say that ports changed.
[[nodiscard]] std::vector<ServedNode> served_nodes(const Subnet& subnet);

}  // namespace weft::subnet
