#include "subnet/agent/port_info_set.h"

namespace weft::subnet {
namespace {

using wire::PhysicalState;
using wire::PortInfo;
using wire::PortState;

constexpr std::uint8_t kEverySupportedWidth = 255;
constexpr std::uint8_t kEverySupportedSpeed = 15;
constexpr std::uint8_t kEverySupportedExtendedSpeed = 31;
constexpr std::uint8_t kNoExtendedSpeed = 30;

/// What is enabled of what is supported: no change, all, some, or nothing where there is a code for it.
struct Choice {
  std::uint8_t wanted;
  std::uint8_t supported;
  std::uint8_t all;  // the code for everything that is supported
  std::uint8_t nothing = 0;
};

Result<void> choose(const Choice& choice, std::uint8_t& enabled) {
  if (choice.wanted == 0) {
    return {};
  }
  if (choice.nothing != 0 && choice.wanted == choice.nothing) {
    enabled = 0;
    return {};
  }
  if (choice.wanted != choice.all && (choice.wanted & ~choice.supported) != 0) {
    return fail("bits {:#x} are enabled, supported are {:#x}", choice.wanted, choice.supported);
  }
  enabled = choice.wanted == choice.all ? choice.supported : choice.wanted;
  return {};
}

//= ibta-1.7 4.1.3
Result<void> check_lids(const PortInfo& wanted) {
  const std::uint32_t count = 1U << wanted.lmc;
  if (wanted.lid != 0 && (wanted.lid % count != 0 || wanted.lid + count - 1 > kLastUnicastLid)) {
    return fail(
        "LID {:#x} with LMC {}; a port has 0 for none, or a multiple of 2^LMC with all its LIDs in 0x1 to {:#x}",
        wanted.lid, wanted.lmc, kLastUnicastLid);
  }
  if (wanted.sm_lid > kLastUnicastLid) {
    return fail("MasterSMLID {:#x}; 0 for none, or 0x1 to {:#x}", wanted.sm_lid, kLastUnicastLid);
  }
  return {};
}

Result<void> check_fields(const ServedNode& node, const PortInfo& wanted, PortNumber number) {
  const PortInfo& held = node.ports[number].info;
  const bool has_lid = number == 0 || !node.is_switch();
  if (Result<void> lids = has_lid ? check_lids(wanted) : Result<void>(); !lids) {
    return lids;
  }
  if (has_lid && node.is_switch() && node.switch_info.enhanced_port0 == 0 && wanted.lmc != 0) {
    return fail("LMC {} at a base port 0, which has 0", wanted.lmc);
  }
  if (wanted.neighbor_mtu == 0 || wanted.neighbor_mtu > held.mtu_cap) {
    return fail("NeighborMTU {}, the port has 1 to {}", wanted.neighbor_mtu, held.mtu_cap);
  }
  if (wanted.operational_vls > held.vl_cap) {
    return fail("OperationalVLs {}, the port has 1 to {}", wanted.operational_vls, held.vl_cap);
  }
  if (wanted.down_default_state > static_cast<std::uint8_t>(PhysicalState::kPolling)) {
    return fail("LinkDownDefaultState {} cannot be set, only 1 Sleep, 2 Polling", wanted.down_default_state);
  }
  return {};
}

/// The state of the link that a Set asks for; what it does to the physical link is left to the command.
Result<std::optional<LinkCommand>> set_states(ServedPort& port, const PortInfo& wanted, PortNumber number) {
  const auto state = static_cast<PortState>(wanted.port_state);
  const auto physical = static_cast<PhysicalState>(wanted.physical_state);
  std::optional<LinkCommand> command;
  switch (state) {
    case PortState::kNoChange:
      break;
    case PortState::kDown:
      command = LinkCommand{.port = number, .kind = LinkCommand::Kind::kDown};
      break;
    case PortState::kArmed:
    case PortState::kActive: {
      const PortState before = state == PortState::kArmed ? PortState::kInitialize : PortState::kArmed;
      if (port.state() != before && port.state() != state) {
        return fail("PortState {} does not follow {}", wanted.port_state, port.info.port_state);
      }
      port.info.port_state = wanted.port_state;
      break;
    }
    default:
      return fail("PortState {} cannot be set, only 1 Down, 3 Armed, 4 Active", wanted.port_state);
  }
  switch (physical) {
    case PhysicalState::kNoChange:
      break;
    case PhysicalState::kPolling:
      command = LinkCommand{.port = number, .kind = LinkCommand::Kind::kPoll};
      break;
    case PhysicalState::kSleep:
      command = LinkCommand{.port = number, .kind = LinkCommand::Kind::kSleep};
      break;
    case PhysicalState::kDisabled:
      command = LinkCommand{.port = number, .kind = LinkCommand::Kind::kDisable};
      break;
    default:
      return fail("PortPhysicalState {} cannot be set, only 1 Sleep, 2 Polling, 3 Disabled", wanted.physical_state);
  }
  return command;
}

/// Counters of violations are only ever cleared.
void clear_violations(const PortInfo& wanted, PortInfo& held) {
  held.m_key_violations = wanted.m_key_violations == 0 ? std::uint16_t{0} : held.m_key_violations;
  held.p_key_violations = wanted.p_key_violations == 0 ? std::uint16_t{0} : held.p_key_violations;
  held.q_key_violations = wanted.q_key_violations == 0 ? std::uint16_t{0} : held.q_key_violations;
}

Result<void> set_rates(const PortInfo& wanted, PortInfo& held) {
  for (Result<void> chosen :
       {choose({wanted.width_enabled, held.width_supported, kEverySupportedWidth}, held.width_enabled),
        choose({wanted.speed_enabled, held.speed_supported, kEverySupportedSpeed}, held.speed_enabled),
        choose({wanted.speed_ext_enabled, held.speed_ext_supported, kEverySupportedExtendedSpeed, kNoExtendedSpeed},
               held.speed_ext_enabled)}) {
    if (!chosen) {
      return chosen;
    }
  }
  return {};
}

}  // namespace

Result<PortInfoSet> set_port_info(ServedNode& node, PortNumber number, const SmpData& data) {
  const Result<PortInfo> wanted = PortInfo::parse(data);
  if (!wanted) {
    return tl::unexpected(wanted.error());
  }
  if (Result<void> checked = check_fields(node, *wanted, number); !checked) {
    return pass_on(checked);
  }
  ServedPort made = node.ports[number];
  if (Result<void> rates = set_rates(*wanted, made.info); !rates) {
    return pass_on(rates);
  }
  Result<std::optional<LinkCommand>> command = std::optional<LinkCommand>();
  if (number != 0) {  // port 0 has no link
    command = set_states(made, *wanted, number);
    if (!command) {
      return pass_on(command);
    }
  }
  copy_writable(*wanted, made.info);
  if (wanted->operational_vls != 0) {
    made.info.operational_vls = wanted->operational_vls;
  }
  if (wanted->down_default_state != 0) {
    made.info.down_default_state = wanted->down_default_state;
  }
  clear_violations(*wanted, made.info);
  node.ports[number] = made;
  return PortInfoSet{.command = *command};
}

}  // namespace weft::subnet
