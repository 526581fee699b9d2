// Connection management against a session of Linux's soft-RoCE; the expected values are Wireshark's reading of it.
#include "wire/cm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/test_paths.h"
#include "wire/frame.h"
#include "wire/pcap_reader.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

constexpr std::uint32_t kClientId = 0x5B88708E;
constexpr std::uint32_t kServerId = 0xB8DD3E5C;
constexpr std::uint64_t kClientGuid = 0x505400FFFE000002;
constexpr std::uint64_t kServerGuid = 0x505400FFFE000001;

/// The MADs of the captured session, one a packet.
std::vector<ByteVector> captured_mads() {
  auto reader = PcapReader::open(std::string(test_data_dir()) + "/captures/rxe_cm_mad_qp1.pcap");
  WEFT_ASSERT(reader.has_value());
  std::vector<ByteVector> mads;
  while (true) {
    const auto packet = reader->next();
    WEFT_ASSERT(packet.has_value());
    if (!*packet) {
      return mads;
    }
    const auto frame = parse_frame(LinkType::kEthernet, (*packet)->bytes);
    WEFT_ASSERT(frame.has_value() && frame->payload.size() == kMadSize);
    mads.emplace_back(frame->payload.begin(), frame->payload.end());
  }
}

template <class Message>
Message captured(std::size_t packet) {
  const auto datagram = CmDatagram::parse(captured_mads().at(packet));
  WEFT_ASSERT(datagram.has_value());
  return std::get<Message>(datagram->message);
}

TEST(Cm, CapturedMessagesAreEmittedAsTheyWere) {
  int messages = 0;
  for (const auto& mad : captured_mads()) {
    if (const auto datagram = CmDatagram::parse(mad)) {
      ++messages;
      EXPECT_EQ(emitted(*datagram), mad);
      EXPECT_EQ(CmDatagram::of(datagram->message).header.attribute_id, datagram->header.attribute_id);
    }
  }
  EXPECT_EQ(messages, 10);
}

//= ibta-1.7 12.6.5
TEST(Cm, ReadsACapturedRequest) {
  const auto req = captured<CmReq>(0);
  EXPECT_EQ(req.local_communication_id, kClientId);
  EXPECT_EQ(req.service_id, 0x0000000001061C06U);
  EXPECT_EQ(req.local_ca_guid, kClientGuid);
  EXPECT_EQ(req.local_qp, 0x1BU);
  EXPECT_EQ(req.responder_resources, 1);
  EXPECT_EQ(req.initiator_depth, 1);
  EXPECT_EQ(req.remote_response_timeout, 0x14);
  EXPECT_EQ(req.starting_psn, Psn(0x8A8BF8));
  EXPECT_EQ(req.local_response_timeout, 0x14);
  EXPECT_EQ(req.retry_count, 7);
  EXPECT_EQ(req.partition_key, 0xFFFF);
  EXPECT_EQ(req.path_mtu, 3);
  EXPECT_EQ(req.rnr_retry_count, 7);
  EXPECT_EQ(req.max_cm_retries, 15);
  EXPECT_FALSE(req.flow_control || req.rdc_exists || req.shared_receive_queue);
  EXPECT_EQ(req.alternate, CmPath{});
}

//= ibta-1.7 12.6.5
TEST(Cm, ReadsThePrimaryPathOfACapturedRequest) {
  const auto path = captured<CmReq>(0).primary;
  EXPECT_EQ(path.local_lid, 0xFFFF);
  EXPECT_EQ(path.remote_lid, 0xFFFF);
  EXPECT_EQ(path.local_gid, gid_of(Ipv4Address{0x0A000002}));
  EXPECT_EQ(path.remote_gid, gid_of(Ipv4Address{0x0A000001}));
  // The word is 02 97 60 00: 20 bits of flow label, 6 reserved, 6 of rate. Wireshark 4.0 shows other numbers here.
  EXPECT_EQ(path.flow_label, 0x02976U);
  EXPECT_EQ(path.packet_rate, 0);
  EXPECT_EQ(path.hop_limit, 0x40);
  EXPECT_EQ(path.local_ack_timeout, 0x13);
}

//= ibta-1.7 12.6.8
TEST(Cm, ReadsACapturedReply) {
  auto rep = captured<CmRep>(1);
  rep.private_data = {};
  EXPECT_EQ(rep, (CmRep{.local_communication_id = kServerId,
                        .remote_communication_id = kClientId,
                        .local_qp = 0x1B,
                        .starting_psn = Psn(0xFA84FC),
                        .responder_resources = 1,
                        .initiator_depth = 1,
                        .target_ack_delay = 15,
                        .rnr_retry_count = 7,
                        .local_ca_guid = kServerGuid}));
}

//= ibta-1.7 12.6.9
//= ibta-1.7 12.6.10
//= ibta-1.7 12.6.11
TEST(Cm, ReadsTheRestOfACapturedSession) {
  const auto rtu = captured<CmRtu>(2);
  EXPECT_EQ(rtu.local_communication_id, kClientId);
  EXPECT_EQ(rtu.remote_communication_id, kServerId);
  const auto dreq = captured<CmDreq>(3);
  EXPECT_EQ(dreq.local_communication_id, kClientId);
  EXPECT_EQ(dreq.remote_qp, 0x1BU);
  const auto drep = captured<CmDrep>(4);
  EXPECT_EQ(drep.local_communication_id, kServerId);
  EXPECT_EQ(drep.remote_communication_id, kClientId);
}

//= ibta-1.7 12.6.7
TEST(Cm, RejectHasItsFieldsInWireOrder) {
  const CmRej rej{
      .local_communication_id = 1, .remote_communication_id = 2, .message = 1, .additional_length = 72, .reason = 28};
  const auto bytes = emitted(rej);
  EXPECT_EQ(ByteVector(bytes.begin(), bytes.begin() + 12), bytes_of("00000001 00000002 40 90 001C"));
}

//= ibta-1.7 12.6.6
TEST(Cm, ReceiptAcknowledgementHasItsFieldsInWireOrder) {
  const CmMra mra{.local_communication_id = 1, .remote_communication_id = 2, .message = 1, .service_timeout = 20};
  const auto bytes = emitted(mra);
  EXPECT_EQ(ByteVector(bytes.begin(), bytes.begin() + 10), bytes_of("00000001 00000002 40 A0"));
}

TEST(Cm, RefusesWhatItDoesNotKnow) {
  auto datagram = CmDatagram::of(CmRtu{});
  datagram.header.attribute_id = 0x17;
  EXPECT_EQ(CmDatagram::parse(emitted(datagram)).error().message,
            "connection management attribute is 0x0017, known are 0x0010 (REQ) to 0x0016 (DREP)");
  datagram.header.method = kMethodGet;
  EXPECT_EQ(CmDatagram::parse(emitted(datagram)).error().message,
            "method of connection management is 0x01, must be 0x03 (Send)");
  datagram.header.class_version = 1;
  EXPECT_EQ(CmDatagram::parse(emitted(datagram)).error().message,
            "management class is 0x07 version 1, connection management has 0x07 version 2");
}

TEST(Cm, RefusesMoreAdditionalInformationThanThereIsRoomFor) {
  EXPECT_EQ(CmRej::parse(emitted(CmRej{.additional_length = 73})).error().message,
            "CM REJ has 73 bytes of additional information, at most 72");
}

}  // namespace
}  // namespace weft::wire
