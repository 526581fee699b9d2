#include "subnet/agent/subnet_agent.h"

#include <algorithm>
#include <span>

#include "subnet/agent/port_info_set.h"
#include "subnet/forwarding_tables.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

using wire::load_be64;
using wire::store_be16;
using wire::store_be64;
using wire::store_u8;

constexpr std::uint8_t kReadableByAll = 2;  // protection levels below it
constexpr std::uint16_t kMostViolations = 0xFFFF;
constexpr std::uint16_t kDefaultPKey = 0xFFFF;
constexpr std::uint32_t kMulticastPositions = 16;  // of 16 ports each

/// An attribute of one request.
struct Access {
  ServedNode& node;
  const SmpRequest& request;
  SmpData& data;
  SmpAnswer answer{};

  [[nodiscard]] bool is_set() const { return request.header.method == wire::kMethodSet; }
  [[nodiscard]] std::uint32_t modifier() const { return request.header.attribute_modifier; }
  [[nodiscard]] PortNumber last_port() const { return static_cast<PortNumber>(node.ports.size() - 1); }
};

MadStatus node_description(Access& access) {
  if (access.is_set()) {
    return MadStatus::kAttributeNotSupported;
  }
  access.data = access.node.description;
  return MadStatus::kOk;
}

MadStatus node_info(Access& access) {
  if (access.is_set()) {
    return MadStatus::kAttributeNotSupported;
  }
  wire::NodeInfo info = access.node.info;
  info.local_port = access.request.port;
  info.port_guid = access.node.end_port(access.request.port).guid.value;
  access.data = {};
  info.emit(access.data);
  return MadStatus::kOk;
}

//= ibta-1.7 14.2.5.4
MadStatus switch_info(Access& access) {
  if (!access.node.is_switch()) {
    return MadStatus::kAttributeNotSupported;
  }
  wire::SwitchInfo& info = access.node.switch_info;
  if (access.is_set()) {
    const Result<wire::SwitchInfo> wanted = wire::SwitchInfo::parse(access.data);
    if (!wanted || wanted->linear_top >= info.linear_cap) {
      return MadStatus::kInvalidField;
    }
    copy_writable(*wanted, info);
    if (wanted->port_state_change != 0) {
      info.port_state_change = 0;
    }
  }
  access.data = {};
  info.emit(access.data);
  return MadStatus::kOk;
}

//= ibta-1.7 14.2.5.6
MadStatus port_info(Access& access) {
  constexpr std::uint32_t kExtendedSpeeds = 1U << 31;  // the manager knows them
  std::uint32_t number = access.modifier() & ~kExtendedSpeeds;
  if (number == 0 && !access.node.is_switch()) {
    number = access.request.port;
  }
  const bool own = access.node.is_switch() || number == access.request.port;
  if (number > access.last_port() || (access.is_set() && !own)) {
    return MadStatus::kInvalidField;
  }
  ServedPort& port = access.node.ports[number];
  if (access.is_set()) {
    const Result<PortInfoSet> set = set_port_info(access.node, static_cast<PortNumber>(number), access.data);
    if (!set) {
      return MadStatus::kInvalidField;
    }
    access.answer.command = set->command;
  }
  wire::PortInfo info = port.info;
  info.local_port = access.request.port;
  const bool knows_key = access.is_set() || access.request.m_key == info.m_key || info.m_key_protect == 0;
  info.m_key = knows_key ? info.m_key : 0;
  access.data = {};
  info.emit(access.data);
  return MadStatus::kOk;
}

/// A block of a table that is kept as it was set, with its port; `initial` is what it is before.
MadStatus stored_block(Access& access, std::uint32_t modifier, const SmpData& initial) {
  const std::uint64_t key = block_key(access.request.header.attribute_id, modifier);
  if (access.is_set()) {
    access.node.blocks[key] = access.data;
    return MadStatus::kOk;
  }
  const auto known = access.node.blocks.find(key);
  access.data = known == access.node.blocks.end() ? initial : known->second;
  return MadStatus::kOk;
}

//= ibta-1.7 14.2.5.5
MadStatus guid_info(Access& access) {
  const ServedPort& port = access.node.end_port(access.request.port);
  const std::uint32_t block = access.modifier();
  if (block >= port.info.guid_cap || block * wire::kGuidsPerBlock >= port.info.guid_cap) {
    return MadStatus::kInvalidField;
  }
  SmpData initial{};
  if (block == 0) {
    store_be64(initial, 0, port.guid.value);
    if (access.is_set()) {
      store_be64(access.data, 0, port.guid.value);  // the first is the device's own
    }
  }
  const std::uint32_t table = access.node.is_switch() ? 0U : access.request.port;
  return stored_block(access, table << 16U | block, initial);
}

//= ibta-1.7 14.2.5.7
MadStatus p_key_table(Access& access) {
  const bool is_switch = access.node.is_switch();
  const std::uint32_t block = access.modifier() & 0xFFFFU;
  const std::uint32_t number = is_switch ? access.modifier() >> 16U : access.request.port;
  const std::size_t entries =
      is_switch && number > 0 ? access.node.switch_info.partition_enforcement_cap : access.node.info.partition_cap;
  if (block * wire::kPKeysPerBlock >= entries || number > access.last_port()) {
    return MadStatus::kInvalidField;
  }
  SmpData initial{};
  if (block == 0) {
    store_be16(initial, 0, kDefaultPKey);
  }
  return stored_block(access, number << 16U | block, initial);
}

//= ibta-1.7 14.2.5.8
MadStatus sl_to_vl(Access& access) {
  const bool is_switch = access.node.is_switch();
  const std::uint32_t input = access.modifier() >> 8U & 0xFFU;
  const std::uint32_t output = access.modifier() & 0xFFU;
  if (is_switch && (input > access.last_port() || output > access.last_port())) {
    return MadStatus::kInvalidField;
  }
  SmpData initial{};
  for (std::uint8_t pair = 0; pair < 8; ++pair) {  // service level n on lane n
    store_u8(initial, pair, static_cast<std::uint8_t>(2U * pair << 4U | (2U * pair + 1U)));
  }
  return stored_block(access, is_switch ? input << 8U | output : std::uint32_t{access.request.port}, initial);
}

//= ibta-1.7 14.2.5.9
MadStatus vl_arbitration(Access& access) {
  const std::uint32_t block = access.modifier() >> 16U;  // 1 and 2 low priority, 3 and 4 high
  const std::uint32_t number = access.node.is_switch() ? access.modifier() & 0xFFFFU : access.request.port;
  if (number > access.last_port() || block < 1 || block > 4) {
    return MadStatus::kInvalidField;
  }
  const wire::PortInfo& info = access.node.ports[number].info;
  const std::size_t entries = block > 2 ? info.arbitration_high_cap : info.arbitration_low_cap;
  if ((block - 1) % 2 * wire::kArbitrationPerBlock >= entries) {
    return MadStatus::kInvalidField;
  }
  return stored_block(access, block << 16U | number, {});
}

//= ibta-1.7 14.2.5.10
MadStatus linear_forwarding(Access& access) {
  if (!access.node.is_switch()) {
    return MadStatus::kAttributeNotSupported;
  }
  const std::size_t first = std::size_t{access.modifier()} * wire::kLidsPerBlock;
  if (first >= access.node.switch_info.linear_cap) {
    return MadStatus::kInvalidField;
  }
  std::vector<PortNumber>& table = access.node.linear;
  if (access.is_set()) {
    table.resize(std::max(table.size(), first + wire::kLidsPerBlock), kNoRoute);
  }
  for (std::size_t i = 0; i < wire::kLidsPerBlock; ++i) {
    if (access.is_set()) {
      table[first + i] = std::to_integer<PortNumber>(access.data[i]);
    } else {
      access.data[i] = static_cast<std::byte>(first + i < table.size() ? table[first + i] : kNoRoute);
    }
  }
  return MadStatus::kOk;
}

//= ibta-1.7 14.2.5.12
MadStatus multicast_forwarding(Access& access) {
  if (!access.node.is_switch()) {
    return MadStatus::kAttributeNotSupported;
  }
  const std::uint32_t block = access.modifier() & 0x1FFU;
  const std::uint32_t position = access.modifier() >> 28U;
  const bool fits = block * wire::kMulticastLidsPerBlock < access.node.switch_info.multicast_cap &&
                    position * kMulticastPositions <= access.last_port();
  return fits ? stored_block(access, position << 28U | block, {}) : MadStatus::kInvalidField;
}

struct Handler {
  std::uint16_t attribute;
  MadStatus (*handle)(Access& access);
};

constexpr std::array kHandlers{
    Handler{wire::kAttributeNodeDescription, node_description},
    Handler{wire::kAttributeNodeInfo, node_info},
    Handler{wire::kAttributeSwitchInfo, switch_info},
    Handler{wire::kAttributeGuidInfo, guid_info},
    Handler{wire::kAttributePortInfo, port_info},
    Handler{wire::kAttributePKeyTable, p_key_table},
    Handler{wire::kAttributeSlToVl, sl_to_vl},
    Handler{wire::kAttributeVlArbitration, vl_arbitration},
    Handler{wire::kAttributeLinearForwarding, linear_forwarding},
    Handler{wire::kAttributeMulticastForwarding, multicast_forwarding},
};

}  // namespace

//= ibta-1.7 14.2.4
bool passes_m_key(ServedNode& node, const SmpRequest& request) {
  ServedPort& port = node.end_port(request.port);
  wire::PortInfo& info = port.info;
  if (request.now >= port.m_key_expiry) {
    port.m_key_expiry = Time::never();
    info.m_key_protect = 0;
  }
  if (info.m_key == 0 || request.m_key == info.m_key) {
    port.m_key_expiry = Time::never();
    return true;
  }
  if (request.header.method == wire::kMethodGet && info.m_key_protect < kReadableByAll) {
    return true;
  }
  if (info.m_key_violations < kMostViolations) {
    ++info.m_key_violations;
  }
  if (port.m_key_expiry.is_never() && info.m_key_lease_period > 0) {
    port.m_key_expiry = request.now + Duration::seconds(info.m_key_lease_period);
  }
  return false;
}

SmpAnswer answer_smp(ServedNode& node, const SmpRequest& request, SmpData& data) {
  const auto handler = std::ranges::find(kHandlers, request.header.attribute_id, &Handler::attribute);
  if (handler == kHandlers.end()) {
    return {.status = MadStatus::kAttributeNotSupported};
  }
  Access access{.node = node, .request = request, .data = data};
  access.answer.status = handler->handle(access);
  return access.answer;
}

}  // namespace weft::subnet
