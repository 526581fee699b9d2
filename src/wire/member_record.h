// MCMemberRecord of subnet administration: a port's membership in a multicast group, and what the group has.
#pragma once

#include <cstdint>

#include "wire/attribute_field.h"

namespace weft::wire {

inline constexpr std::uint16_t kAttributeMemberRecord = 0x0038;
inline constexpr std::uint8_t kMethodDelete = 0x15;
inline constexpr std::uint8_t kMethodDeleteResponse = 0x95;

/// Where fields of subnet administration lie in a MAD.
//= ibta-1.7 15.2.1.1
inline constexpr std::size_t kAdministrationKey = 36;  // SM_Key
inline constexpr std::size_t kComponentMask = 48;
inline constexpr std::size_t kAdministrationData = 56;

//= ibta-1.7 15.2.5.17
struct MemberRecord {
  static constexpr std::size_t kSize = 52;
  static constexpr std::string_view kName = "MCMemberRecord";
  static constexpr std::uint8_t kFullMember = 1;  // of JoinState
  static constexpr std::uint8_t kNonMember = 2;
  static constexpr std::uint8_t kSendOnly = 4;
  static constexpr std::uint8_t kExactly = 2;  // of the selectors

  std::uint64_t mgid_prefix = 0;
  std::uint64_t mgid_id = 0;
  std::uint64_t port_prefix = 0;
  std::uint64_t port_guid = 0;
  std::uint32_t q_key = 0;
  std::uint16_t mlid = 0;
  std::uint8_t mtu_selector = 0;
  std::uint8_t mtu = 0;
  std::uint8_t traffic_class = 0;
  std::uint16_t p_key = 0;
  std::uint8_t rate_selector = 0;
  std::uint8_t rate = 0;
  std::uint8_t life_selector = 0;
  std::uint8_t life = 0;
  std::uint8_t service_level = 0;
  std::uint32_t flow_label = 0;  // 20 bits
  std::uint8_t hop_limit = 0;
  std::uint8_t scope = 0;
  std::uint8_t join_state = 0;  // 4 bits
  std::uint8_t proxy_join = 0;

  [[nodiscard]] static std::span<const AttributeField<MemberRecord>> fields();
  [[nodiscard]] static Result<MemberRecord> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const MemberRecord&, const MemberRecord&) = default;
};

/// Bits of the ComponentMask.
namespace member_component {
inline constexpr std::uint64_t kMgid = 1U << 0U;
inline constexpr std::uint64_t kPortGid = 1U << 1U;
inline constexpr std::uint64_t kQKey = 1U << 2U;
inline constexpr std::uint64_t kTrafficClass = 1U << 6U;
inline constexpr std::uint64_t kPKey = 1U << 7U;
inline constexpr std::uint64_t kServiceLevel = 1U << 12U;
inline constexpr std::uint64_t kFlowLabel = 1U << 13U;
inline constexpr std::uint64_t kJoinState = 1U << 16U;
inline constexpr std::uint64_t kOfJoin = kMgid | kPortGid | kJoinState;
inline constexpr std::uint64_t kOfCreation = kOfJoin | kQKey | kTrafficClass | kPKey | kServiceLevel | kFlowLabel;
}  // namespace member_component

}  // namespace weft::wire
