// SES headers: known bytes both ways. Short input, reserved bits and random bytes are in header_properties_test.cc.
#include "wire/uet/ses.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire::uet {
namespace {

void expect_ses(NextHeader next, std::string_view hex, const Ses& ses) {
  const ByteVector bytes = bytes_of(hex);
  const Result<Ses> parsed = Ses::parse(next, bytes);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_TRUE(*parsed == ses) << hex;
  EXPECT_EQ(ses.size(), bytes.size());
  EXPECT_EQ(emitted(ses, ses.size()), bytes);
}

constexpr SesTarget kTarget{.index_generation = 0x11, .job_id = 0x223344, .pid_on_fep = 0x566, .resource_index = 0x788};
constexpr std::string_view kTargetHex = "11223344 0566 0788";

std::string standard(std::string_view operation, std::string_view rest) {
  return std::string(operation) + "0102" + std::string(kTargetHex) + std::string(rest);
}

//= uet-1.0 3.4
TEST(UetSes, SmallRequestHasOperationLengthTargetAndOffset) {
  expect_ses(NextHeader::kRequestSmall, "010B 1000 11223344 0566 0788 0000000000ABCDEF",
             {.header = SesSmallRequest{.operation = {.opcode = SesOpcode::kWrite,
                                                      .relative = true,
                                                      .end_of_message = true,
                                                      .start_of_message = true},
                                        .request_length = {.bytes = 0x1000},
                                        .target = kTarget,
                                        .buffer_offset = 0xABCDEF}});
}

//= uet-1.0 3.4
TEST(UetSes, MediumRequestAddsInitiatorAndKey) {
  expect_ses(NextHeader::kRequestMedium, "0907 0040 11223344 0566 0788 0123456789ABCDEF 00000009 FEDCBA9876543210",
             {.header = SesMediumRequest{.operation = {.opcode = SesOpcode::kTaggedSend,
                                                       .header_data = true,
                                                       .end_of_message = true,
                                                       .start_of_message = true},
                                         .request_length = {.bytes = 64},
                                         .target = kTarget,
                                         .header_data = 0x0123456789ABCDEF,
                                         .initiator = 9,
                                         .memory_key = 0xFEDCBA9876543210}});
}

//= uet-1.0 3.4
TEST(UetSes, FirstPacketOfAMessageHasCompletionData) {
  expect_ses(NextHeader::kRequestStandard,
             standard("0125", "0000000000001000 00000009 00000000000000AA 1122334455667788 00010000"),
             {.header = SesStandardRequest{.operation = {.opcode = SesOpcode::kWrite,
                                                         .delivery_complete = true,
                                                         .header_data = true,
                                                         .start_of_message = true},
                                           .message_id = 0x0102,
                                           .target = kTarget,
                                           .buffer_offset = 0x1000,
                                           .initiator = 9,
                                           .memory_key = 0xAA,
                                           .completion_data = 0x1122334455667788,
                                           .request_length = 0x10000}});
}

//= uet-1.0 3.4
TEST(UetSes, LaterPacketsSayWhereTheyBelong) {
  expect_ses(NextHeader::kRequestStandard,
             standard("0112", "0000000000001000 00000009 00000000000000AA 00001000 0000F000 00010000"),
             {.header = SesStandardRequest{
                  .operation = {.opcode = SesOpcode::kWrite, .initiator_error = true, .end_of_message = true},
                  .message_id = 0x0102,
                  .target = kTarget,
                  .buffer_offset = 0x1000,
                  .initiator = 9,
                  .memory_key = 0xAA,
                  .payload_length = {.bytes = 0x1000},
                  .message_offset = 0xF000,
                  .request_length = 0x10000}});
}

//= uet-1.0 3.4
TEST(UetSes, RestartTokensStandWhereOffsetOrKeyWould) {
  const RestartToken token{.initiator = 0x11111111, .target = 0x22222222};
  EXPECT_EQ(token.pack(), 0x11111111'22222222U);
  EXPECT_EQ(RestartToken::unpack(token.pack()), token);
}

//= uet-1.0 3.4
TEST(UetSes, ResponsesSayWhereAMessageWasPutAndWhatBecameOfIt) {
  expect_ses(NextHeader::kResponse, "411C 0102 11223344 00001000",
             {.header = SesResponse{.outcome = {.list = SesList::kOverflow,
                                                .opcode = SesResponseOpcode::kResponse,
                                                .return_code = SesReturnCode::kBadMemoryKey},
                                    .message_id = 0x0102,
                                    .index_generation = 0x11,
                                    .job_id = 0x223344,
                                    .modified_length = 0x1000}});
  expect_ses(NextHeader::kResponseData, "0201 0102 00223344 0304 1000 00010000 0000F000",
             {.header = SesDataResponse{.outcome = {.opcode = SesResponseOpcode::kWithData},
                                        .message_id = 0x0102,
                                        .job_id = 0x223344,
                                        .read_message_id = 0x0304,
                                        .payload_length = {.bytes = 0x1000},
                                        .modified_length = 0x10000,
                                        .message_offset = 0xF000}});
  expect_ses(NextHeader::kResponseDataSmall, "0201 0008 00223344 00000777",
             {.header = SesSmallDataResponse{.outcome = {.opcode = SesResponseOpcode::kWithData},
                                             .payload_length = {.bytes = 8},
                                             .job_id = 0x223344,
                                             .original_psn = 0x777}});
}

//= uet-1.0 3.4
TEST(UetSes, AtomicsOfOneOperandHaveFourBytesMore) {
  const Ses ses{.header = SesSmallRequest{.operation = {.opcode = SesOpcode::kFetchingAtomic}, .target = kTarget},
                .extensions = {.atomic = SesAtomic{
                                   .operation = AtomicOperation::kSum, .type = AtomicType::kUint64, .control = 1}}};
  expect_ses(NextHeader::kRequestSmall, "0400 0000 11223344 0566 0788 0000000000000000 02070100", ses);
}

//= uet-1.0 3.4
TEST(UetSes, CompareAndSwapHasItsOperandsInTheHeader) {
  Ses ses{.header = SesSmallRequest{.operation = {.opcode = SesOpcode::kFetchingAtomic}, .target = kTarget},
          .extensions = {.atomic = SesAtomic{.operation = AtomicOperation::kCompareSwap},
                         .compare_swap = SesCompareSwap{}}};
  ses.extensions.compare_swap->compare.back() = std::byte{5};
  ses.extensions.compare_swap->swap.front() = std::byte{6};
  expect_ses(NextHeader::kRequestSmall,
             "0400 0000 11223344 0566 0788 0000000000000000 0D070000"
             "00000000000000000000000000000005 06000000000000000000000000000000",
             ses);
}

TEST(UetSes, SyncAtomicHasSyncBeforeAtomic) {
  expect_ses(NextHeader::kRequestSmall, "1100 0000 11223344 0566 0788 0000000000000000 0102 0304 00030000",
             {.header = SesSmallRequest{.operation = {.opcode = SesOpcode::kSyncAtomic}, .target = kTarget},
              .extensions = {.sync = SesSync{.group = 0x0102, .count = 0x0304},
                             .atomic = SesAtomic{.operation = AtomicOperation::kMin, .type = AtomicType::kUint16}}});
  expect_ses(NextHeader::kRequestSmall, "1000 0000 11223344 0566 0788 0000000000000000 0102 0304",
             {.header = SesSmallRequest{.operation = {.opcode = SesOpcode::kSyncWrite}, .target = kTarget},
              .extensions = {.sync = SesSync{.group = 0x0102, .count = 0x0304}}});
}

//= uet-1.0 3.4
TEST(UetSes, RendezvousSaysWhereTheRestIsRead) {
  expect_ses(
      NextHeader::kRequestStandard,
      standard("0A01",
               "0000000000000000 00000009 00000000000000AA 0000000000000000 00100000"
               "00001000 7F123456 0000000000002000 00000000000000BB"),
      {.header = SesStandardRequest{.operation = {.opcode = SesOpcode::kRendezvousTaggedSend, .start_of_message = true},
                                    .message_id = 0x0102,
                                    .target = kTarget,
                                    .initiator = 9,
                                    .memory_key = 0xAA,
                                    .request_length = 0x100000},
       .extensions = {.rendezvous = SesRendezvous{.eager_length = 0x1000,
                                                  .index_generation = 0x7F,
                                                  .pid_on_fep = 0x123,
                                                  .resource_index = 0x456,
                                                  .read_offset = 0x2000,
                                                  .read_memory_key = 0xBB}}});
}

TEST(UetSes, NothingIsReadWithoutANextHeader) {
  EXPECT_EQ(Ses::parse(NextHeader::kNone, bytes_of("FFFF")).value().size(), 0U);
  EXPECT_EQ(Ses::parse(static_cast<NextHeader>(7), bytes_of("FFFF")).value().size(), 0U);
}

TEST(UetSes, OtherVersionsAreRefused) {
  ByteVector request(SesStandardRequest::kSize);
  request[1] = std::byte{0x40};
  EXPECT_EQ(Ses::parse(NextHeader::kRequestStandard, request).error().message, "SES request has version 1, must be 0");
  ByteVector response(SesResponse::kSize);
  response[1] = std::byte{0xC0};
  EXPECT_EQ(Ses::parse(NextHeader::kResponse, response).error().message, "SES response has version 3, must be 0");
}

/// Everything that is accepted, cut anywhere, is an error: of the header or of an extension.
TEST(UetSes, EveryTruncationIsAnError) {
  for (unsigned opcode = 0; opcode < 64; ++opcode) {
    for (unsigned operation : {0U, 0x0DU, 0x13U}) {
      ByteVector bytes(SesStandardRequest::kSize + 64);
      bytes[0] = static_cast<std::byte>(opcode);
      // The atomic stands first or behind the synchronization.
      bytes[SesStandardRequest::kSize] = static_cast<std::byte>(operation);
      bytes[SesStandardRequest::kSize + SesSync::kSize] = static_cast<std::byte>(operation);
      const Result<Ses> whole = Ses::parse(NextHeader::kRequestStandard, bytes);
      ASSERT_TRUE(whole.has_value());
      for (std::size_t size = 0; size < whole->size(); ++size) {
        const ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(Ses::parse(NextHeader::kRequestStandard, cut).has_value()) << opcode << " " << size;
      }
    }
  }
}

//= uet-1.0 3.4
TEST(UetSes, CodesHaveNames) {
  EXPECT_EQ(to_string(SesOpcode::kDeferrableTaggedSend), "deferrable tagged send");
  EXPECT_EQ(to_string(static_cast<SesOpcode>(0x12)), "reserved");
  EXPECT_EQ(to_string(static_cast<SesOpcode>(0x30)), "vendor");
  EXPECT_EQ(to_string(static_cast<SesOpcode>(0x3F)), "extended");
  EXPECT_EQ(to_string(SesReturnCode::kDropped), "dropped");
  EXPECT_EQ(to_string(SesReturnCode::kBadMemoryKey), "memory key maps to no buffer");
  EXPECT_EQ(to_string(static_cast<SesReturnCode>(0x25)), "reserved");
  EXPECT_EQ(to_string(static_cast<SesReturnCode>(0x37)), "vendor");
  EXPECT_EQ(to_string(SesResponseOpcode::kNone), "no response");
  EXPECT_EQ(to_string(AtomicOperation::kMaskedSwap), "masked swap");
  EXPECT_EQ(to_string(AtomicOperation::kInvalidate), "invalidate");
  EXPECT_EQ(to_string(static_cast<AtomicOperation>(0xFF)), "reserved");
  EXPECT_EQ(to_string(AtomicType::kFp16), "fp16");
}

}  // namespace
}  // namespace weft::wire::uet
