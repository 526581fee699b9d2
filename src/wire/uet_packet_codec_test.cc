// Records of Ultra Ethernet to a frame, to bytes, to a frame, to records: every type and SES header with a record form,
// every encapsulation, random fields.
#include "wire/uet_packet_codec.h"

#include <gtest/gtest.h>

#include "wire/encapsulation.h"
#include "wire/test_bytes.h"
#include "wire/uet/test_uet_frames.h"
#include "wire/uet_job_record.h"

namespace weft::wire {
namespace {

constexpr Encapsulation kUetEncapsulations[] = {Encapsulation::kUetUdpIpv4, Encapsulation::kUetUdpIpv6,
                                                Encapsulation::kUetIpv4, Encapsulation::kUetIpv6};

/// A record with the memory that it needs.
struct Sample {
  Packet packet;
  ColdPacket cold{};
  ByteVector payload;
};

class SampleMaker {
 public:
  explicit SampleMaker(RandomStream& random) : random_(random) {}

  Sample common(Encapsulation encapsulation) {
    Sample sample;
    sample.packet.uet = UetHeader{};
    PacketCommon& common = sample.packet.common;
    common.kind = PacketKind::kUet;
    common.encapsulation = encapsulation;
    common.traffic_class = static_cast<std::uint8_t>(random_.uniform(64));
    common.ecn = static_cast<Ecn>(random_.uniform(4));
    common.entropy = bits16();
    common.hop_limit = static_cast<std::uint8_t>(1 + random_.uniform(255));
    return sample;
  }

  Sample request(Encapsulation encapsulation, UetType type, UetNextHeader next, UetOperation operation) {
    Sample sample = common(encapsulation);
    UetHeader& header = sample.packet.uet;
    header.type = type;
    header.psn = bits32();
    header.flags = static_cast<std::uint8_t>(random_.uniform(8) << 2);
    if (type == UetType::kUudRequest || type == UetType::kRudiRequest) {
      header.flags &= type == UetType::kRudiRequest ? kUetRetransmit : 0;
      header.psn = type == UetType::kUudRequest ? 0 : header.psn;
    } else {
      header.source_pdc = bits16();
      const bool syn = header.has(kUetSyn);
      header.destination_pdc = syn ? std::uint16_t{0} : bits16();
      header.psn_offset = static_cast<std::int16_t>(syn ? bits16() & 0xFFF : bits16());
    }
    sample.cold.uet = UetExtension{};
    if (has_congestion_context(type)) {
      sample.packet.common.flags = kHasCold;
      sample.cold.uet.credit_target = bits32() & 0xFFFFFF;
    }
    if (next != UetNextHeader::kNone) {
      fill_request(sample, next, operation);
    }
    return sample;
  }

  Sample answer(Encapsulation encapsulation, UetNextHeader next) {
    Sample sample = request(encapsulation, UetType::kRudRequest, UetNextHeader::kNone, UetOperation::kNoOperation);
    UetHeader& header = sample.packet.uet;
    header.set_target(next, bits32() & 0xFFFFFF);
    header.request.message_id = bits16();
    header.request.memory_key = static_cast<std::uint32_t>(random_.uniform(0x25));
    sample.packet.common.flags = kHasCold;
    sample.cold.uet = UetExtension{};
    sample.cold.uet.length = bits32();
    if (next == UetNextHeader::kResponseData) {
      header.request.buffer_offset = bits32();
      set_payload(sample, random_.uniform(1'000));
      if (sample.payload.size() == 8) {
        std::memcpy(&sample.cold.uet.header_data, sample.payload.data(), 8);
      }
    }
    return sample;
  }

  Sample ack(Encapsulation encapsulation, UetType type, bool answers) {
    Sample sample = common(encapsulation);
    UetHeader& header = sample.packet.uet;
    header.type = type;
    header.flags =
        static_cast<std::uint8_t>(random_.uniform(4) << 1 | (random_.uniform(2) << 4) | (random_.uniform(2) << 5));
    header.psn = bits32();
    header.psn_offset = static_cast<std::int16_t>(bits16());
    if (random_.uniform(3) == 0) {
      header.flags |= kUetProbeReply;
    }
    header.source_pdc = bits16();
    header.destination_pdc = bits16();
    if (type != UetType::kAck) {
      header.cc_type = static_cast<std::uint8_t>(random_.uniform(2));
      header.mpr_or_header = static_cast<std::uint8_t>(bits16());
      header.sack_offset = static_cast<std::int16_t>(bits16());
      header.ack = {.sack_bitmap = random_.next(), .cc_state = random_.next()};
    }
    if (answers) {
      sample.packet.common.flags = kHasCold;
      UetExtension& extension = sample.cold.uet = UetExtension{};
      extension.length = bits32();
      extension.job = bits32() & 0xFFFFFF;
      extension.message_id = bits16();
      extension.return_code = static_cast<std::uint8_t>(random_.uniform(0x25));
    }
    return sample;
  }

  Sample notice(Encapsulation encapsulation, UetType type) {
    Sample sample = common(encapsulation);
    UetHeader& header = sample.packet.uet;
    header.type = type;
    header.psn = bits32();
    header.source_pdc = bits16();
    header.destination_pdc = bits16();
    const bool control = type == UetType::kControl;
    // Not as a whole: the bytes behind it stay zeros.
    header.notice.payload = bits32();
    header.notice.code = static_cast<std::uint8_t>(random_.uniform(control ? 10 : 0x1B));
    if (control) {
      header.flags = static_cast<std::uint8_t>(random_.uniform(16) << 2);
      header.psn_offset = static_cast<std::int16_t>(bits16());
      if (header.has(kUetSyn)) {
        header.destination_pdc = 0;
        header.psn_offset = static_cast<std::int16_t>(bits16() & 0xFFF);
      }
    } else {
      header.flags = static_cast<std::uint8_t>(random_.uniform(8) << 3);
    }
    return sample;
  }

 private:
  std::uint16_t bits16() { return static_cast<std::uint16_t>(random_.next()); }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(random_.next()); }

  void set_payload(Sample& sample, std::uint64_t bytes) {
    sample.packet.common.payload_bytes = static_cast<std::uint16_t>(bytes);
    sample.payload = random_bytes(random_, bytes);
  }

  void fill_request(Sample& sample, UetNextHeader next, UetOperation operation) {
    UetHeader& header = sample.packet.uet;
    UetRequestFields& request = header.request;
    UetExtension& extension = sample.cold.uet;
    header.set_target(next, bits32() & 0xFFFFFF);
    request.operation = static_cast<std::uint8_t>(operation);
    request.ses_flags = static_cast<std::uint8_t>(random_.uniform(64));
    request.buffer_offset = random_.next();
    sample.packet.common.flags = kHasCold;
    extension.job = bits32() & 0xFFFFFF;
    if (!uet::is_atomic(operation)) {
      set_generation(extension, static_cast<std::uint8_t>(random_.next()));
    }
    if (uet::is_rendezvous(operation)) {
      set_rendezvous(sample.cold, {.eager_length = bits32(),
                                   .index_generation = static_cast<std::uint8_t>(random_.next()),
                                   .pid_on_fep = static_cast<std::uint16_t>(bits16() & 0xFFF),
                                   .resource_index = static_cast<std::uint16_t>(bits16() & 0xFFF),
                                   .read_offset = random_.next(),
                                   .read_memory_key = random_.next()});
    }
    if (uet::is_atomic(operation)) {
      extension.atomic_code = static_cast<std::uint8_t>(random_.uniform(21));
      extension.operand = random_.next();
      extension.compare =
          has_two_operands(static_cast<uet::AtomicOperation>(extension.atomic_code)) ? random_.next() : 0;
    } else if (operation != UetOperation::kRead) {
      set_payload(sample, random_.uniform(2'000));
    }
    extension.length = operation == UetOperation::kRead ? bits16() & 0x3FFF : sample.packet.common.payload_bytes;
    if (next == UetNextHeader::kRequestSmall) {
      return;
    }
    request.memory_key = bits32();
    request.message_id = bits16();
    if (has_match_bits(operation)) {
      set_match_bits(header, extension, random_.next());
    }
    extension.initiator = bits32();
    if (next == UetNextHeader::kRequestMedium) {
      if (has_match_bits(operation)) {
        request.message_id = static_cast<std::uint16_t>(match_bits_of(header, extension) >> 48);
      }
      if (header.has_ses(kUetHeaderData)) {
        extension.header_data = request.buffer_offset;
        request.buffer_offset = 0;
      }
      return;
    }
    extension.length = bits32();
    if (header.has_ses(kUetStartOfMessage)) {
      extension.header_data = header.has_ses(kUetHeaderData) ? random_.next() : 0;
    } else {
      extension.offset = bits32();
    }
    if (operation == UetOperation::kReadyToRestart) {
      set_restart(sample.cold, {.initiator = bits32(), .target = request.memory_key});
    } else if (uet::is_deferrable(operation)) {
      set_restart(sample.cold, {.initiator = bits32(), .target = bits32()});
      request.buffer_offset = extension.offset;
    }
  }

  RandomStream& random_;
};

Addresses some_addresses() {
  return {.source = {.mac = {{2, 0, 0, 0, 0, 1}}, .ipv4 = {0x0A000001}, .ipv6 = {{0xFE, 0x80, 1}}},
          .destination = {.mac = {{2, 0, 0, 0, 0, 2}}, .ipv4 = {0x0A000002}, .ipv6 = {{0xFE, 0x80, 2}}}};
}

void expect_same_extension(const UetExtension& read, const UetExtension& sent) {
  EXPECT_EQ(read.header_data, sent.header_data);
  EXPECT_EQ(read.operand, sent.operand);
  EXPECT_EQ(read.compare, sent.compare);
  EXPECT_EQ(read.credit_target, sent.credit_target);
  EXPECT_EQ(read.length, sent.length);
  EXPECT_EQ(read.initiator, sent.initiator);
  EXPECT_EQ(read.offset, sent.offset);
  EXPECT_EQ(read.job, sent.job);
  EXPECT_EQ(read.message_id, sent.message_id);
  EXPECT_EQ(read.return_code, sent.return_code);
  EXPECT_EQ(read.atomic_code, sent.atomic_code);
}

void expect_round_trip(const Sample& sent, const std::string& what) {
  SCOPED_TRACE(what);
  const uet::UetFrame frame = to_uet_frame(sent.packet, sent.cold, sent.payload, some_addresses());
  ByteVector bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  const uet::UetFrameResult parsed = uet::parse_uet_frame(bytes);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().error.message;
  EXPECT_TRUE(crc_ok(*parsed));
  Packet read;
  ColdPacket cold;
  const Result<void> result = from_uet_frame(*parsed, read, cold);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const PacketCommon& common = read.common;
  EXPECT_EQ(common.kind, PacketKind::kUet);
  EXPECT_EQ(common.encapsulation, sent.packet.common.encapsulation);
  EXPECT_EQ(common.payload_bytes, sent.packet.common.payload_bytes);
  EXPECT_EQ(common.traffic_class, sent.packet.common.traffic_class);
  EXPECT_EQ(common.ecn, sent.packet.common.ecn);
  EXPECT_EQ(common.entropy, sent.packet.common.entropy);
  EXPECT_EQ(common.hop_limit, sent.packet.common.hop_limit);
  // A captured frame is without FCS, and Ethernet pads short ones.
  EXPECT_EQ(common.frame_bytes, bytes.size() + 4);
  EXPECT_EQ(std::memcmp(&read.uet, &sent.packet.uet, sizeof(UetHeader)), 0);
  EXPECT_EQ(read.has(kHasCold), sent.packet.has(kHasCold));
  if (read.has(kHasCold)) {
    expect_same_extension(cold.uet, sent.cold.uet);
    EXPECT_EQ(cold.sack.words, sent.cold.sack.words);
  }
  const auto payload = parsed->payload.first(common.payload_bytes);
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), sent.payload.begin(), sent.payload.end()));
}

TEST(UetPacketCodec, RequestsComeBackAsTheyWere) {
  RandomStream random(1, "uet codec");
  SampleMaker maker(random);
  for (int round = 0; round < 20; ++round) {
    for (const Encapsulation encapsulation : kUetEncapsulations) {
      for (const UetType type : {UetType::kRudRequest, UetType::kRodRequest, UetType::kRudCcRequest,
                                 UetType::kRodCcRequest, UetType::kRudiRequest, UetType::kUudRequest}) {
        for (const UetNextHeader next :
             {UetNextHeader::kRequestSmall, UetNextHeader::kRequestMedium, UetNextHeader::kRequestStandard}) {
          for (const UetOperation operation :
               {UetOperation::kNoOperation, UetOperation::kWrite, UetOperation::kRead, UetOperation::kSend,
                UetOperation::kTaggedSend, UetOperation::kAtomic, UetOperation::kFetchingAtomic,
                UetOperation::kDeferrableSend, UetOperation::kDeferrableTaggedSend, UetOperation::kRendezvousSend,
                UetOperation::kRendezvousTaggedSend, UetOperation::kReadyToRestart, UetOperation::kMessageError}) {
            expect_round_trip(maker.request(encapsulation, type, next, operation),
                              fmt::format("{} {} {}", to_string(type), to_string(next), to_string(operation)));
          }
        }
        expect_round_trip(maker.request(encapsulation, type, UetNextHeader::kNone, UetOperation::kNoOperation),
                          "without SES");
      }
    }
  }
}

TEST(UetPacketCodec, AnswersAndNoticesComeBackAsTheyWere) {
  RandomStream random(2, "uet codec");
  SampleMaker maker(random);
  for (int round = 0; round < 200; ++round) {
    for (const Encapsulation encapsulation : kUetEncapsulations) {
      expect_round_trip(maker.answer(encapsulation, UetNextHeader::kResponse), "response");
      expect_round_trip(maker.answer(encapsulation, UetNextHeader::kResponseData), "response with data");
      for (const UetType type : {UetType::kAck, UetType::kAckCc, UetType::kAckCcx}) {
        expect_round_trip(maker.ack(encapsulation, type, false), "ACK");
        expect_round_trip(maker.ack(encapsulation, type, true), "ACK with a response");
      }
      for (const UetType type : {UetType::kNack, UetType::kNackCcx, UetType::kControl}) {
        expect_round_trip(maker.notice(encapsulation, type), "notice");
      }
    }
  }
}

// Whatever anybody sends: either it has no record form, or the record says all that a second frame of it does.
TEST(UetPacketCodec, EveryFrameHasARecordThatStaysTheSameOrNone) {
  RandomStream random(3, "uet codec");
  int with_form = 0;
  int without = 0;
  for (int round = 0; round < 20; ++round) {
    for (const uet::UetForm form : uet::kUetForms) {
      for (const uet::SampleUetFrame& sample : uet::sample_uet_frames(form, random)) {
        SCOPED_TRACE(sample.name);
        const ByteVector bytes = sample.bytes();
        const uet::UetFrameResult parsed = uet::parse_uet_frame(bytes);
        ASSERT_TRUE(parsed.has_value());
        Sample first;
        if (const Result<void> read = from_uet_frame(*parsed, first.packet, first.cold); !read) {
          EXPECT_FALSE(read.error().message.empty());
          ++without;
          continue;
        }
        ++with_form;
        first.payload.assign(parsed->payload.begin(), parsed->payload.begin() + first.packet.common.payload_bytes);
        expect_round_trip(first, sample.name);
      }
    }
  }
  EXPECT_GT(with_form, 2'000);
  EXPECT_GT(without, 200);
}

TEST(UetPacketCodec, BufferOffsetOnTheWireIsTheMessages) {
  RandomStream random(4, "uet codec");
  Sample sample = SampleMaker(random).request(Encapsulation::kUetUdpIpv4, UetType::kRudRequest,
                                              UetNextHeader::kRequestStandard, UetOperation::kWrite);
  sample.packet.uet.request.ses_flags = kUetEndOfMessage;
  sample.packet.uet.request.buffer_offset = 0x10'0000 + 8'192;
  sample.cold.uet.offset = 8'192;
  sample.cold.uet.length = 9'000;
  const uet::UetFrame frame = uet_transport_frame(sample.packet, sample.cold, sample.payload);
  const auto& request = std::get<uet::SesStandardRequest>(frame.ses.header);
  EXPECT_EQ(request.buffer_offset, 0x10'0000U);
  EXPECT_EQ(request.message_offset, 8'192U);
  EXPECT_EQ(request.request_length, 9'000U);
  EXPECT_EQ(request.payload_length.bytes, sample.payload.size());
  // A record without the cold half says the same place.
  sample.packet.common.flags = 0;
  const uet::UetFrame bare = uet_transport_frame(sample.packet, sample.cold, sample.payload);
  EXPECT_EQ(std::get<uet::SesStandardRequest>(bare.ses.header).buffer_offset, 0x10'0000U + 8'192U);
}

TEST(UetPacketCodec, AResponseNamesItsTargetByTheRequestsJob) {
  RandomStream random(5, "uet codec");
  Sample sample = SampleMaker(random).answer(Encapsulation::kUetUdpIpv4, UetNextHeader::kResponseData);
  sample.packet.uet.set_target(UetNextHeader::kResponseData, 0xABCDEF);
  const uet::UetFrame frame = uet_transport_frame(sample.packet, sample.cold, sample.payload);
  EXPECT_EQ(std::get<uet::SesDataResponse>(frame.ses.header).job_id, 0xABCDEFU);
}

TEST(UetPacketCodec, MediumHeadersCarryTheMessageIdAboveTheKey) {
  RandomStream random(6, "uet codec");
  Sample sample = SampleMaker(random).request(Encapsulation::kUetUdpIpv4, UetType::kRudRequest,
                                              UetNextHeader::kRequestMedium, UetOperation::kWrite);
  sample.packet.uet.request.message_id = 0x1234;
  sample.packet.uet.request.memory_key = 0x89ABCDEF;
  const uet::UetFrame frame = uet_transport_frame(sample.packet, sample.cold, sample.payload);
  EXPECT_EQ(std::get<uet::SesMediumRequest>(frame.ses.header).memory_key, 0x1234'0000'89AB'CDEFU);
}

//= uet-1.0 3.4
TEST(UetPacketCodec, FieldsOfJobsStandWhereTheHeadersHaveThem) {
  RandomStream random(8, "uet codec");
  const auto standard = [&random](UetOperation operation, auto change) {
    Sample sample = SampleMaker(random).request(Encapsulation::kUetUdpIpv4, UetType::kRudRequest,
                                                UetNextHeader::kRequestStandard, operation);
    sample.packet.uet.request.ses_flags = kUetRelative;  // not the first packet
    change(sample);
    return uet_transport_frame(sample.packet, sample.cold, sample.payload).ses;
  };
  const uet::Ses tagged = standard(UetOperation::kTaggedSend, [](Sample& sample) {
    set_match_bits(sample.packet.uet, sample.cold.uet, 0x0123'4567'89AB'CDEF);
    set_generation(sample.cold.uet, 0x5A);
  });
  EXPECT_EQ(std::get<uet::SesStandardRequest>(tagged.header).memory_key, 0x0123'4567'89AB'CDEFU);
  EXPECT_EQ(std::get<uet::SesStandardRequest>(tagged.header).target.index_generation, 0x5A);

  const uet::RestartToken token{.initiator = 0x1111'2222, .target = 0x3333'4444};
  const uet::Ses deferrable = standard(UetOperation::kDeferrableTaggedSend, [&](Sample& sample) {
    set_restart(sample.cold, token);
    sample.packet.uet.request.buffer_offset = 8'192;
  });
  EXPECT_EQ(std::get<uet::SesStandardRequest>(deferrable.header).buffer_offset, token.pack());
  EXPECT_EQ(std::get<uet::SesStandardRequest>(deferrable.header).message_offset, 8'192U);
  const uet::Ses restart =
      standard(UetOperation::kReadyToRestart, [&](Sample& sample) { set_restart(sample.cold, token); });
  EXPECT_EQ(std::get<uet::SesStandardRequest>(restart.header).memory_key, token.pack());

  const uet::SesRendezvous rest{.eager_length = 1'500,
                                .index_generation = 3,
                                .pid_on_fep = 0xABC,
                                .resource_index = 0xDEF,
                                .read_offset = 0x0102'0304'0506'0708,
                                .read_memory_key = 0x1112'1314'1516'1718};
  const uet::Ses rendezvous = standard(UetOperation::kRendezvousTaggedSend, [&](Sample& sample) {
    set_generation(sample.cold.uet, 7);
    set_rendezvous(sample.cold, rest);
  });
  EXPECT_EQ(rendezvous.extensions.rendezvous, rest);
  EXPECT_EQ(std::get<uet::SesStandardRequest>(rendezvous.header).target.index_generation, 7);
}

TEST(UetPacketCodec, LengthsAloneAreWrittenAsZerosAndAnAtomicsResultAsItIs) {
  RandomStream random(7, "uet codec");
  Sample sample = SampleMaker(random).answer(Encapsulation::kUetUdpIpv4, UetNextHeader::kResponseData);
  sample.packet.common.payload_bytes = 8;
  sample.cold.uet.header_data = 0x0102030405060708;
  const uet::UetFrame frame = uet_transport_frame(sample.packet, sample.cold, {});
  ASSERT_EQ(frame.payload.size(), 8U);
  EXPECT_EQ(std::memcmp(frame.payload.data(), &sample.cold.uet.header_data, 8), 0);
  sample.packet.common.payload_bytes = 100;
  const uet::UetFrame zeros = uet_transport_frame(sample.packet, sample.cold, {});
  EXPECT_EQ(zeros.payload.size(), 100U);
  EXPECT_TRUE(std::ranges::all_of(zeros.payload, [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(UetPacketCodec, SaysWhatHasNoRecordForm) {
  const auto error_of = [](const std::optional<uet::PdsHeader>& pds, const uet::Ses& ses) {
    uet::UetFrame frame;
    frame.ipv4 = Ipv4Header{};
    frame.udp = UdpHeader{};
    frame.pds = pds;
    frame.ses = ses;
    Packet packet;
    ColdPacket cold;
    const Result<void> read = from_uet_frame(frame, packet, cold);
    return read ? std::string() : read.error().message;
  };
  using uet::NextHeader;
  EXPECT_NE(error_of(std::nullopt, {}).find("TSS"), std::string::npos);
  EXPECT_NE(error_of(uet::PdsAck{.epsn = true}, {}).find("expected PSN"), std::string::npos);
  EXPECT_NE(error_of(uet::PdsAck{.next_header = NextHeader::kResponseData}, {.header = uet::SesDataResponse{}})
                .find("behind ACK"),
            std::string::npos);
  EXPECT_NE(error_of(uet::PdsNack{.next_header = NextHeader::kRequestMedium}, {.header = uet::SesMediumRequest{}})
                .find("behind NACK"),
            std::string::npos);
  EXPECT_NE(
      error_of(uet::PdsRequest{.next_header = NextHeader::kResponseDataSmall}, {.header = uet::SesSmallDataResponse{}})
          .find("small response"),
      std::string::npos);
  uet::Ses synchronizing{.header = uet::SesStandardRequest{}};
  synchronizing.extensions.sync = uet::SesSync{};
  EXPECT_NE(error_of(uet::PdsRequest{}, synchronizing).find("synchronization"), std::string::npos);
  uet::Ses atomic{.header = uet::SesStandardRequest{}};
  atomic.extensions.atomic = uet::SesAtomic{};
  EXPECT_NE(error_of(uet::PdsRequest{}, atomic).find("has 0 bytes"), std::string::npos);
  EXPECT_NE(error_of(uet::PdsRequest{.next_header = static_cast<NextHeader>(9)}, {}).find("next header 9"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::wire
