#include "wire/subnet_attributes.h"

namespace weft::wire {
namespace {

constexpr FieldAccess kSettable = FieldAccess::kWritable;

constexpr std::array kNodeInfo{
    AttributeField<NodeInfo>{"BaseVersion", {0, 8}, &NodeInfo::base_version},
    AttributeField<NodeInfo>{"ClassVersion", {8, 8}, &NodeInfo::class_version},
    AttributeField<NodeInfo>{"NodeType", {16, 8}, &NodeInfo::node_type},
    AttributeField<NodeInfo>{"NumPorts", {24, 8}, &NodeInfo::ports},
    AttributeField<NodeInfo>{"SystemImageGUID", {32, 64}, &NodeInfo::system_guid},
    AttributeField<NodeInfo>{"NodeGUID", {96, 64}, &NodeInfo::node_guid},
    AttributeField<NodeInfo>{"PortGUID", {160, 64}, &NodeInfo::port_guid},
    AttributeField<NodeInfo>{"PartitionCap", {224, 16}, &NodeInfo::partition_cap},
    AttributeField<NodeInfo>{"DeviceID", {240, 16}, &NodeInfo::device_id},
    AttributeField<NodeInfo>{"Revision", {256, 32}, &NodeInfo::revision},
    AttributeField<NodeInfo>{"LocalPortNum", {288, 8}, &NodeInfo::local_port},
    AttributeField<NodeInfo>{"VendorID", {296, 24}, &NodeInfo::vendor_id},
};

// PortStateChange is not copied: writing one clears it.
constexpr std::array kSwitchInfo{
    AttributeField<SwitchInfo>{"LinearFDBCap", {0, 16}, &SwitchInfo::linear_cap},
    AttributeField<SwitchInfo>{"RandomFDBCap", {16, 16}, &SwitchInfo::random_cap},
    AttributeField<SwitchInfo>{"MulticastFDBCap", {32, 16}, &SwitchInfo::multicast_cap},
    AttributeField<SwitchInfo>{"LinearFDBTop", {48, 16}, &SwitchInfo::linear_top, kSettable},
    AttributeField<SwitchInfo>{"DefaultPort", {64, 8}, &SwitchInfo::default_port, kSettable},
    AttributeField<SwitchInfo>{"DefaultMulticastPrimaryPort", {72, 8}, &SwitchInfo::multicast_primary_port, kSettable},
    AttributeField<SwitchInfo>{"DefaultMulticastNotPrimaryPort", {80, 8}, &SwitchInfo::multicast_other_port, kSettable},
    AttributeField<SwitchInfo>{"LifeTimeValue", {88, 5}, &SwitchInfo::life_time, kSettable},
    AttributeField<SwitchInfo>{"PortStateChange", {93, 1}, &SwitchInfo::port_state_change},
    AttributeField<SwitchInfo>{
        "OptimizedSLtoVLMappingProgramming", {94, 2}, &SwitchInfo::optimized_sl_to_vl, FieldAccess::kReadOnly},
    AttributeField<SwitchInfo>{"LIDsPerPort", {96, 16}, &SwitchInfo::lids_per_port},
    AttributeField<SwitchInfo>{"PartitionEnforcementCap", {112, 16}, &SwitchInfo::partition_enforcement_cap},
    AttributeField<SwitchInfo>{"InboundEnforcementCap", {128, 1}, &SwitchInfo::inbound_enforcement_cap},
    AttributeField<SwitchInfo>{"OutboundEnforcementCap", {129, 1}, &SwitchInfo::outbound_enforcement_cap},
    AttributeField<SwitchInfo>{"FilterRawInboundCap", {130, 1}, &SwitchInfo::filter_raw_inbound_cap},
    AttributeField<SwitchInfo>{"FilterRawOutboundCap", {131, 1}, &SwitchInfo::filter_raw_outbound_cap},
    AttributeField<SwitchInfo>{"EnhancedPort0", {132, 1}, &SwitchInfo::enhanced_port0},
    AttributeField<SwitchInfo>{"MulticastFDBTop", {144, 16}, &SwitchInfo::multicast_top, kSettable},
};

// States, widths, speeds, virtual lanes and violations are written by rules of their own, not copied.
constexpr std::array kPortInfo{
    AttributeField<PortInfo>{"M_Key", {0, 64}, &PortInfo::m_key, kSettable},
    AttributeField<PortInfo>{"GidPrefix", {64, 64}, &PortInfo::gid_prefix, kSettable},
    AttributeField<PortInfo>{"LID", {128, 16}, &PortInfo::lid, kSettable},
    AttributeField<PortInfo>{"MasterSMLID", {144, 16}, &PortInfo::sm_lid, kSettable},
    AttributeField<PortInfo>{"CapabilityMask", {160, 32}, &PortInfo::capability_mask},
    AttributeField<PortInfo>{"DiagCode", {192, 16}, &PortInfo::diag_code},
    AttributeField<PortInfo>{"M_KeyLeasePeriod", {208, 16}, &PortInfo::m_key_lease_period, kSettable},
    AttributeField<PortInfo>{"LocalPortNum", {224, 8}, &PortInfo::local_port},
    AttributeField<PortInfo>{"LinkWidthEnabled", {232, 8}, &PortInfo::width_enabled},
    AttributeField<PortInfo>{"LinkWidthSupported", {240, 8}, &PortInfo::width_supported},
    AttributeField<PortInfo>{"LinkWidthActive", {248, 8}, &PortInfo::width_active},
    AttributeField<PortInfo>{"LinkSpeedSupported", {256, 4}, &PortInfo::speed_supported},
    AttributeField<PortInfo>{"PortState", {260, 4}, &PortInfo::port_state},
    AttributeField<PortInfo>{"PortPhysicalState", {264, 4}, &PortInfo::physical_state},
    AttributeField<PortInfo>{"LinkDownDefaultState", {268, 4}, &PortInfo::down_default_state},
    AttributeField<PortInfo>{"M_KeyProtectBits", {272, 2}, &PortInfo::m_key_protect, kSettable},
    AttributeField<PortInfo>{"LMC", {277, 3}, &PortInfo::lmc, kSettable},
    AttributeField<PortInfo>{"LinkSpeedActive", {280, 4}, &PortInfo::speed_active},
    AttributeField<PortInfo>{"LinkSpeedEnabled", {284, 4}, &PortInfo::speed_enabled},
    AttributeField<PortInfo>{"NeighborMTU", {288, 4}, &PortInfo::neighbor_mtu, kSettable},
    AttributeField<PortInfo>{"MasterSMSL", {292, 4}, &PortInfo::sm_sl, kSettable},
    AttributeField<PortInfo>{"VLCap", {296, 4}, &PortInfo::vl_cap},
    AttributeField<PortInfo>{"InitType", {300, 4}, &PortInfo::init_type},
    AttributeField<PortInfo>{"VLHighLimit", {304, 8}, &PortInfo::vl_high_limit, kSettable},
    AttributeField<PortInfo>{"VLArbitrationHighCap", {312, 8}, &PortInfo::arbitration_high_cap},
    AttributeField<PortInfo>{"VLArbitrationLowCap", {320, 8}, &PortInfo::arbitration_low_cap},
    AttributeField<PortInfo>{"InitTypeReply", {328, 4}, &PortInfo::init_type_reply},
    AttributeField<PortInfo>{"MTUCap", {332, 4}, &PortInfo::mtu_cap},
    AttributeField<PortInfo>{"VLStallCount", {336, 3}, &PortInfo::vl_stall_count, kSettable},
    AttributeField<PortInfo>{"HOQLife", {339, 5}, &PortInfo::hoq_life, kSettable},
    AttributeField<PortInfo>{"OperationalVLs", {344, 4}, &PortInfo::operational_vls},
    AttributeField<PortInfo>{"PartitionEnforcementInbound", {348, 1}, &PortInfo::partition_enforcement_in, kSettable},
    AttributeField<PortInfo>{"PartitionEnforcementOutbound", {349, 1}, &PortInfo::partition_enforcement_out, kSettable},
    AttributeField<PortInfo>{"FilterRawInbound", {350, 1}, &PortInfo::filter_raw_in, kSettable},
    AttributeField<PortInfo>{"FilterRawOutbound", {351, 1}, &PortInfo::filter_raw_out, kSettable},
    AttributeField<PortInfo>{"M_KeyViolations", {352, 16}, &PortInfo::m_key_violations},
    AttributeField<PortInfo>{"P_KeyViolations", {368, 16}, &PortInfo::p_key_violations},
    AttributeField<PortInfo>{"Q_KeyViolations", {384, 16}, &PortInfo::q_key_violations},
    AttributeField<PortInfo>{"GUIDCap", {400, 8}, &PortInfo::guid_cap},
    AttributeField<PortInfo>{"ClientReregister", {408, 1}, &PortInfo::client_reregister},
    AttributeField<PortInfo>{
        "MulticastPKeyTrapSuppressionEnabled", {409, 2}, &PortInfo::multicast_trap_suppression, kSettable},
    AttributeField<PortInfo>{"SubnetTimeOut", {411, 5}, &PortInfo::subnet_timeout, kSettable},
    AttributeField<PortInfo>{"RespTimeValue", {419, 5}, &PortInfo::response_time},
    AttributeField<PortInfo>{"LocalPhyErrors", {424, 4}, &PortInfo::local_phy_errors, kSettable},
    AttributeField<PortInfo>{"OverrunErrors", {428, 4}, &PortInfo::overrun_errors, kSettable},
    AttributeField<PortInfo>{"MaxCreditHint", {432, 16}, &PortInfo::max_credit_hint},
    AttributeField<PortInfo>{"LinkRoundTripLatency", {456, 24}, &PortInfo::round_trip_latency},
    AttributeField<PortInfo>{"CapabilityMask2", {480, 16}, &PortInfo::capability_mask2},
    AttributeField<PortInfo>{"LinkSpeedExtActive", {496, 4}, &PortInfo::speed_ext_active},
    AttributeField<PortInfo>{"LinkSpeedExtSupported", {500, 4}, &PortInfo::speed_ext_supported},
    AttributeField<PortInfo>{"LinkSpeedExtEnabled", {507, 5}, &PortInfo::speed_ext_enabled},
};

constexpr std::array kSmInfo{
    AttributeField<SmInfo>{"GUID", {0, 64}, &SmInfo::guid},
    AttributeField<SmInfo>{"SM_Key", {64, 64}, &SmInfo::sm_key},
    AttributeField<SmInfo>{"ActCount", {128, 32}, &SmInfo::activity_count},
    AttributeField<SmInfo>{"Priority", {160, 4}, &SmInfo::priority},
    AttributeField<SmInfo>{"SMState", {164, 4}, &SmInfo::state},
};

constexpr std::array kNotice{
    AttributeField<Notice>{"IsGeneric", {0, 1}, &Notice::is_generic},
    AttributeField<Notice>{"Type", {1, 7}, &Notice::type},
    AttributeField<Notice>{"ProducerType", {8, 24}, &Notice::producer_type},
    AttributeField<Notice>{"TrapNumber", {32, 16}, &Notice::trap_number},
    AttributeField<Notice>{"IssuerLID", {48, 16}, &Notice::issuer_lid},
    AttributeField<Notice>{"NoticeToggle", {64, 1}, &Notice::toggle},
    AttributeField<Notice>{"NoticeCount", {65, 15}, &Notice::count},
    AttributeField<Notice>{"DataDetails.LIDADDR", {80, 16}, &Notice::lid},
};

}  // namespace

std::span<const AttributeField<NodeInfo>> NodeInfo::fields() { return kNodeInfo; }
Result<NodeInfo> NodeInfo::parse(std::span<const std::byte> bytes) { return parse_attribute<NodeInfo>(bytes); }
void NodeInfo::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

std::span<const AttributeField<SwitchInfo>> SwitchInfo::fields() { return kSwitchInfo; }
Result<SwitchInfo> SwitchInfo::parse(std::span<const std::byte> bytes) { return parse_attribute<SwitchInfo>(bytes); }
void SwitchInfo::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

std::span<const AttributeField<PortInfo>> PortInfo::fields() { return kPortInfo; }
Result<PortInfo> PortInfo::parse(std::span<const std::byte> bytes) { return parse_attribute<PortInfo>(bytes); }
void PortInfo::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

std::span<const AttributeField<SmInfo>> SmInfo::fields() { return kSmInfo; }
Result<SmInfo> SmInfo::parse(std::span<const std::byte> bytes) { return parse_attribute<SmInfo>(bytes); }
void SmInfo::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

std::span<const AttributeField<Notice>> Notice::fields() { return kNotice; }
Result<Notice> Notice::parse(std::span<const std::byte> bytes) { return parse_attribute<Notice>(bytes); }
void Notice::emit(std::span<std::byte> out) const { emit_attribute(*this, out); }

}  // namespace weft::wire
