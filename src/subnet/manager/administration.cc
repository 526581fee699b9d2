#include "subnet/manager/administration.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/member_record.h"

namespace weft::subnet {
namespace {

// Records that stand for a port's attribute: its place, and behind it what the agent has.
//= ibta-1.7 15.2.5
constexpr std::uint16_t kPortInfoRecord = 0x0012;
constexpr std::uint16_t kPKeyTableRecord = 0x0033;
constexpr std::size_t kInRecord = 4;        // of PortInfo
constexpr std::size_t kPKeysInRecord = 8;   // of a block of P_Keys
constexpr std::uint64_t kByLid = 1U << 0U;  // in their ComponentMasks
constexpr std::uint8_t kResponseBit = 0x80;

std::uint64_t components_of(const MadPacket& packet) { return wire::load_be64(packet.mad, wire::kComponentMask); }

/// The port of that LID; of a switch with its number.
std::optional<PortPlace> find_port(const Administration::Network& network, Lid lid, PortNumber number) {
  for (const EndPort& end : network.view.end_ports) {
    if (lid < end.lid || lid >= end.lid + end.lids) {
      continue;
    }
    const PortPlace place{.node = end.place.node, .port = end.is_switch() ? number : end.place.port};
    const bool exists = place.port < network.known[place.node].ports.size();
    return exists ? std::optional(place) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MadPacket> Administration::answer(const MadPacket& request, const Network& network,
                                                GroupRecords& groups) {
  const wire::MadHeader header = *wire::MadHeader::parse(request.mad);
  const std::uint64_t sm_key = wire::load_be64(request.mad, wire::kAdministrationKey);
  if (sm_key != 0 && sm_key != sa_key_) {
    ++counters_.discarded;
    return std::nullopt;
  }
  const Request asked{.packet = request, .network = network, .is_trusted = sm_key != 0};
  MadPacket back = turned_around(request);
  const std::span<std::byte> out = std::span(back.mad).subspan(wire::kAdministrationData);
  const bool is_delete = header.method == wire::kMethodDelete;
  const bool is_known = is_delete || header.method == wire::kMethodSet || header.method == wire::kMethodGet;
  SaStatus status = is_known ? SaStatus::kInvalid : SaStatus::kNoSuchMethod;
  if (is_known && header.attribute_id == wire::kAttributeMemberRecord) {
    status = answer_member(asked, groups, out);
  } else if (header.method == wire::kMethodGet && header.attribute_id == kPortInfoRecord) {
    status = answer_port_info(asked, out);
  } else if (header.method == wire::kMethodGet && header.attribute_id == kPKeyTableRecord) {
    status = answer_p_keys(asked, out);
  }
  wire::store_u8(back.mad, mad_offset::kMethod,
                 is_delete  ? wire::kMethodDeleteResponse
                 : is_known ? wire::kMethodGetResponse
                            : static_cast<std::uint8_t>(header.method | kResponseBit));
  wire::store_be16(back.mad, mad_offset::kStatus, static_cast<std::uint16_t>(status));
  wire::store_be64(back.mad, wire::kAdministrationKey, 0);
  return back;
}

/// Of one port. Who reads without being trusted is told of the group alone.
//= ibta-1.7 15.2.5.17
SaStatus Administration::answer_member(const Request& request, GroupRecords& groups, std::span<std::byte> out) {
  const std::span<const std::byte> bytes(request.packet.mad);
  const std::uint8_t method = wire::MadHeader::parse(bytes)->method;
  GroupRecords::Request asked{.record = *wire::MemberRecord::parse(bytes.subspan(wire::kAdministrationData)),
                              .components = components_of(request.packet)};
  for (const EndPort& end : request.network.view.end_ports) {
    const bool is_source = request.packet.source >= end.lid && request.packet.source < end.lid + end.lids;
    asked.requester = is_source ? end.guid : asked.requester;
    asked.is_port = asked.is_port || end.guid.value == asked.record.port_guid;
  }
  GroupRecords::Answer answer = method == wire::kMethodSet      ? groups.join(asked)
                                : method == wire::kMethodDelete ? groups.leave(asked)
                                                                : groups.find(asked);
  const bool is_done = answer.status == SaStatus::kOk;
  counters_.joins += method != wire::kMethodGet && is_done ? 1 : 0;
  if (method == wire::kMethodGet && is_done && !request.is_trusted) {
    answer.record.port_prefix = 0;
    answer.record.port_guid = 0;
    answer.record.join_state = 0;
    answer.record.proxy_join = 0;
    ++counters_.reduced;
  }
  answer.record.emit(out);
  return answer.status;
}

SaStatus Administration::answer_port_info(const Request& request, std::span<std::byte> out) {
  if ((components_of(request.packet) & kByLid) == 0) {
    return SaStatus::kTooManyRecords;
  }
  const std::optional<PortPlace> place =
      find_port(request.network, wire::load_be16(out, 0), wire::load_u8(out, sizeof(Lid)));
  if (!place) {
    return SaStatus::kNoRecords;
  }
  wire::PortInfo info = request.network.known.port(*place).info;
  if (!request.is_trusted) {
    info.m_key = 0;
    ++counters_.reduced;
  }
  info.emit(out.subspan(kInRecord));
  return SaStatus::kOk;
}

SaStatus Administration::answer_p_keys(const Request& request, std::span<std::byte> out) {
  constexpr std::size_t kBlock = 2;
  constexpr std::size_t kPort = 4;
  if (!request.is_trusted) {
    ++counters_.refused;
    return SaStatus::kInvalid;
  }
  if ((components_of(request.packet) & kByLid) == 0) {
    return SaStatus::kTooManyRecords;
  }
  const std::optional<PortPlace> place = find_port(request.network, wire::load_be16(out, 0), wire::load_u8(out, kPort));
  const std::size_t block = wire::load_be16(out, kBlock);
  if (!place || block >= request.network.known.port(*place).p_keys.size()) {
    return SaStatus::kNoRecords;
  }
  std::ranges::copy(request.network.known.port(*place).p_keys[block], out.subspan(kPKeysInRecord).begin());
  return SaStatus::kOk;
}

}  // namespace weft::subnet
