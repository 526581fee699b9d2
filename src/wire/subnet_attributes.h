// Attributes of subnet management whose fields a port or a node has: NodeInfo, SwitchInfo, PortInfo, SMInfo, Notice.
//
// Each lies in the 64 data bytes of an SMP. Members are named as the specification names the components; values are
// those of the wire. Attributes that are plain arrays (forwarding tables, P_Keys, SL to VL) have no record here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/attribute_field.h"

namespace weft::wire {

//= ibta-1.7 14.2.5
inline constexpr std::uint16_t kAttributeNotice = 0x0002;
inline constexpr std::uint16_t kAttributeNodeDescription = 0x0010;
inline constexpr std::uint16_t kAttributeNodeInfo = 0x0011;
inline constexpr std::uint16_t kAttributeSwitchInfo = 0x0012;
inline constexpr std::uint16_t kAttributeGuidInfo = 0x0014;
inline constexpr std::uint16_t kAttributePortInfo = 0x0015;
inline constexpr std::uint16_t kAttributePKeyTable = 0x0016;
inline constexpr std::uint16_t kAttributeSlToVl = 0x0017;
inline constexpr std::uint16_t kAttributeVlArbitration = 0x0018;
inline constexpr std::uint16_t kAttributeLinearForwarding = 0x0019;
inline constexpr std::uint16_t kAttributeMulticastForwarding = 0x001B;
inline constexpr std::uint16_t kAttributeSmInfo = 0x0020;

/// Entries of one SMP of a table.
inline constexpr std::size_t kLidsPerBlock = 64;           // of linear forwarding
inline constexpr std::size_t kMulticastLidsPerBlock = 32;  // 16 ports each
inline constexpr std::size_t kPKeysPerBlock = 32;
inline constexpr std::size_t kGuidsPerBlock = 8;
inline constexpr std::size_t kArbitrationPerBlock = 32;

//= ibta-1.7 14.2.5.3
struct NodeInfo {
  static constexpr std::size_t kSize = 40;
  static constexpr std::string_view kName = "NodeInfo";
  static constexpr std::uint8_t kChannelAdapter = 1;
  static constexpr std::uint8_t kSwitch = 2;
  static constexpr std::uint8_t kRouter = 3;

  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  std::uint8_t node_type = 0;
  std::uint8_t ports = 0;
  std::uint64_t system_guid = 0;
  std::uint64_t node_guid = 0;
  std::uint64_t port_guid = 0;
  std::uint16_t partition_cap = 0;
  std::uint16_t device_id = 0;
  std::uint32_t revision = 0;
  std::uint8_t local_port = 0;
  std::uint32_t vendor_id = 0;  // 24 bits

  [[nodiscard]] static std::span<const AttributeField<NodeInfo>> fields();
  [[nodiscard]] static Result<NodeInfo> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const NodeInfo&, const NodeInfo&) = default;
};

//= ibta-1.7 14.2.5.4
struct SwitchInfo {
  static constexpr std::size_t kSize = 20;
  static constexpr std::string_view kName = "SwitchInfo";

  std::uint16_t linear_cap = 0;
  std::uint16_t random_cap = 0;
  std::uint16_t multicast_cap = 0;
  std::uint16_t linear_top = 0;  // the last LID that is forwarded
  std::uint8_t default_port = 0;
  std::uint8_t multicast_primary_port = 0;
  std::uint8_t multicast_other_port = 0;
  std::uint8_t life_time = 0;  // 5 bits
  std::uint8_t port_state_change = 0;
  std::uint8_t optimized_sl_to_vl = 0;  // 2 bits
  std::uint16_t lids_per_port = 0;
  std::uint16_t partition_enforcement_cap = 0;
  std::uint8_t inbound_enforcement_cap = 0;
  std::uint8_t outbound_enforcement_cap = 0;
  std::uint8_t filter_raw_inbound_cap = 0;
  std::uint8_t filter_raw_outbound_cap = 0;
  std::uint8_t enhanced_port0 = 0;
  std::uint16_t multicast_top = 0;

  [[nodiscard]] static std::span<const AttributeField<SwitchInfo>> fields();
  [[nodiscard]] static Result<SwitchInfo> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SwitchInfo&, const SwitchInfo&) = default;
};

//= ibta-1.7 14.2.5.6
enum class PortState : std::uint8_t { kNoChange, kDown, kInitialize, kArmed, kActive };
enum class PhysicalState : std::uint8_t { kNoChange, kSleep, kPolling, kDisabled, kTraining, kLinkUp, kRecovery };

/// Bits of PortInfo's CapabilityMask.
enum PortCapability : std::uint32_t {
  kIsSm = 1U << 1,
  kIsTrapSupported = 1U << 3,
  kIsSlMappingSupported = 1U << 6,
  kIsSystemImageGuidSupported = 1U << 11,
  kIsExtendedSpeedsSupported = 1U << 14,
  kIsCapabilityMask2Supported = 1U << 15,
  kIsClientReregistrationSupported = 1U << 25,
};
/// Bits of its CapabilityMask2.
enum PortCapability2 : std::uint16_t {
  kIsLinkWidth2xSupported = 1U << 4,
  kIsLinkSpeedHdrSupported = 1U << 5,
  kIsLinkSpeedNdrSupported = 1U << 10,
};

//= ibta-1.7 14.2.5.6
struct PortInfo {
  static constexpr std::size_t kSize = 64;
  static constexpr std::string_view kName = "PortInfo";

  std::uint64_t m_key = 0;
  std::uint64_t gid_prefix = 0;
  std::uint16_t lid = 0;
  std::uint16_t sm_lid = 0;
  std::uint32_t capability_mask = 0;
  std::uint16_t diag_code = 0;
  std::uint16_t m_key_lease_period = 0;  // seconds; 0: for ever
  std::uint8_t local_port = 0;
  std::uint8_t width_enabled = 0;
  std::uint8_t width_supported = 0;
  std::uint8_t width_active = 0;
  std::uint8_t speed_supported = 0;
  std::uint8_t port_state = 0;
  std::uint8_t physical_state = 0;
  std::uint8_t down_default_state = 0;
  std::uint8_t m_key_protect = 0;  // 2 bits
  std::uint8_t lmc = 0;
  std::uint8_t speed_active = 0;
  std::uint8_t speed_enabled = 0;
  std::uint8_t neighbor_mtu = 0;  // 1: 256 bytes, to 5: 4096
  std::uint8_t sm_sl = 0;
  std::uint8_t vl_cap = 0;  // 1: VL0, 2: VL0-1, 3: VL0-3, 4: VL0-7, 5: VL0-14
  std::uint8_t init_type = 0;
  std::uint8_t vl_high_limit = 0;
  std::uint8_t arbitration_high_cap = 0;
  std::uint8_t arbitration_low_cap = 0;
  std::uint8_t init_type_reply = 0;
  std::uint8_t mtu_cap = 0;
  std::uint8_t vl_stall_count = 0;
  std::uint8_t hoq_life = 0;
  std::uint8_t operational_vls = 0;
  std::uint8_t partition_enforcement_in = 0;
  std::uint8_t partition_enforcement_out = 0;
  std::uint8_t filter_raw_in = 0;
  std::uint8_t filter_raw_out = 0;
  std::uint16_t m_key_violations = 0;
  std::uint16_t p_key_violations = 0;
  std::uint16_t q_key_violations = 0;
  std::uint8_t guid_cap = 0;
  std::uint8_t client_reregister = 0;
  std::uint8_t multicast_trap_suppression = 0;
  std::uint8_t subnet_timeout = 0;  // 4.096 us times 2 to this power
  std::uint8_t response_time = 0;
  std::uint8_t local_phy_errors = 0;
  std::uint8_t overrun_errors = 0;
  std::uint16_t max_credit_hint = 0;
  std::uint32_t round_trip_latency = 0;  // 24 bits
  std::uint16_t capability_mask2 = 0;
  std::uint8_t speed_ext_active = 0;
  std::uint8_t speed_ext_supported = 0;
  std::uint8_t speed_ext_enabled = 0;

  [[nodiscard]] static std::span<const AttributeField<PortInfo>> fields();
  [[nodiscard]] static Result<PortInfo> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PortInfo&, const PortInfo&) = default;
};

//= ibta-1.7 14.2.5.13
struct SmInfo {
  static constexpr std::size_t kSize = 21;
  static constexpr std::string_view kName = "SMInfo";
  static constexpr std::uint32_t kHandover = 1;  // the modifier of a Set: be the master

  std::uint64_t guid = 0;
  std::uint64_t sm_key = 0;
  std::uint32_t activity_count = 0;
  std::uint8_t priority = 0;
  std::uint8_t state = 0;  // 0 not active, 1 discovering, 2 standby, 3 master

  [[nodiscard]] static std::span<const AttributeField<SmInfo>> fields();
  [[nodiscard]] static Result<SmInfo> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SmInfo&, const SmInfo&) = default;
};

/// A trap, as far as trap 128 (link state of a switch has changed) fills it; details of others are not read.
//= ibta-1.7 13.4.8.2
//= ibta-1.7 14.2.5.1
struct Notice {
  static constexpr std::size_t kSize = 64;
  static constexpr std::string_view kName = "Notice";
  static constexpr std::uint8_t kUrgent = 1;
  static constexpr std::uint16_t kLinkStateChange = 128;
  static constexpr std::uint16_t kLocalChange = 144;  // of a port, such as the priority of its manager

  std::uint8_t is_generic = 1;
  std::uint8_t type = 0;            // 7 bits
  std::uint32_t producer_type = 0;  // 24 bits: a node type
  std::uint16_t trap_number = 0;
  std::uint16_t issuer_lid = 0;
  std::uint8_t toggle = 0;
  std::uint16_t count = 0;  // 15 bits
  std::uint16_t lid = 0;    // of the switch

  [[nodiscard]] static std::span<const AttributeField<Notice>> fields();
  [[nodiscard]] static Result<Notice> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const Notice&, const Notice&) = default;
};

}  // namespace weft::wire
