#include "transport/iwarp/mpa_negotiation.h"

#include <gtest/gtest.h>

#include "transport/iwarp/terminate_codes.h"

namespace weft::transport {
namespace {

using wire::MpaRtr;

constexpr std::uint8_t kRevisions[] = {1, 2};
constexpr MpaRtr kKinds[] = {MpaRtr::kEmptyFpdu, MpaRtr::kZeroLengthWrite, MpaRtr::kZeroLengthRead};

/// Both ends see the same connection, each from its side.
//= rfc6581 9
TEST(MpaNegotiation, BothEndsConcludeTheSame) {
  for (const std::uint8_t first_revision : kRevisions) {
    for (const std::uint8_t second_revision : kRevisions) {
      for (unsigned flags = 0; flags < 32; ++flags) {
        IwarpOptions first;
        IwarpOptions second;
        first.mpa_revision = first_revision;
        second.mpa_revision = second_revision;
        first.crc = (flags & 1) != 0;
        second.crc = (flags & 2) != 0;
        first.markers = (flags & 4) != 0;
        second.markers = (flags & 8) != 0;
        first.peer_to_peer = (flags & 16) != 0;
        const ReadDepths initiator{.ird = 5, .ord = 9};
        const ReadDepths responder{.ird = 3, .ord = 7};
        const auto request = make_request(first, initiator);
        const auto reply = make_reply(request, second, responder);
        const auto mine = agree_as_initiator(request, reply, initiator);
        const IwarpNegotiated peers = agree_as_responder(request, reply, responder);
        ASSERT_TRUE(mine.has_value());
        EXPECT_EQ(mine->sends.crc, peers.receives.crc);
        EXPECT_EQ(mine->receives.crc, peers.sends.crc);
        EXPECT_EQ(mine->sends.markers, peers.receives.markers);
        EXPECT_EQ(mine->receives.markers, peers.sends.markers);
        EXPECT_EQ(mine->rtr, peers.rtr);
        const bool enhanced = first_revision == 2 && second_revision == 2;
        EXPECT_EQ(mine->ord, enhanced ? 3 : 9);
        EXPECT_EQ(peers.ord, enhanced ? 5 : 7);
        EXPECT_EQ(mine->rtr != MpaRtr::kNone, enhanced && first.peer_to_peer);
      }
    }
  }
}

TEST(MpaNegotiation, TheResponderTakesTheRtrThatIsOffered) {
  for (const MpaRtr kind : kKinds) {
    IwarpOptions options;
    options.rtr = kind;
    const auto request = make_request(options, {});
    EXPECT_EQ(agree_as_responder(request, make_reply(request, IwarpOptions{}, {}), {}).rtr, kind);
  }
}

//= rfc6581 9.2
TEST(MpaNegotiation, TheInitiatorTerminatesWhatItCannotKeep) {
  const ReadDepths depths{.ird = 2, .ord = 2};
  const auto request = make_request(IwarpOptions{}, depths);
  auto reply = make_reply(request, IwarpOptions{}, depths);
  reply.enhanced->ord = 3;
  EXPECT_EQ(agree_as_initiator(request, reply, depths).error(), wire::terminate::kInsufficientIrd);
  reply.enhanced->ord = wire::MpaEnhanced::kMaxDepth;  // not negotiated
  EXPECT_TRUE(agree_as_initiator(request, reply, depths).has_value());
  reply.enhanced->write_rtr = false;
  reply.enhanced->read_rtr = true;
  EXPECT_EQ(agree_as_initiator(request, reply, depths).error(), wire::terminate::kNoMatchingRtr);
}

TEST(TerminateCodes, AReceiverLearnsTheStatusThatRcGives) {
  using verbs::WcStatus;
  EXPECT_EQ(status_of(tagged_code(SinkFault::kInvalidKey)), WcStatus::kRemAccessErr);
  EXPECT_EQ(status_of(tagged_code(SinkFault::kPermission)), WcStatus::kRemAccessErr);
  EXPECT_EQ(status_of(read_code(SinkFault::kOutOfBounds)), WcStatus::kRemAccessErr);
  EXPECT_EQ(status_of(untagged_code(SinkFault::kTooLong)), WcStatus::kRemInvReqErr);
  EXPECT_EQ(status_of(untagged_code(SinkFault::kNoReceive)), WcStatus::kRnrRetryExcErr);
  EXPECT_EQ(status_of(untagged_code(SinkFault::kReceiveMemory)), WcStatus::kRemOpErr);
  EXPECT_EQ(status_of(wire::terminate::kCrc), WcStatus::kRemAbortErr);
  EXPECT_FALSE(is_protection(wire::terminate::kMessageTooLong));
}

}  // namespace
}  // namespace weft::transport
