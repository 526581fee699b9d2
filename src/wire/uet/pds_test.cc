// PDS headers: known bytes both ways. Short input, reserved bits and random bytes are in header_properties_test.cc.
#include "wire/uet/pds.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire::uet {
namespace {

template <class Header>
void expect_both_ways(std::string_view hex, const Header& header) {
  const ByteVector bytes = bytes_of(hex);
  const Result<Header> parsed = Header::parse(bytes);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_TRUE(*parsed == header) << hex;
  EXPECT_EQ(header.size(), bytes.size());
  EXPECT_EQ(emitted(header, header.size()), bytes);
}

//= uet-1.0 3.5.10
TEST(UetPds, SynRequestHasThePsnOffsetInPlaceOfTheDestination) {
  // Type 2, next header 3, AR and SYN: 00010 0011 0001100.
  expect_both_ways("118C FFFE 00001003 0102 8003", PdsRequest{.type = PdsType::kRudRequest,
                                                              .next_header = NextHeader::kRequestStandard,
                                                              .ack_request = true,
                                                              .syn = true,
                                                              .clear_psn_offset = -2,
                                                              .psn = 0x1003,
                                                              .source_pdc = 0x0102,
                                                              .pdc_info = {.use_reserved_pdc = true, .psn_offset = 3}});
}

//= uet-1.0 3.5.10
TEST(UetPds, RequestOfAKnownContextHasBothIds) {
  expect_both_ways("1990 0001 FFFFFFFF 0A0B 0C0D", PdsRequest{.type = PdsType::kRodRequest,
                                                              .next_header = NextHeader::kRequestStandard,
                                                              .retransmitted = true,
                                                              .clear_psn_offset = 1,
                                                              .psn = 0xFFFFFFFF,
                                                              .source_pdc = 0x0A0B,
                                                              .destination_pdc = 0x0C0D});
}

//= uet-1.0 3.5.10
TEST(UetPds, RequestWithCongestionContextIsFourBytesLonger) {
  expect_both_ways("6880 0000 00000005 0001 0002 07 ABCDEF", PdsRequest{.type = PdsType::kRudCcRequest,
                                                                        .next_header = NextHeader::kRequestSmall,
                                                                        .psn = 5,
                                                                        .source_pdc = 1,
                                                                        .destination_pdc = 2,
                                                                        .ccc_id = 7,
                                                                        .credit_target = 0xABCDEF});
}

TEST(UetPds, PsnOffsetsWrap) {
  EXPECT_EQ((PdsRequest{.clear_psn_offset = -2, .psn = 1}).clear_psn(), 0xFFFFFFFF);
  EXPECT_EQ((PdsAck{.ack_psn_offset = 3, .cumulative_psn = 0xFFFFFFFE}).ack_psn(), 1U);
  EXPECT_EQ((PdsAck{.cumulative_psn = 5, .sack_psn_offset = -6}).sack_base_psn(), 0xFFFFFFFF);
}

//= uet-1.0 3.5.10
TEST(UetPds, RudiAndUudHaveNoContext) {
  expect_both_ways(
      "2180 0000 DEADBEEF",
      PdsRudi{.type = PdsType::kRudiRequest, .next_header = NextHeader::kRequestStandard, .packet_id = 0xDEADBEEF});
  expect_both_ways(
      "2A20 0000 00000007",
      PdsRudi{.type = PdsType::kRudiResponse, .next_header = NextHeader::kResponse, .marked = true, .packet_id = 7});
  expect_both_ways("3080 0000", PdsUud{.next_header = NextHeader::kRequestSmall});
}

//= uet-1.0 3.5.10
TEST(UetPds, AckSaysWhatHasArrivedAndWhatTheTargetAsks) {
  expect_both_ways("3A22 0002 00000009 0003 0004", PdsAck{.next_header = NextHeader::kResponse,
                                                          .marked = true,
                                                          .request = AckRequest::kClear,
                                                          .ack_psn_offset = 2,
                                                          .cumulative_psn = 9,
                                                          .source_pdc = 3,
                                                          .destination_pdc = 4});
  expect_both_ways("3808 BEEF 00000009 0003 0004", PdsAck{.next_header = NextHeader::kNone,
                                                          .probe = true,
                                                          .probe_opaque = 0xBEEF,
                                                          .cumulative_psn = 9,
                                                          .source_pdc = 3,
                                                          .destination_pdc = 4});
}

TEST(UetPds, ClosingAckOfASecureDomainHasTheExpectedPsn) {
  expect_both_ways("3840 0000 00000009 0003 0004 12345678", PdsAck{.next_header = NextHeader::kNone,
                                                                   .epsn = true,
                                                                   .cumulative_psn = 9,
                                                                   .source_pdc = 3,
                                                                   .destination_pdc = 4,
                                                                   .expected_psn = 0x12345678});
}

//= uet-1.0 3.5.10
TEST(UetPds, AckCcHasBitmapAndState) {
  expect_both_ways("4200 0000 00000009 0003 0004 10 80 FFF0 8000000000000001 ABCDEF0000000005",
                   PdsAck{.type = PdsType::kAckCc,
                          .cumulative_psn = 9,
                          .source_pdc = 3,
                          .destination_pdc = 4,
                          .cc_type = CcType::kCredit,
                          .mpr = 0x80,
                          .sack_psn_offset = -16,
                          .sack_bitmap = 0x8000000000000001,
                          .cc_state = CreditState{.credit = 0xABCDEF, .ooo_count = 5}.pack()});
  expect_both_ways("4A00 0000 00000009 0003 0004 E0 80 0000 0000000000000001 0102030405060708 1112131415161718",
                   PdsAck{.type = PdsType::kAckCcx,
                          .cumulative_psn = 9,
                          .source_pdc = 3,
                          .destination_pdc = 4,
                          .cc_type = static_cast<CcType>(14),
                          .mpr = 0x80,
                          .sack_bitmap = 1,
                          .cc_state = 0x0102030405060708,
                          .ccx_state = 0x1112131415161718});
}

//= uet-1.0 3.6
TEST(UetPds, CongestionControlStateHasFieldsOfItsOwn) {
  const NsccState nscc{
      .service_time = 0x1234, .restore_cwnd = true, .rcv_cwnd_pend = 0x55, .rcvd_bytes = 0xABCDEF, .ooo_count = 0x6789};
  EXPECT_EQ(nscc.pack(), 0x1234'D5'ABCDEF'6789U);
  EXPECT_EQ(NsccState::unpack(nscc.pack()), nscc);
  const CreditState credit{.credit = 0x123456, .reserved = 0x789ABC, .ooo_count = 0xDEF0};
  EXPECT_EQ(credit.pack(), 0x123456'789ABC'DEF0U);
  EXPECT_EQ(CreditState::unpack(credit.pack()), credit);
}

//= uet-1.0 3.5.10
//= uet-1.0 3.5
TEST(UetPds, NackSaysWhichPacketAndWhy) {
  expect_both_ways("5030 01 00 00000102 0003 0004 00000000", PdsNack{.marked = true,
                                                                     .retransmitted = true,
                                                                     .code = NackCode::kTrimmed,
                                                                     .psn = 0x102,
                                                                     .source_pdc = 3,
                                                                     .destination_pdc = 4});
  expect_both_ways("6008 1A 05 00000102 0000 0000 00000007 F123456789ABCDEF 0102030405060708",
                   PdsNack{.type = PdsType::kNackCcx,
                           .rudi = true,
                           .code = NackCode::kReceiverInferredLoss,
                           .vendor_code = 5,
                           .psn = 0x102,
                           .payload = 7,
                           .ccx_type = 15,
                           .ccx_state1 = 0x123456789ABCDEF,
                           .ccx_state2 = 0x0102030405060708});
}

//= uet-1.0 3.5.10
TEST(UetPds, ControlTypeStandsInPlaceOfTheNextHeader) {
  expect_both_ways("5B08 BEEF 00000102 0003 0004 00000007", PdsControl{.control = ControlType::kProbe,
                                                                       .ack_request = true,
                                                                       .probe_opaque = 0xBEEF,
                                                                       .psn = 0x102,
                                                                       .source_pdc = 3,
                                                                       .destination_pdc = 4,
                                                                       .payload = 7});
  expect_both_ways("5C24 0000 00000102 0003 0001 00000040", PdsControl{.control = ControlType::kCreditRequest,
                                                                       .rod = true,
                                                                       .syn = true,
                                                                       .psn = 0x102,
                                                                       .source_pdc = 3,
                                                                       .pdc_info = {.psn_offset = 1},
                                                                       .payload = 64});
}

TEST(UetPds, EveryControlTypeIsRead) {
  for (std::uint8_t type = 0; type <= static_cast<std::uint8_t>(ControlType::kNegotiation); ++type) {
    const PdsControl control{.control = static_cast<ControlType>(type)};
    const Result<PdsHeader> parsed = parse_pds(emitted(control, PdsControl::kSize));
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(std::get<PdsControl>(*parsed), control);
    EXPECT_NE(to_string(control.control), "reserved");
    EXPECT_EQ(next_header_of(*parsed), NextHeader::kNone);
  }
  EXPECT_EQ(to_string(static_cast<ControlType>(10)), "reserved");
}

/// Each type in the prologue leads to its struct, and the others are refused.
//= uet-1.0 3.5.10
TEST(UetPds, TheTypeSaysWhichHeader) {
  constexpr std::array<std::size_t, 15> kSizes{0, 0, 12, 12, 8, 8, 4, 12, 32, 40, 16, 16, 32, 16, 16};
  for (std::uint8_t type = 0; type < 32; ++type) {
    ByteVector bytes(PdsAck::kCcxSize);
    bytes[0] = static_cast<std::byte>(type << 3);
    const Result<PdsHeader> parsed = parse_pds(bytes);
    const std::size_t size = type < kSizes.size() ? kSizes[type] : 0;
    ASSERT_EQ(parsed.has_value(), size != 0) << int{type};
    if (parsed) {
      EXPECT_EQ(size_of(*parsed), size) << int{type};
      EXPECT_NE(to_string(static_cast<PdsType>(type)), "reserved");
    }
  }
  EXPECT_EQ(parse_pds(bytes_of("0800")).error().message, "PDS type is 1 (TSS) where a PDS header is due");
  EXPECT_EQ(parse_pds(bytes_of("F800")).error().message, "PDS type is 31, must be 2 to 14");
  EXPECT_EQ(parse_pds(bytes_of("10")).error().message, "PDS prologue needs 2 bytes, found 1");
}

TEST(UetPds, AHeaderRefusesTheTypeOfAnother) {
  EXPECT_EQ(PdsRequest::parse(bytes_of("3800 0000 00000000 0000 0000")).error().message,
            "PDS type is 7 (ACK), must be a request's: 2, 3, 13 or 14");
  EXPECT_EQ(PdsAck::parse(bytes_of("4000 0000 00000000 0000 0000")).error().message, "ACK_CC needs 32 bytes, found 12");
}

//= uet-1.0 3.5
TEST(UetPds, NackCodesHaveNamesIfAndOnlyIfTheyAreAssigned) {
  for (unsigned code = 0; code < 256; ++code) {
    const auto nack = static_cast<NackCode>(code);
    EXPECT_EQ(is_known(nack), to_string(nack) != "reserved") << code;
  }
  EXPECT_EQ(to_string(NackCode::kTrimmedLastHop), "trimmed at the last hop");
  EXPECT_FALSE(is_known(static_cast<NackCode>(0x0C)));
}

}  // namespace
}  // namespace weft::wire::uet
