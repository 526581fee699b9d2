#include "subnet/manager/configuration.h"

#include <algorithm>

#include "subnet/multicast/multicast_blocks.h"
#include "subnet/partitions/partitions.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

// Defaults of OpenSM 3.3.23.
constexpr std::uint8_t kSubnetTimeout = 0x12;
constexpr std::uint8_t kPacketLifeTime = 0x12;
constexpr std::uint8_t kHoqLife = 0x12;
constexpr std::uint8_t kHoqLifeAtLeaves = 0x10;
constexpr std::uint8_t kStallCount = 7;
constexpr std::uint8_t kErrorThreshold = 8;
constexpr std::uint8_t kMaxOperationalVls = 5;
constexpr std::uint64_t kLinkLocal = 0xFE80'0000'0000'0000;
constexpr std::uint16_t kFullDefaultKey = 0xFFFF;
constexpr std::size_t kLanesAndManagement = 16;

template <class Record>
SmpData bytes_of(const Record& record) {
  SmpData data{};
  record.emit(data);
  return data;
}

/// The port as it is, with states and rates left alone.
wire::PortInfo unchanged(const KnownPort& port) {
  wire::PortInfo info = port.info;
  info.port_state = 0;
  info.physical_state = 0;
  info.width_enabled = 0;
  info.speed_enabled = 0;
  info.speed_ext_enabled = 0;
  return info;
}

/// The attribute's modifier names the port of a switch, and that of an adapter by itself.
Smp port_info_set(const KnownSubnet& known, PortPlace place, const wire::PortInfo& info) {
  return {.method = wire::kMethodSet,
          .attribute = wire::kAttributePortInfo,
          .modifier = place.port,
          .route = known.route(place),
          .data = bytes_of(info),
          .node = place.node,
          .port = place.port};
}

Smp switch_info_set(const KnownSubnet& known, NodeIndex node, const wire::SwitchInfo& info) {
  return {.method = wire::kMethodSet,
          .attribute = wire::kAttributeSwitchInfo,
          .route = known[node].route,
          .data = bytes_of(info),
          .node = node};
}

bool has_link(const KnownSubnet& known, PortPlace place) {
  const KnownPort& port = known.port(place);
  return port.is_known && port.peer && known.port(*port.peer).is_known && port.state() >= wire::PortState::kInitialize;
}

bool faces_adapter(const KnownSubnet& known, PortPlace place) {
  return has_link(known, place) && !known[known.port(place).peer->node].is_switch();
}

/// Ports with a link, node by node in the order of GUIDs.
std::vector<PortPlace> linked_ports(const KnownSubnet& known) {
  std::vector<PortPlace> places;
  for (const NodeIndex node : known.by_guid()) {
    for (std::size_t number = 1; number < known[node].ports.size(); ++number) {
      const PortPlace place{.node = node, .port = static_cast<PortNumber>(number)};
      if (has_link(known, place)) {
        places.push_back(place);
      }
    }
  }
  return places;
}

/// What both ends of a link can do.
void fit_to_peer(const KnownSubnet& known, PortPlace place, wire::PortInfo& info) {
  const KnownPort& port = known.port(place);
  const wire::PortInfo& peer = known.port(*port.peer).info;
  info.neighbor_mtu = std::min(port.info.mtu_cap, peer.mtu_cap);
  info.operational_vls = std::min({port.info.vl_cap, peer.vl_cap, kMaxOperationalVls});
}

/// Blocks of keys that differ from those that a port has.
void add_key_blocks(const KnownSubnet& known, PortPlace place, const std::vector<std::uint16_t>& keys,
                    std::vector<Smp>& sets) {
  const std::vector<SmpData>& blocks = known.port(place).p_keys;
  const bool is_external = known[place.node].is_switch() && place.port != 0;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    SmpData wanted{};
    for (std::size_t i = 0; i < wire::kPKeysPerBlock; ++i) {
      const std::size_t index = block * wire::kPKeysPerBlock + i;
      wire::store_be16(wanted, 2 * i, index < keys.size() ? keys[index] : std::uint16_t{0});
    }
    if (wanted != blocks[block]) {
      const std::uint32_t of_port = is_external ? std::uint32_t{place.port} << 16U : 0U;
      sets.push_back({.method = wire::kMethodSet,
                      .attribute = wire::kAttributePKeyTable,
                      .modifier = of_port | static_cast<std::uint32_t>(block),
                      .route = known.route(place),
                      .data = wanted,
                      .node = place.node,
                      .port = place.port});
    }
  }
}

/// The number of data lanes by its code.
std::size_t lanes_of(std::uint8_t code) {
  constexpr std::array<std::size_t, 6> kLanes{1, 1, 2, 4, 8, 15};
  return code < kLanes.size() ? kLanes[code] : 1;
}

SmpData sl_to_vl_of(std::size_t lanes) {
  SmpData data{};
  for (std::size_t pair = 0; pair < kLanesAndManagement / 2; ++pair) {
    const std::size_t first = 2 * pair % lanes;
    const std::size_t second = (2 * pair + 1) % lanes;
    wire::store_u8(data, pair, static_cast<std::uint8_t>(first << 4U | second));
  }
  return data;
}

SmpData arbitration_of(std::size_t lanes, std::size_t entries) {
  constexpr std::uint8_t kWeight = 4;
  SmpData data{};
  for (std::size_t i = 0; i < std::min({lanes, entries, wire::kArbitrationPerBlock}); ++i) {
    wire::store_u8(data, 2 * i, static_cast<std::uint8_t>(i));
    wire::store_u8(data, 2 * i + 1, kWeight);
  }
  return data;
}

/// Adds the block unless it stands already.
struct LaneBlocks {
  const KnownSubnet& known;
  const WrittenBlocks& written;
  std::vector<Smp> sets{};

  void add(PortPlace place, std::uint16_t attribute, std::uint32_t modifier, const SmpData& data) {
    const Guid guid{known[place.node].info.node_guid};
    const auto stands = written.others.find({guid, attribute, modifier, place.port});
    if (stands != written.others.end() && stands->second == data) {
      return;
    }
    sets.push_back({.method = wire::kMethodSet,
                    .attribute = attribute,
                    .modifier = modifier,
                    .route = known.route(place),
                    .data = data,
                    .node = place.node,
                    .port = place.port});
  }
};

void add_linear_block(const Found& found, std::size_t at, std::size_t block, const ForwardingTables& tables,
                      const WrittenBlocks& written, std::vector<Smp>& sets) {
  const RoutedSwitch& routed = found.view.switches[at];
  const ForwardingTable& table = tables[at];
  const auto stands = written.linear.find(routed.guid);
  SmpData wanted{};
  bool differs = stands == written.linear.end();
  for (std::size_t i = 0; i < wire::kLidsPerBlock; ++i) {
    const std::size_t lid = block * wire::kLidsPerBlock + i;
    const PortNumber port = lid < table.size() ? table[lid] : kNoRoute;
    wanted[i] = static_cast<std::byte>(port);
    differs = differs || lid >= stands->second.size() || stands->second[lid] != port;
  }
  if (differs) {
    sets.push_back({.method = wire::kMethodSet,
                    .attribute = wire::kAttributeLinearForwarding,
                    .modifier = static_cast<std::uint32_t>(block),
                    .route = found.known[routed.node].route,
                    .data = wanted,
                    .node = routed.node});
  }
}

}  // namespace

std::vector<Smp> change_resets(const KnownSubnet& known) {
  std::vector<Smp> sets;
  for (const NodeIndex node : known.switches()) {
    if (known[node].switch_info.port_state_change != 0) {
      sets.push_back(switch_info_set(known, node, known[node].switch_info));
    }
  }
  return sets;
}

Result<std::vector<Smp>> partition_sets(const Found& found, const ManagerOptions& options) {
  const KnownSubnet& known = found.known;
  std::vector<std::vector<std::uint16_t>> keys(found.view.end_ports.size(), {kFullDefaultKey});
  if (!options.partitions.empty()) {
    Result<Partitions> made = assign_partitions(found.view, options.partitions);
    if (!made) {
      return pass_on(made);
    }
    keys = std::move(made->keys);
  }
  std::vector<Smp> sets;
  for (std::size_t i = 0; i < found.view.end_ports.size(); ++i) {
    add_key_blocks(known, found.view.end_ports[i].place, keys[i], sets);
  }
  for (const EndPort& end : found.view.end_ports) {
    const std::optional<PortPlace>& peer = known.port(end.place).peer;
    if (!end.is_switch() && peer && faces_adapter(known, *peer) && known[peer->node].is_switch()) {
      const auto index = static_cast<std::size_t>(&end - found.view.end_ports.data());
      add_key_blocks(known, *peer, keys[index], sets);
    }
  }
  for (const PortPlace place : linked_ports(known)) {
    const wire::PortInfo& now = known.port(place).info;
    if (known[place.node].is_switch() && faces_adapter(known, place) &&
        (now.partition_enforcement_in == 0 || now.partition_enforcement_out == 0)) {
      wire::PortInfo info = unchanged(known.port(place));
      info.partition_enforcement_in = info.partition_enforcement_out = 1;
      sets.push_back(port_info_set(known, place, info));
    }
  }
  return sets;
}

std::vector<Smp> lane_sets(const KnownSubnet& known, const ManagerOptions& options, const WrittenBlocks& written) {
  LaneBlocks blocks{.known = known, .written = written};
  if (!options.qos) {
    return {};
  }
  for (const PortPlace place : linked_ports(known)) {
    const wire::PortInfo& info = known.port(place).info;
    const std::size_t lanes = lanes_of(info.operational_vls);
    const std::uint32_t port = known[place.node].is_switch() ? place.port : 0U;
    constexpr std::uint32_t kLow = 1U << 16U;
    constexpr std::uint32_t kHigh = 3U << 16U;
    blocks.add(place, wire::kAttributeVlArbitration, kLow | port, arbitration_of(lanes, info.arbitration_low_cap));
    blocks.add(place, wire::kAttributeVlArbitration, kHigh | port, arbitration_of(lanes, info.arbitration_high_cap));
    if (!known[place.node].is_switch()) {
      blocks.add(place, wire::kAttributeSlToVl, 0, sl_to_vl_of(lanes));
      continue;
    }
    for (std::uint32_t input = 0; input < known[place.node].ports.size(); ++input) {
      blocks.add(place, wire::kAttributeSlToVl, input << 8U | port, sl_to_vl_of(lanes));
    }
  }
  return std::move(blocks.sets);
}

std::vector<Smp> lid_sets(const Found& found, const ManagerOptions& options, LidStep step) {
  const EndPort& own = found.view[found.view.manager];
  std::vector<Smp> sets;
  for (const EndPort& end : found.view.end_ports) {
    if ((end.place == own.place) != (step == LidStep::kOwn)) {
      continue;
    }
    const KnownPort& port = found.known.port(end.place);
    wire::PortInfo info = unchanged(port);
    info.lid = end.lid;
    info.lmc = found.subnet.port(end.place).lmc;
    info.sm_lid = own.lid;
    info.gid_prefix = kLinkLocal;
    info.m_key = options.smps.m_key;
    info.m_key_protect = options.m_key_protect;
    info.m_key_lease_period = options.m_key_lease;
    info.subnet_timeout = kSubnetTimeout;
    info.local_phy_errors = info.overrun_errors = kErrorThreshold;
    if (!end.is_switch()) {
      fit_to_peer(found.known, end.place, info);
    }
    wire::PortInfo now = unchanged(port);
    now.client_reregister = info.client_reregister = 0;
    if (info != now) {
      sets.push_back(port_info_set(found.known, end.place, info));
    }
  }
  return sets;
}

ForwardingTables held_tables(const RoutingView& view, const std::map<Guid, ForwardingTable>& written) {
  ForwardingTables held = empty_tables(view);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto known = written.find(view.switches[i].guid);
    if (known != written.end()) {
      std::copy_n(known->second.begin(), std::min(known->second.size(), held[i].size()), held[i].begin());
    }
  }
  return held;
}

std::vector<Smp> table_sets(const Found& found, const ForwardingTables& tables, const WrittenBlocks& written) {
  std::vector<Smp> sets;
  for (const RoutedSwitch& routed : found.view.switches) {
    wire::SwitchInfo info = found.known[routed.node].switch_info;
    if (info.linear_top != found.view.last_lid() || info.life_time != kPacketLifeTime) {
      info.linear_top = found.view.last_lid();
      info.life_time = kPacketLifeTime;
      info.port_state_change = 0;
      sets.push_back(switch_info_set(found.known, routed.node, info));
    }
  }
  const std::size_t blocks = found.view.last_lid() / wire::kLidsPerBlock + 1;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t at = 0; at < found.view.switches.size(); ++at) {
      add_linear_block(found, at, block, tables, written, sets);
    }
  }
  return sets;
}

std::vector<Smp> multicast_sets(const Found& found, const MulticastTables& tables, std::map<Guid, std::size_t>& most) {
  std::vector<Smp> sets;
  for (std::size_t i = 0; i < found.view.switches.size(); ++i) {
    const RoutedSwitch& routed = found.view.switches[i];
    std::size_t& known = most[routed.guid];
    const std::vector<MulticastBlock> blocks = multicast_blocks(routed, tables[i], known);
    known = blocks.size();
    for (const MulticastBlock& block : blocks) {
      sets.push_back({.method = wire::kMethodSet,
                      .attribute = wire::kAttributeMulticastForwarding,
                      .modifier = block.modifier,
                      .route = found.known[routed.node].route,
                      .data = block.data,
                      .node = routed.node});
    }
  }
  // Block by block, in each position by position, over all switches.
  constexpr std::uint32_t kBlockBits = 0x1FF;
  std::ranges::stable_sort(
      sets, {}, [](const Smp& set) { return std::pair(set.modifier & kBlockBits, set.modifier & ~kBlockBits); });
  return sets;
}

std::vector<Smp> link_sets(const Found& found, const ManagerLevels& levels, LinkScope scope) {
  const KnownSubnet& known = found.known;
  std::map<std::pair<NodeIndex, PortNumber>, std::uint8_t> level_of;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const PortPlace place = found.view.end_ports[i].place;
    level_of[{place.node, place.port}] = levels[i];
  }
  std::vector<Smp> sets;
  for (const PortPlace place : linked_ports(known)) {
    wire::PortInfo info = unchanged(known.port(place));
    const bool is_forced = known[place.node].is_switch() && scope == LinkScope::kAll;
    if (known[place.node].is_switch()) {
      info.hoq_life = faces_adapter(known, place) ? kHoqLifeAtLeaves : kHoqLife;
      info.vl_stall_count = kStallCount;
      info.local_phy_errors = info.overrun_errors = kErrorThreshold;
      fit_to_peer(known, place, info);
    } else {  // the rest it has had with its LID
      const auto level = level_of.find({place.node, place.port});
      info.sm_sl = level == level_of.end() ? std::uint8_t{0} : level->second;
    }
    if (is_forced || info != unchanged(known.port(place))) {
      sets.push_back(port_info_set(known, place, info));
    }
  }
  return sets;
}

std::vector<Smp> state_sets(const KnownSubnet& known, wire::PortState state) {
  const auto before = state == wire::PortState::kArmed ? wire::PortState::kInitialize : wire::PortState::kArmed;
  std::vector<Smp> sets;
  for (const PortPlace place : linked_ports(known)) {
    if (known.port(place).state() == before) {
      wire::PortInfo info = unchanged(known.port(place));
      info.port_state = static_cast<std::uint8_t>(state);
      sets.push_back(port_info_set(known, place, info));
    }
  }
  return sets;
}

}  // namespace weft::subnet
