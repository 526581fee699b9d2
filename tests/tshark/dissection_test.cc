// What weft emits, read by Wireshark's dissectors: never malformed, no expert's remark, and the same value in every
// field.
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/tshark/sample_frames.h"
#include "tests/tshark/tshark.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"
#include "wire/pfc_frame.h"

namespace weft::test {
namespace {

using wire::Encapsulation;

constexpr std::uint64_t kSeed = 20;

/// A number however tshark prints it, or a text exactly.
using Expected = std::map<std::string, std::variant<std::uint64_t, std::string>>;

std::string hex_digits(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte value : bytes) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(value));
  }
  return text;
}

std::uint64_t flag(bool set) { return set ? 1 : 0; }

void expect_link(const wire::RdmaFrame& frame, Expected& expected) {
  if (frame.ethernet) {
    expected["eth.src"] = to_string(frame.ethernet->source);
    expected["eth.dst"] = to_string(frame.ethernet->destination);
    if (frame.ethernet->tag_count == 1) {
      expected["vlan.id"] = frame.ethernet->tags[0].vlan;
      expected["vlan.priority"] = frame.ethernet->tags[0].priority;
    }
  }
  if (frame.lrh) {
    expected["infiniband.lrh.vl"] = frame.lrh->virtual_lane;
    expected["infiniband.lrh.sl"] = frame.lrh->service_level;
    expected["infiniband.lrh.dlid"] = frame.lrh->destination_lid;
    expected["infiniband.lrh.slid"] = frame.lrh->source_lid;
    expected["infiniband.lrh.pktlen"] = frame.lrh->packet_length;
  }
}

void expect_network(const wire::RdmaFrame& frame, Expected& expected) {
  if (frame.grh) {
    expected["infiniband.grh.tclass"] = frame.grh->traffic_class;
    expected["infiniband.grh.flowlabel"] = frame.grh->flow_label;
    expected["infiniband.grh.paylen"] = frame.grh->payload_length;
    expected["infiniband.grh.hoplmt"] = frame.grh->hop_limit;
    expected["infiniband.grh.sgid"] = to_string(frame.grh->source);
    expected["infiniband.grh.dgid"] = to_string(frame.grh->destination);
  }
  if (frame.ipv4) {
    expected["ip.src"] = to_string(frame.ipv4->source);
    expected["ip.dst"] = to_string(frame.ipv4->destination);
    expected["ip.len"] = frame.ipv4->total_length;
    expected["ip.dsfield.dscp"] = frame.ipv4->dscp;
    expected["ip.dsfield.ecn"] = static_cast<std::uint64_t>(frame.ipv4->ecn);
    expected["ip.checksum.status"] = 1U;  // verified and good
  }
  if (frame.ipv6) {
    expected["ipv6.src"] = to_string(frame.ipv6->source);
    expected["ipv6.dst"] = to_string(frame.ipv6->destination);
    expected["ipv6.plen"] = frame.ipv6->payload_length;
    expected["ipv6.flow"] = frame.ipv6->flow_label;
    expected["ipv6.tclass.ecn"] = static_cast<std::uint64_t>(frame.ipv6->ecn);
  }
  if (frame.udp) {
    expected["udp.srcport"] = frame.udp->source_port;
    expected["udp.dstport"] = wire::kRoceV2Port;
    expected["udp.length"] = frame.udp->length;
  }
}

void expect_bth(const wire::BthHeader& bth, Expected& expected) {
  expected["infiniband.bth.opcode"] = bth.opcode;
  expected["infiniband.bth.se"] = flag(bth.solicited);
  expected["infiniband.bth.m"] = flag(bth.migrated);
  expected["infiniband.bth.padcnt"] = bth.pad_count;
  expected["infiniband.bth.p_key"] = bth.partition_key;
  expected["infiniband.bth.destqp"] = bth.destination_qp;
  expected["infiniband.bth.a"] = flag(bth.ack_request);
  expected["infiniband.bth.psn"] = bth.psn.value();
}

void expect_requests(const wire::ExtensionHeaders& extensions, Expected& expected) {
  if (extensions.deth) {
    expected["infiniband.deth.q_key"] = extensions.deth->queue_key;
    expected["infiniband.deth.srcqp"] = extensions.deth->source_qp;
  }
  if (extensions.reth) {
    expected["infiniband.reth.va"] = extensions.reth->virtual_address;
    expected["infiniband.reth.r_key"] = extensions.reth->remote_key;
    expected["infiniband.reth.dmalen"] = extensions.reth->dma_length;
  }
  if (extensions.atomic) {
    // The dissector shows an atomic's address and key under the names of the RETH.
    expected["infiniband.reth.va"] = extensions.atomic->virtual_address;
    expected["infiniband.reth.r_key"] = extensions.atomic->remote_key;
    expected["infiniband.atomiceth.swapdt"] = extensions.atomic->swap_or_add;
    expected["infiniband.atomiceth.cmpdt"] = extensions.atomic->compare;
  }
  if (extensions.immediate) {
    expected["infiniband.immdt"] = fmt::format("{:08x}", extensions.immediate->data);
  }
  if (extensions.invalidate) {
    expected["infiniband.ieth"] = fmt::format("{:08x}", extensions.invalidate->remote_key);
  }
}

void expect_responses(const wire::ExtensionHeaders& extensions, Expected& expected) {
  if (extensions.aeth) {
    expected["infiniband.aeth.syndrome"] = extensions.aeth->syndrome;
    expected["infiniband.aeth.msn"] = extensions.aeth->msn.value();
  }
  if (extensions.atomic_ack) {
    expected["infiniband.atomicacketh.origremdt"] = extensions.atomic_ack->original_data;
  }
}

/// FLUSH and ATOMIC WRITE are younger than the dissector, and the manufacturer's range is weft's own: it reads their
/// BTH and leaves the rest alone.
bool dissector_knows(std::uint8_t opcode) {
  return wire::service_of(opcode) != wire::Service::kManufacturer &&
         wire::operation_of(opcode) != wire::Operation::kFlush &&
         wire::operation_of(opcode) != wire::Operation::kAtomicWrite;
}

Expected expected_fields(const wire::RdmaFrame& frame) {
  Expected expected;
  expect_link(frame, expected);
  expect_network(frame, expected);
  expect_bth(frame.bth, expected);
  if (!dissector_knows(frame.bth.opcode)) {
    return expected;
  }
  expect_requests(frame.extensions, expected);
  expect_responses(frame.extensions, expected);
  if (frame.vcrc) {
    // Shown in the order of its bytes on the wire, least significant first.
    expected["infiniband.variant.crc"] = static_cast<std::uint64_t>((*frame.vcrc >> 8) | ((*frame.vcrc & 0xFF) << 8));
  }
  if (!frame.payload.empty()) {
    // The dissector counts the pad as data.
    expected["data.data"] = hex_digits(frame.payload) + hex_digits(std::span(frame.pad).first(frame.bth.pad_count));
  }
  return expected;
}

void expect_equal(const Expected& expected, const Dissection& found, const std::string& name) {
  EXPECT_EQ(found.at("_ws.malformed"), "") << name;
  EXPECT_EQ(found.at("_ws.expert.message"), "") << name;
  for (const auto& [field, value] : expected) {
    const std::string& text = found.at(field);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) {
      EXPECT_FALSE(text.empty()) << name << ": " << field;
      EXPECT_EQ(std::strtoull(text.c_str(), nullptr, 0), *number) << name << ": " << field << " is " << text;
    } else {
      EXPECT_EQ(text, std::get<std::string>(value)) << name << ": " << field;
    }
  }
}

std::vector<std::string> field_names(const std::vector<Expected>& expectations) {
  std::map<std::string, int> names;
  for (const Expected& expected : expectations) {
    for (const auto& [field, value] : expected) {
      names[field] = 1;
    }
  }
  std::vector<std::string> list;
  for (const auto& [name, unused] : names) {
    list.push_back(name);
  }
  return list;
}

/// What is sent to the dissector, in the order of the packets.
struct Trial {
  std::vector<std::vector<std::byte>> packets;
  std::vector<Expected> expectations;
  std::vector<std::string> names;
};

void expect_dissected(wire::LinkType link_type, const Trial& trial) {
  const auto dissections = dissect(link_type, trial.packets, field_names(trial.expectations));
  ASSERT_TRUE(dissections) << dissections.error().message;
  ASSERT_EQ(dissections->size(), trial.packets.size());
  for (std::size_t i = 0; i < trial.packets.size(); ++i) {
    expect_equal(trial.expectations[i], (*dissections)[i], trial.names[i]);
  }
}

void expect_dissected(wire::LinkType link_type, const std::vector<SampleFrame>& samples) {
  Trial trial;
  for (const SampleFrame& sample : samples) {
    trial.names.push_back(sample.name);
    trial.packets.push_back(emitted(sample.frame));
    trial.expectations.push_back(expected_fields(sample.frame));
  }
  expect_dissected(link_type, trial);
}

/// Lengths through every pad count, and the largest.
constexpr std::size_t kPayloads[] = {0, 1, 2, 3, 4, 64, 4096};

std::vector<SampleFrame> all_opcodes(Encapsulation encapsulation, Tagging tagging) {
  RandomStream random(kSeed, wire::to_string(encapsulation));
  std::vector<SampleFrame> samples;
  for (const std::uint8_t opcode : assigned_opcodes()) {
    for (const std::size_t payload : kPayloads) {
      samples.push_back(random_frame(random_headers(encapsulation, tagging, random), opcode, payload, random));
    }
  }
  return samples;
}

TEST(Tshark, ReadsEveryOpcodeOverInfiniBandLocal) {
  expect_dissected(wire::LinkType::kInfiniBand, all_opcodes(Encapsulation::kIbLocal, Tagging::kUntagged));
}

TEST(Tshark, ReadsEveryOpcodeOverInfiniBandGlobal) {
  expect_dissected(wire::LinkType::kInfiniBand, all_opcodes(Encapsulation::kIbGlobal, Tagging::kUntagged));
}

TEST(Tshark, ReadsEveryOpcodeOverRoceV1) {
  expect_dissected(wire::LinkType::kEthernet, all_opcodes(Encapsulation::kRoceV1, Tagging::kUntagged));
}

TEST(Tshark, ReadsEveryOpcodeOverRoceV2WithIpv4) {
  expect_dissected(wire::LinkType::kEthernet, all_opcodes(Encapsulation::kRoceV2Ipv4, Tagging::kUntagged));
}

TEST(Tshark, ReadsEveryOpcodeOverRoceV2WithIpv6) {
  expect_dissected(wire::LinkType::kEthernet, all_opcodes(Encapsulation::kRoceV2Ipv6, Tagging::kUntagged));
}

TEST(Tshark, ReadsEveryOpcodeBehindAVlanTag) {
  for (const Encapsulation encapsulation :
       {Encapsulation::kRoceV1, Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6}) {
    expect_dissected(wire::LinkType::kEthernet, all_opcodes(encapsulation, Tagging::kTagged));
  }
}

TEST(Tshark, ReadsCongestionNotificationPackets) {
  RandomStream random(kSeed, "cnp");
  std::vector<SampleFrame> samples;
  for (const Encapsulation encapsulation : {Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6}) {
    samples.push_back(
        random_frame(random_headers(encapsulation, Tagging::kUntagged, random), wire::kOpcodeRoceCnp, 0, random));
  }
  expect_dissected(wire::LinkType::kEthernet, samples);
}

TEST(Tshark, ReadsTheBthOfWeftsOwnOpcodes) {
  RandomStream random(kSeed, "own");
  std::vector<SampleFrame> samples;
  for (unsigned opcode = 0xE0; opcode <= 0xFF; ++opcode) {
    if (wire::describe(static_cast<std::uint8_t>(opcode)).valid) {
      samples.push_back(random_frame(random_headers(Encapsulation::kRoceV2Ipv4, Tagging::kUntagged, random),
                                     static_cast<std::uint8_t>(opcode), 100, random));
    }
  }
  EXPECT_GT(samples.size(), 1U);
  expect_dissected(wire::LinkType::kEthernet, samples);
}

TEST(Tshark, ReadsPfcFrames) {
  RandomStream random(kSeed, "pfc");
  Trial trial;
  for (int i = 0; i < 20; ++i) {
    wire::PfcFrame pfc;
    pfc.source = {{0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(i)}};
    pfc.enabled = static_cast<std::uint8_t>(random.uniform(256));
    Expected expected{{"eth.dst", to_string(wire::PfcFrame::kDestination)},
                      {"eth.src", to_string(pfc.source)},
                      {"macc.opcode", std::uint64_t{wire::PfcFrame::kOpcode}},
                      {"macc.cbfc.enbv", std::uint64_t{pfc.enabled}}};
    for (std::size_t priority = 0; priority < wire::PfcFrame::kPriorities; ++priority) {
      pfc.quanta[priority] = static_cast<std::uint16_t>(random.next());
      expected[fmt::format("macc.cbfc.pause_time.c{}", priority)] = pfc.quanta[priority];
    }
    trial.packets.emplace_back(wire::PfcFrame::kSize);
    trial.names.push_back(fmt::format("PFC frame {}", i));
    pfc.emit(trial.packets.back());
    trial.expectations.push_back(std::move(expected));
  }
  expect_dissected(wire::LinkType::kEthernet, trial);
}

}  // namespace
}  // namespace weft::test
