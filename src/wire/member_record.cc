#include "wire/member_record.h"

#include <array>

namespace weft::wire {
namespace {

constexpr std::array kMemberRecord{
    AttributeField<MemberRecord>{"MGID.prefix", {0, 64}, &MemberRecord::mgid_prefix},
    AttributeField<MemberRecord>{"MGID.id", {64, 64}, &MemberRecord::mgid_id},
    AttributeField<MemberRecord>{"PortGID.prefix", {128, 64}, &MemberRecord::port_prefix},
    AttributeField<MemberRecord>{"PortGID.id", {192, 64}, &MemberRecord::port_guid},
    AttributeField<MemberRecord>{"Q_Key", {256, 32}, &MemberRecord::q_key},
    AttributeField<MemberRecord>{"MLID", {288, 16}, &MemberRecord::mlid},
    AttributeField<MemberRecord>{"MTUSelector", {304, 2}, &MemberRecord::mtu_selector},
    AttributeField<MemberRecord>{"MTU", {306, 6}, &MemberRecord::mtu},
    AttributeField<MemberRecord>{"TClass", {312, 8}, &MemberRecord::traffic_class},
    AttributeField<MemberRecord>{"P_Key", {320, 16}, &MemberRecord::p_key},
    AttributeField<MemberRecord>{"RateSelector", {336, 2}, &MemberRecord::rate_selector},
    AttributeField<MemberRecord>{"Rate", {338, 6}, &MemberRecord::rate},
    AttributeField<MemberRecord>{"PacketLifeTimeSelector", {344, 2}, &MemberRecord::life_selector},
    AttributeField<MemberRecord>{"PacketLifeTime", {346, 6}, &MemberRecord::life},
    AttributeField<MemberRecord>{"SL", {352, 4}, &MemberRecord::service_level},
    AttributeField<MemberRecord>{"FlowLabel", {356, 20}, &MemberRecord::flow_label},
    AttributeField<MemberRecord>{"HopLimit", {376, 8}, &MemberRecord::hop_limit},
    AttributeField<MemberRecord>{"Scope", {384, 4}, &MemberRecord::scope},
    AttributeField<MemberRecord>{"JoinState", {388, 4}, &MemberRecord::join_state},
    AttributeField<MemberRecord>{"ProxyJoin", {392, 1}, &MemberRecord::proxy_join},
};

}  // namespace

std::span<const AttributeField<MemberRecord>> MemberRecord::fields() { return kMemberRecord; }
Result<MemberRecord> MemberRecord::parse(std::span<const std::byte> bytes) {
  return parse_attribute<MemberRecord>(bytes);
}
void MemberRecord::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

}  // namespace weft::wire
