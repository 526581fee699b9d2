// Attributes of performance management: ClassPortInfo, PortCounters, PortCountersExtended.
//
// Each begins at byte 64 of its MAD. Data counters count 32-bit words, from the LRH to the ICRC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/attribute_field.h"

namespace weft::wire {

inline constexpr std::size_t kPerformanceData = 64;
inline constexpr std::uint8_t kAllPorts = 255;  // as PortSelect

inline constexpr std::uint16_t kAttributeClassPortInfo = 0x0001;
inline constexpr std::uint16_t kAttributePortCounters = 0x0012;
inline constexpr std::uint16_t kAttributePortCountersExtended = 0x001D;

/// Bits of ClassPortInfo's CapabilityMask in this class.
enum PerformanceCapability : std::uint16_t {
  kAllPortSelect = 1U << 8,
  kIsExtendedWidthSupported = 1U << 9,
  kIsXmitWaitSupported = 1U << 12,
};

/// What the agent says of itself; redirection is not used.
//= ibta-1.7 13.4.8.1
struct ClassPortInfo {
  static constexpr std::size_t kSize = 72;
  static constexpr std::string_view kName = "ClassPortInfo";

  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  std::uint16_t capability_mask = 0;
  std::uint32_t capability_mask2 = 0;  // 27 bits
  std::uint8_t response_time = 0;      // 5 bits: 4.096 us times 2 to this power

  [[nodiscard]] static std::span<const AttributeField<ClassPortInfo>> fields();
  [[nodiscard]] static Result<ClassPortInfo> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const ClassPortInfo&, const ClassPortInfo&) = default;
};

//= ibta-1.7 16.1.3.5
struct PortCounters {
  static constexpr std::size_t kSize = 44;
  static constexpr std::string_view kName = "PortCounters";

  std::uint8_t port_select = 0;
  std::uint16_t counter_select = 0;  // bits of counters that Set writes, in their order
  std::uint64_t symbol_errors = 0;
  std::uint64_t link_recoveries = 0;
  std::uint64_t link_downed = 0;
  std::uint64_t receive_errors = 0;
  std::uint64_t remote_physical_errors = 0;
  std::uint64_t switch_relay_errors = 0;
  std::uint64_t xmit_discards = 0;
  std::uint64_t xmit_constraint_errors = 0;
  std::uint64_t receive_constraint_errors = 0;
  std::uint8_t counter_select2 = 0;  // bit 0: XmitWait
  std::uint64_t local_integrity_errors = 0;
  std::uint64_t buffer_overruns = 0;
  std::uint64_t qp1_dropped = 0;
  std::uint64_t vl15_dropped = 0;
  std::uint64_t xmit_data = 0;
  std::uint64_t receive_data = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t receive_packets = 0;
  std::uint64_t xmit_wait = 0;

  [[nodiscard]] static std::span<const AttributeField<PortCounters>> fields();
  [[nodiscard]] static Result<PortCounters> parse(std::span<const std::byte> bytes);
  /// A counter that its field cannot hold is emitted as all ones: it stops there.
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PortCounters&, const PortCounters&) = default;
};

//= ibta-1.7 16.1.4.11
struct PortCountersExtended {
  static constexpr std::size_t kSize = 72;
  static constexpr std::string_view kName = "PortCountersExtended";

  std::uint8_t port_select = 0;
  std::uint16_t counter_select = 0;
  std::uint64_t xmit_data = 0;
  std::uint64_t receive_data = 0;
  std::uint64_t xmit_packets = 0;
  std::uint64_t receive_packets = 0;
  std::uint64_t unicast_xmit_packets = 0;
  std::uint64_t unicast_receive_packets = 0;
  std::uint64_t multicast_xmit_packets = 0;
  std::uint64_t multicast_receive_packets = 0;

  [[nodiscard]] static std::span<const AttributeField<PortCountersExtended>> fields();
  [[nodiscard]] static Result<PortCountersExtended> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PortCountersExtended&, const PortCountersExtended&) = default;
};

}  // namespace weft::wire
