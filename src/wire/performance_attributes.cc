#include "wire/performance_attributes.h"

#include <algorithm>
#include <array>

namespace weft::wire {
namespace {

constexpr std::array kClassPortInfo{
    AttributeField<ClassPortInfo>{"BaseVersion", {0, 8}, &ClassPortInfo::base_version},
    AttributeField<ClassPortInfo>{"ClassVersion", {8, 8}, &ClassPortInfo::class_version},
    AttributeField<ClassPortInfo>{"CapabilityMask", {16, 16}, &ClassPortInfo::capability_mask},
    AttributeField<ClassPortInfo>{"CapabilityMask2", {32, 27}, &ClassPortInfo::capability_mask2},
    AttributeField<ClassPortInfo>{"RespTimeValue", {59, 5}, &ClassPortInfo::response_time},
};

constexpr FieldAccess kWritable = FieldAccess::kWritable;

// Writable are those that CounterSelect selects, in the order of its bits. PortXmitWait is bit 0 of CounterSelect2.
constexpr std::array kPortCounters{
    AttributeField<PortCounters>{"PortSelect", {8, 8}, &PortCounters::port_select},
    AttributeField<PortCounters>{"CounterSelect", {16, 16}, &PortCounters::counter_select},
    AttributeField<PortCounters>{"SymbolErrorCounter", {32, 16}, &PortCounters::symbol_errors, kWritable},
    AttributeField<PortCounters>{"LinkErrorRecoveryCounter", {48, 8}, &PortCounters::link_recoveries, kWritable},
    AttributeField<PortCounters>{"LinkDownedCounter", {56, 8}, &PortCounters::link_downed, kWritable},
    AttributeField<PortCounters>{"PortRcvErrors", {64, 16}, &PortCounters::receive_errors, kWritable},
    AttributeField<PortCounters>{
        "PortRcvRemotePhysicalErrors", {80, 16}, &PortCounters::remote_physical_errors, kWritable},
    AttributeField<PortCounters>{"PortRcvSwitchRelayErrors", {96, 16}, &PortCounters::switch_relay_errors, kWritable},
    AttributeField<PortCounters>{"PortXmitDiscards", {112, 16}, &PortCounters::xmit_discards, kWritable},
    AttributeField<PortCounters>{
        "PortXmitConstraintErrors", {128, 8}, &PortCounters::xmit_constraint_errors, kWritable},
    AttributeField<PortCounters>{
        "PortRcvConstraintErrors", {136, 8}, &PortCounters::receive_constraint_errors, kWritable},
    AttributeField<PortCounters>{"CounterSelect2", {144, 8}, &PortCounters::counter_select2},
    AttributeField<PortCounters>{
        "LocalLinkIntegrityErrors", {152, 4}, &PortCounters::local_integrity_errors, kWritable},
    AttributeField<PortCounters>{"ExcessiveBufferOverrunErrors", {156, 4}, &PortCounters::buffer_overruns, kWritable},
    AttributeField<PortCounters>{"QP1Dropped", {160, 16}, &PortCounters::qp1_dropped},
    AttributeField<PortCounters>{"VL15Dropped", {176, 16}, &PortCounters::vl15_dropped, kWritable},
    AttributeField<PortCounters>{"PortXmitData", {192, 32}, &PortCounters::xmit_data, kWritable},
    AttributeField<PortCounters>{"PortRcvData", {224, 32}, &PortCounters::receive_data, kWritable},
    AttributeField<PortCounters>{"PortXmitPkts", {256, 32}, &PortCounters::xmit_packets, kWritable},
    AttributeField<PortCounters>{"PortRcvPkts", {288, 32}, &PortCounters::receive_packets, kWritable},
    AttributeField<PortCounters>{"PortXmitWait", {320, 32}, &PortCounters::xmit_wait},
};

constexpr std::array kPortCountersExtended{
    AttributeField<PortCountersExtended>{"PortSelect", {8, 8}, &PortCountersExtended::port_select},
    AttributeField<PortCountersExtended>{"CounterSelect", {16, 16}, &PortCountersExtended::counter_select},
    AttributeField<PortCountersExtended>{"PortXmitData", {64, 64}, &PortCountersExtended::xmit_data, kWritable},
    AttributeField<PortCountersExtended>{"PortRcvData", {128, 64}, &PortCountersExtended::receive_data, kWritable},
    AttributeField<PortCountersExtended>{"PortXmitPkts", {192, 64}, &PortCountersExtended::xmit_packets, kWritable},
    AttributeField<PortCountersExtended>{"PortRcvPkts", {256, 64}, &PortCountersExtended::receive_packets, kWritable},
    AttributeField<PortCountersExtended>{
        "PortUnicastXmitPkts", {320, 64}, &PortCountersExtended::unicast_xmit_packets, kWritable},
    AttributeField<PortCountersExtended>{
        "PortUnicastRcvPkts", {384, 64}, &PortCountersExtended::unicast_receive_packets, kWritable},
    AttributeField<PortCountersExtended>{
        "PortMulticastXmitPkts", {448, 64}, &PortCountersExtended::multicast_xmit_packets, kWritable},
    AttributeField<PortCountersExtended>{
        "PortMulticastRcvPkts", {512, 64}, &PortCountersExtended::multicast_receive_packets, kWritable},
};

}  // namespace

std::span<const AttributeField<ClassPortInfo>> ClassPortInfo::fields() { return kClassPortInfo; }
Result<ClassPortInfo> ClassPortInfo::parse(std::span<const std::byte> bytes) {
  return parse_attribute<ClassPortInfo>(bytes);
}
void ClassPortInfo::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

std::span<const AttributeField<PortCounters>> PortCounters::fields() { return kPortCounters; }
Result<PortCounters> PortCounters::parse(std::span<const std::byte> bytes) {
  return parse_attribute<PortCounters>(bytes);
}
//= ibta-1.7 16.1.3.5
void PortCounters::emit(std::span<std::byte> out) const {
  PortCounters limited = *this;
  for (const AttributeField<PortCounters>& field : fields()) {
    field.set(limited, std::min(field.get(limited), (std::uint64_t{1} << field.place.width) - 1));
  }
  emit_attribute(limited, out);
}

std::span<const AttributeField<PortCountersExtended>> PortCountersExtended::fields() { return kPortCountersExtended; }
Result<PortCountersExtended> PortCountersExtended::parse(std::span<const std::byte> bytes) {
  return parse_attribute<PortCountersExtended>(bytes);
}
void PortCountersExtended::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

}  // namespace weft::wire
