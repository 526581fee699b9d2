// Records to a frame, to bytes, to a frame, to records: every opcode, every encapsulation, random fields.
#include "wire/packet_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "wire/encapsulation.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

constexpr std::array kAll{Encapsulation::kIbLocal, Encapsulation::kIbGlobal, Encapsulation::kRoceV1,
                          Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6};

bool is_infiniband(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::kIbLocal || encapsulation == Encapsulation::kIbGlobal;
}

/// Random records in the form that packet_codec.h describes, payload included.
class RandomPacket {
 public:
  RandomPacket(RandomStream& random, Encapsulation encapsulation, std::uint8_t opcode) : random_(random) {
    const auto& info = describe(opcode);
    packet.ib.opcode = opcode;
    packet.common.encapsulation = encapsulation;
    packet.common.payload_bytes = static_cast<std::uint16_t>(info.payload ? bits16() % 4097 : 0);
    payload = random_bytes(random, packet.common.payload_bytes);
    draw_common();
    draw_transport(info);
    packet.common.flags = info.atomic || info.sack ? kHasCold : 0;
    set_sizes(packet.common, opcode);
    draw_addresses();
  }

  Packet packet;
  ColdPacket cold{};
  ByteVector payload;
  Addresses addresses;

 private:
  [[nodiscard]] std::uint64_t bits64() const { return random_.next(); }
  [[nodiscard]] std::uint32_t bits32() const { return static_cast<std::uint32_t>(random_.next() >> 32); }
  [[nodiscard]] std::uint16_t bits16() const { return static_cast<std::uint16_t>(random_.next() >> 48); }
  [[nodiscard]] std::uint8_t bits8() const { return static_cast<std::uint8_t>(random_.next() >> 56); }

  void draw_common() {
    auto& common = packet.common;
    const bool infiniband = is_infiniband(common.encapsulation);
    common.priority = infiniband ? bits8() & 0x0F : 0;
    common.traffic_class = infiniband ? bits8() & 0x0F : bits8() & 0x3F;
    common.ecn = infiniband ? (bits8() % 2 == 0 ? Ecn::kCe : Ecn::kNotEct) : static_cast<Ecn>(bits8() % 4);
    common.entropy = common.encapsulation == Encapsulation::kIbLocal ? 0 : bits16();
    common.hop_limit = common.encapsulation == Encapsulation::kIbLocal ? 64 : bits8();
  }

  void draw_transport(const OpcodeInfo& info) {
    auto& ib = packet.ib;
    ib.psn = Psn(bits32());
    ib.destination_qp = bits32() & 0xFFFFFF;
    ib.partition_key = bits16();
    ib.flags = bits8() & (is_infiniband(packet.common.encapsulation) ? 0x17 : 0x1F);
    ib.immediate = info.immediate || info.invalidate || info.feth ? bits32() : 0;
    if (info.deth) {
      ib.deth = {.queue_key = bits32(), .source_qp = bits32() & 0xFFFFFF};
    }
    if (info.reth) {
      ib.reth = {.virtual_address = bits64(), .remote_key = bits32(), .dma_length = bits32()};
    }
    if (info.atomic) {
      ib.reth = {.virtual_address = bits64(), .remote_key = bits32(), .dma_length = 8};
      cold.atomic = {.swap_or_add = bits64(), .compare = bits64()};
    }
    if (info.aeth) {
      ib.aeth = {.original_data = info.atomic_ack ? bits64() : 0, .msn = Psn(bits32()), .syndrome = bits8()};
    }
    if (info.sack) {
      cold.sack = {.words = {bits64(), bits64()},
                   .base = Psn(bits32()),
                   .duplicate = bits64() % 2 == 0,
                   .marked = bits64() % 2 == 0};
    }
  }

  void draw_addresses() {
    for (auto* end : {&addresses.source, &addresses.destination}) {
      std::ranges::generate(end->mac.octets, [this] { return bits8(); });
      std::ranges::generate(end->ipv6.octets, [this] { return bits8(); });
      end->ipv4.value = bits32();
      end->lid = bits16();
    }
  }

  RandomStream& random_;
};

void expect_equal(const PacketCommon& a, const PacketCommon& b) {
  EXPECT_EQ(a.frame_bytes, b.frame_bytes);
  EXPECT_EQ(a.wire_bytes, b.wire_bytes);
  EXPECT_EQ(a.payload_bytes, b.payload_bytes);
  EXPECT_EQ(a.entropy, b.entropy);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.encapsulation, b.encapsulation);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.traffic_class, b.traffic_class);
  EXPECT_EQ(a.ecn, b.ecn);
  EXPECT_EQ(a.hop_limit, b.hop_limit);
  EXPECT_EQ(a.flags, b.flags);
}

void expect_equal(const IbTransportHeader& a, const IbTransportHeader& b) {
  const auto& info = describe(a.opcode);
  EXPECT_EQ(a.opcode, b.opcode);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.partition_key, b.partition_key);
  EXPECT_EQ(a.destination_qp, b.destination_qp);
  EXPECT_EQ(a.psn, b.psn);
  EXPECT_EQ(a.immediate, b.immediate);
  if (info.deth) {
    EXPECT_EQ(a.deth.queue_key, b.deth.queue_key);
    EXPECT_EQ(a.deth.source_qp, b.deth.source_qp);
  }
  if (info.reth || info.atomic) {
    EXPECT_EQ(a.reth.virtual_address, b.reth.virtual_address);
    EXPECT_EQ(a.reth.remote_key, b.reth.remote_key);
    EXPECT_EQ(a.reth.dma_length, b.reth.dma_length);
  }
  if (info.aeth) {
    EXPECT_EQ(a.aeth.original_data, b.aeth.original_data);
    EXPECT_EQ(a.aeth.msn, b.aeth.msn);
    EXPECT_EQ(a.aeth.syndrome, b.aeth.syndrome);
  }
}

void expect_round_trip(const RandomPacket& sent) {
  const auto frame = to_frame(sent.packet, sent.cold, sent.payload, sent.addresses);
  ByteVector bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  const auto link = is_infiniband(sent.packet.common.encapsulation) ? LinkType::kInfiniBand : LinkType::kEthernet;
  const auto read = parse_frame(link, bytes);
  ASSERT_TRUE(read.has_value()) << read.error().error.message;
  EXPECT_TRUE(icrc_ok(*read) && vcrc_ok(*read) && (!read->ipv4 || read->ipv4->checksum_ok()));
  EXPECT_TRUE(std::ranges::equal(read->payload, sent.payload));
  Packet packet;
  ColdPacket cold{};
  ASSERT_TRUE(from_frame(*read, packet, cold).has_value());
  expect_equal(packet.common, sent.packet.common);
  expect_equal(packet.ib, sent.packet.ib);
  EXPECT_EQ(cold.sack.words, sent.cold.sack.words);
  if (describe(sent.packet.ib.opcode).atomic) {  // else another member of the union may be the one that was written
    EXPECT_EQ(cold.atomic.swap_or_add, sent.cold.atomic.swap_or_add);
    EXPECT_EQ(cold.atomic.compare, sent.cold.atomic.compare);
  }
}

TEST(PacketCodec, EveryOpcodeSurvivesEveryEncapsulation) {
  RandomStream random(1, "packet codec");
  for (const auto encapsulation : kAll) {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      if (!has_record_form(static_cast<std::uint8_t>(opcode))) {
        continue;
      }
      for (int round = 0; round < 8; ++round) {
        const RandomPacket sent(random, encapsulation, static_cast<std::uint8_t>(opcode));
        expect_round_trip(sent);
        ASSERT_FALSE(::testing::Test::HasFailure()) << opcode_name(sent.packet.ib.opcode) << " " << int(encapsulation);
      }
    }
  }
}

TEST(PacketCodec, AddressesOfBothEndsStandInTheHeaders) {
  RandomStream random(1, "packet codec addresses");
  for (const auto encapsulation : kAll) {
    const RandomPacket sent(random, encapsulation, kOpcodeRoceCnp);
    const auto frame = to_frame(sent.packet, sent.cold, sent.payload, sent.addresses);
    const auto& [source, destination] = sent.addresses;
    if (frame.ethernet) {
      EXPECT_TRUE(frame.ethernet->source == source.mac && frame.ethernet->destination == destination.mac);
    }
    if (frame.lrh) {
      EXPECT_TRUE(frame.lrh->source_lid == source.lid && frame.lrh->destination_lid == destination.lid);
    }
    if (frame.grh) {
      EXPECT_TRUE(frame.grh->source == source.ipv6 && frame.grh->destination == destination.ipv6);
    }
    if (frame.ipv4) {
      EXPECT_TRUE(frame.ipv4->source == source.ipv4 && frame.ipv4->destination == destination.ipv4);
    }
    if (frame.ipv6) {
      EXPECT_TRUE(frame.ipv6->source == source.ipv6 && frame.ipv6->destination == destination.ipv6);
    }
    EXPECT_EQ(encapsulation_of(frame), encapsulation);
  }
}

/// With an LMC the low bits of the entropy say which LID of both ends the packet names.
TEST(PacketCodec, LidsOfAPacketAreThoseThatItsEntropyNames) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  packet.common.encapsulation = Encapsulation::kIbLocal;
  packet.common.entropy = 0xC00B;
  const Addresses addresses{.source = {.lid = 0x40, .lid_mask_control = 1},
                            .destination = {.lid = 0x80, .lid_mask_control = 3}};
  const RdmaFrame frame = to_frame(packet, {}, {}, addresses);
  EXPECT_EQ(frame.lrh->source_lid, 0x41);
  EXPECT_EQ(frame.lrh->destination_lid, 0x83);
}

/// A switch sets ECN in the record's common part; on InfiniBand that is the FECN bit.
TEST(PacketCodec, CongestionExperiencedIsFecnOnInfiniBandAndCeOnIp) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  packet.common.ecn = Ecn::kCe;
  packet.common.encapsulation = Encapsulation::kIbLocal;
  EXPECT_TRUE(to_frame(packet, {}, {}, {}).bth.fecn);
  packet.common.encapsulation = Encapsulation::kRoceV2Ipv4;
  const auto roce = to_frame(packet, {}, {}, {});
  EXPECT_FALSE(roce.bth.fecn);
  EXPECT_EQ(roce.ipv4->ecn, Ecn::kCe);
}

TEST(PacketCodec, LengthsAloneStandForZeroBytes) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  packet.common.payload_bytes = 4096;
  const auto frame = to_frame(packet, {}, {}, {});
  EXPECT_EQ(frame.payload.size(), 4096U);
  EXPECT_TRUE(std::ranges::all_of(frame.payload, [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(PacketCodec, ReadingLeavesWhatNoHeaderCarries) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  const auto frame = to_frame(packet, {}, {}, {});
  packet.common.source = EndpointId(1);
  packet.common.flow_hash = 2;
  packet.common.cold = 3;
  packet.common.hop_scratch = 4;
  packet.common.flags = kControl | kHasCold;
  ColdPacket cold;
  ASSERT_TRUE(from_frame(frame, packet, cold).has_value());
  EXPECT_EQ(packet.common.source, EndpointId(1));
  EXPECT_EQ(packet.common.flow_hash, 2U);
  EXPECT_EQ(packet.common.cold, 3U);
  EXPECT_EQ(packet.common.hop_scratch, 4);
  EXPECT_EQ(packet.common.flags, kControl);
}

TEST(PacketCodec, RefusesServicesWithoutARecord) {
  RdmaFrame frame;
  frame.lrh.emplace();
  frame.bth.opcode = make_opcode(Service::kRd, Operation::kSendOnly);
  Packet packet;
  ColdPacket cold;
  EXPECT_EQ(from_frame(frame, packet, cold).error().message, "RD SEND Only is not one of the services RC, UC, UD");
  frame.lrh.reset();
  EXPECT_EQ(from_frame(frame, packet, cold).error().message,
            "frame has no link or network header: its encapsulation is unknown");
}

}  // namespace
}  // namespace weft::wire
