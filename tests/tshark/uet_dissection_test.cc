// What weft emits of Ultra Ethernet, read by the dissector that it ships for Wireshark: never cut short, and the same
// value in every field.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/test_paths.h"
#include "tests/tshark/tshark.h"
#include "wire/uet/test_uet_frames.h"

namespace weft::test {
namespace {

using namespace wire::uet;

const std::string kScript = std::string(test_data_dir()) + "/../../share/wireshark/uet.lua";

/// Numbers however tshark prints them, bytes as hexadecimal digits.
using UetExpected = std::map<std::string, std::variant<std::int64_t, std::uint64_t, std::string>>;

template <class Value>
std::uint64_t number(Value value) {
  return static_cast<std::uint64_t>(value);
}
std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte value : bytes) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(value));
  }
  return text;
}

void expect_destination(bool syn, const PdcInfo& info, std::uint16_t pdc, UetExpected& expected) {
  if (syn) {
    expected["uet.pds.use_rsv_pdc"] = number(info.use_reserved_pdc);
    expected["uet.pds.psn_offset"] = number(info.psn_offset);
  } else {
    expected["uet.pds.dpdcid"] = number(pdc);
  }
}

void expect_pds(const PdsRequest& request, UetExpected& expected) {
  expected["uet.pds.type"] = number(request.type);
  expected["uet.pds.nh"] = number(request.next_header);
  expected["uet.pds.flags.retx"] = number(request.retransmitted);
  expected["uet.pds.flags.ar"] = number(request.ack_request);
  expected["uet.pds.flags.syn"] = number(request.syn);
  expected["uet.pds.clear_psn_offset"] = std::int64_t{request.clear_psn_offset};
  expected["uet.pds.psn"] = number(request.psn);
  expected["uet.pds.spdcid"] = number(request.source_pdc);
  expect_destination(request.syn, request.pdc_info, request.destination_pdc, expected);
  if (has_congestion_context(request.type)) {
    expected["uet.pds.ccc_id"] = number(request.ccc_id);
    expected["uet.pds.credit_target"] = number(request.credit_target);
  }
}

void expect_pds(const PdsRudi& rudi, UetExpected& expected) {
  expected["uet.pds.type"] = number(rudi.type);
  expected["uet.pds.flags.retx"] = number(rudi.retransmitted);
  expected["uet.pds.pkt_id"] = number(rudi.packet_id);
}

void expect_pds(const PdsUud& uud, UetExpected& expected) {
  expected["uet.pds.type"] = number(PdsType::kUudRequest);
  expected["uet.pds.nh"] = number(uud.next_header);
}

void expect_cc_state(const PdsAck& ack, UetExpected& expected) {
  expected["uet.pds.cc_state"] = ack.cc_state;
  if (ack.cc_type == CcType::kNscc) {
    const NsccState state = NsccState::unpack(ack.cc_state);
    expected["uet.pds.service_time"] = number(state.service_time);
    expected["uet.pds.restore_cwnd"] = number(state.restore_cwnd);
    expected["uet.pds.rcv_cwnd_pend"] = number(state.rcv_cwnd_pend);
    expected["uet.pds.rcvd_bytes"] = number(state.rcvd_bytes);
    expected["uet.pds.ooo_count"] = number(state.ooo_count);
  } else {
    const CreditState state = CreditState::unpack(ack.cc_state);
    expected["uet.pds.credit"] = number(state.credit);
    expected["uet.pds.ooo_count"] = number(state.ooo_count);
  }
}

void expect_pds(const PdsAck& ack, UetExpected& expected) {
  expected["uet.pds.type"] = number(ack.type);
  expected["uet.pds.nh"] = number(ack.next_header);
  expected["uet.pds.flags.m"] = number(ack.marked);
  expected["uet.pds.flags.retx"] = number(ack.retransmitted);
  expected["uet.pds.flags.req"] = number(ack.request);
  expected["uet.pds.ack_psn_offset"] = std::int64_t{ack.ack_psn_offset};
  expected["uet.pds.cack_psn"] = number(ack.cumulative_psn);
  expected["uet.pds.spdcid"] = number(ack.source_pdc);
  expected["uet.pds.dpdcid"] = number(ack.destination_pdc);
  if (ack.type == PdsType::kAck) {
    return;
  }
  expected["uet.pds.cc_type"] = number(ack.cc_type);
  expected["uet.pds.mpr"] = number(ack.mpr);
  expected["uet.pds.sack_psn_offset"] = std::int64_t{ack.sack_psn_offset};
  expected["uet.pds.sack_bitmap"] = ack.sack_bitmap;
  if (ack.type == PdsType::kAckCcx) {
    expected["uet.pds.ccx_state"] = fmt::format("{:016x}{:016x}", ack.cc_state, ack.ccx_state);
  } else {
    expect_cc_state(ack, expected);
  }
}

void expect_pds(const PdsNack& nack, UetExpected& expected) {
  expected["uet.pds.type"] = number(nack.type);
  expected["uet.pds.flags.nt"] = number(nack.rudi);
  expected["uet.pds.nack_code"] = number(nack.code);
  expected["uet.pds.vendor_code"] = number(nack.vendor_code);
  expected["uet.pds.nack_psn"] = number(nack.psn);
  expected["uet.pds.spdcid"] = number(nack.source_pdc);
  expected["uet.pds.dpdcid"] = number(nack.destination_pdc);
  expected["uet.pds.payload"] = number(nack.payload);
  if (nack.type == PdsType::kNackCcx) {
    expected["uet.pds.ccx_state"] = fmt::format("{:x}{:015x}{:016x}", nack.ccx_type, nack.ccx_state1, nack.ccx_state2);
  }
}

void expect_pds(const PdsControl& control, UetExpected& expected) {
  expected["uet.pds.type"] = number(PdsType::kControl);
  expected["uet.pds.ctl_type"] = number(control.control);
  expected["uet.pds.flags.isrod"] = number(control.rod);
  expected["uet.pds.flags.ar"] = number(control.ack_request);
  expected["uet.pds.flags.syn"] = number(control.syn);
  expected["uet.pds.probe_opaque"] = number(control.probe_opaque);
  expected["uet.pds.psn"] = number(control.psn);
  expected["uet.pds.spdcid"] = number(control.source_pdc);
  expect_destination(control.syn, control.pdc_info, control.destination_pdc, expected);
  expected["uet.pds.payload"] = number(control.payload);
}

void expect_operation(const SesOperation& operation, const SesTarget& target, UetExpected& expected) {
  expected["uet.ses.opcode"] = number(operation.opcode);
  expected["uet.ses.dc"] = number(operation.delivery_complete);
  expected["uet.ses.rel"] = number(operation.relative);
  expected["uet.ses.hd"] = number(operation.header_data);
  expected["uet.ses.eom"] = number(operation.end_of_message);
  expected["uet.ses.som"] = number(operation.start_of_message);
  expected["uet.ses.ri_gen"] = number(target.index_generation);
  expected["uet.ses.job_id"] = number(target.job_id);
  expected["uet.ses.pid_on_fep"] = number(target.pid_on_fep);
  expected["uet.ses.res_index"] = number(target.resource_index);
}

void expect_ses(const std::monostate& /*none*/, UetExpected& /*expected*/) {}

void expect_ses(const SesSmallRequest& request, UetExpected& expected) {
  expect_operation(request.operation, request.target, expected);
  expected["uet.ses.req_len14"] = number(request.request_length.bytes);
  expected["uet.ses.buf_off"] = request.buffer_offset;
}

void expect_ses(const SesMediumRequest& request, UetExpected& expected) {
  expect_operation(request.operation, request.target, expected);
  expected["uet.ses.req_len14"] = number(request.request_length.bytes);
  expected[request.operation.header_data ? "uet.ses.hdr_data" : "uet.ses.buf_off"] = request.header_data;
  expected["uet.ses.initiator"] = number(request.initiator);
  expected["uet.ses.mem_key"] = request.memory_key;
}

void expect_ses(const SesStandardRequest& request, UetExpected& expected) {
  expect_operation(request.operation, request.target, expected);
  const SesOpcode opcode = request.operation.opcode;
  expected["uet.ses.msg_id"] = number(request.message_id);
  expected[is_deferrable(opcode) ? "uet.ses.restart_token" : "uet.ses.buf_off"] = request.buffer_offset;
  expected["uet.ses.initiator"] = number(request.initiator);
  expected[opcode == SesOpcode::kReadyToRestart ? "uet.ses.restart_token" : "uet.ses.mem_key"] = request.memory_key;
  if (request.operation.start_of_message) {
    expected["uet.ses.hdr_data"] = request.completion_data;
  } else {
    expected["uet.ses.payload_len"] = number(request.payload_length.bytes);
    expected["uet.ses.msg_off"] = number(request.message_offset);
  }
  expected["uet.ses.req_len"] = number(request.request_length);
}

void expect_outcome(const SesOutcome& outcome, UetExpected& expected) {
  expected["uet.ses.list"] = number(outcome.list);
  expected["uet.ses.rsp_opcode"] = number(outcome.opcode);
  expected["uet.ses.return_code"] = number(outcome.return_code);
}

void expect_ses(const SesResponse& response, UetExpected& expected) {
  expect_outcome(response.outcome, expected);
  expected["uet.ses.msg_id"] = number(response.message_id);
  expected["uet.ses.job_id"] = number(response.job_id);
  expected["uet.ses.mod_len"] = number(response.modified_length);
}

void expect_ses(const SesDataResponse& response, UetExpected& expected) {
  expect_outcome(response.outcome, expected);
  expected["uet.ses.msg_id"] = number(response.message_id);
  expected["uet.ses.read_msg_id"] = number(response.read_message_id);
  expected["uet.ses.payload_len"] = number(response.payload_length.bytes);
  expected["uet.ses.mod_len"] = number(response.modified_length);
  expected["uet.ses.msg_off"] = number(response.message_offset);
}

void expect_ses(const SesSmallDataResponse& response, UetExpected& expected) {
  expect_outcome(response.outcome, expected);
  expected["uet.ses.payload_len"] = number(response.payload_length.bytes);
  expected["uet.ses.job_id"] = number(response.job_id);
  expected["uet.ses.orig_psn"] = number(response.original_psn);
}

void expect_extensions(const SesExtensions& extensions, UetExpected& expected) {
  if (extensions.sync) {
    expected["uet.ses.group"] = number(extensions.sync->group);
    expected["uet.ses.count"] = number(extensions.sync->count);
  }
  if (extensions.atomic) {
    expected["uet.ses.amo"] = number(extensions.atomic->operation);
    expected["uet.ses.amo_type"] = number(extensions.atomic->type);
    expected["uet.ses.amo_ctrl"] = number(extensions.atomic->control);
  }
  if (extensions.compare_swap) {
    expected["uet.ses.compare"] = hex(extensions.compare_swap->compare);
    expected["uet.ses.swap"] = hex(extensions.compare_swap->swap);
  }
  if (extensions.rendezvous) {
    expected["uet.ses.eager_len"] = number(extensions.rendezvous->eager_length);
    expected["uet.ses.read_gen"] = number(extensions.rendezvous->index_generation);
    expected["uet.ses.read_pid"] = number(extensions.rendezvous->pid_on_fep);
    expected["uet.ses.read_index"] = number(extensions.rendezvous->resource_index);
    expected["uet.ses.read_offset"] = extensions.rendezvous->read_offset;
    expected["uet.ses.read_key"] = extensions.rendezvous->read_memory_key;
  }
}

UetExpected expected_of(const UetFrame& frame) {
  UetExpected expected;
  if (frame.entropy) {
    expected["uet.entropy"] = number(frame.entropy->entropy);
  }
  if (frame.tss) {
    expected["uet.tss.an"] = number(frame.tss->association);
    expected["uet.tss.sdi"] = number(frame.tss->domain);
    expected["uet.tss.epoch"] = number(frame.tss->epoch);
    expected["uet.tss.tsc"] = fmt::format("{:012x}", frame.tss->counter);
    expected["uet.tss.icv"] = hex(frame.icv);
    if (frame.tss->has_source) {
      expected["uet.tss.ssi"] = number(frame.tss->source);
    }
  } else {
    expected["uet.crc"] = number(frame.crc);
    std::visit([&expected](const auto& header) { expect_pds(header, expected); }, *frame.pds);
    std::visit([&expected](const auto& header) { expect_ses(header, expected); }, frame.ses.header);
    expect_extensions(frame.ses.extensions, expected);
  }
  if (!frame.payload.empty()) {
    expected["data.data"] = hex(frame.payload);
  }
  return expected;
}

void expect_field(const std::string& text, const UetExpected::mapped_type& value, const std::string& where) {
  if (const auto* unsigned_value = std::get_if<std::uint64_t>(&value)) {
    EXPECT_FALSE(text.empty()) << where;
    // Booleans are printed as words by some versions.
    const std::uint64_t found = text == "True" ? 1 : text == "False" ? 0 : std::strtoull(text.c_str(), nullptr, 0);
    EXPECT_EQ(found, *unsigned_value) << where << " is " << text;
  } else if (const auto* signed_value = std::get_if<std::int64_t>(&value)) {
    EXPECT_EQ(std::strtoll(text.c_str(), nullptr, 0), *signed_value) << where << " is " << text;
  } else {
    EXPECT_EQ(text, std::get<std::string>(value)) << where;
  }
}

void expect_uet_dissected(UetForm form) {
  RandomStream random(21, "uet tshark");
  const std::vector<SampleUetFrame> samples = sample_uet_frames(form, random);
  std::vector<std::vector<std::byte>> packets;
  std::set<std::string> names;
  for (const SampleUetFrame& sample : samples) {
    packets.push_back(sample.bytes());
    for (const auto& [field, value] : expected_of(sample.frame)) {
      names.insert(field);
    }
  }
  const auto dissections =
      dissect(wire::LinkType::kEthernet, packets, std::vector<std::string>(names.begin(), names.end()), kScript);
  ASSERT_TRUE(dissections) << dissections.error().message;
  ASSERT_EQ(dissections->size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Dissection& found = (*dissections)[i];
    EXPECT_EQ(found.at("_ws.malformed"), "") << samples[i].name;
    EXPECT_EQ(found.at("_ws.expert.message"), "") << samples[i].name;
    EXPECT_EQ(found.at("_ws.col.Protocol"), "UET") << samples[i].name;
    for (const auto& [field, value] : expected_of(samples[i].frame)) {
      expect_field(found.at(field), value, samples[i].name + ": " + field);
    }
  }
}

TEST(TsharkUet, ReadsEveryPacketOverUdpAndIpv4) { expect_uet_dissected(UetForm::kUdpIpv4); }
TEST(TsharkUet, ReadsEveryPacketOverUdpAndIpv6) { expect_uet_dissected(UetForm::kUdpIpv6); }
TEST(TsharkUet, ReadsEveryPacketDirectlyOverIpv4) { expect_uet_dissected(UetForm::kNativeIpv4); }
TEST(TsharkUet, ReadsEveryPacketDirectlyOverIpv6) { expect_uet_dissected(UetForm::kNativeIpv6); }

}  // namespace
}  // namespace weft::test
