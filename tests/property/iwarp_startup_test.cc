// The start-up of MPA on the wire: what two ends agree on, and what becomes of one that does not keep to it.
#include <gmock/gmock.h>

#include "tests/property/stream_pair.h"
#include "wire/byte_order.h"

namespace weft::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using transport::IwarpNegotiated;
using transport::StreamStart;
using verbs::AsyncEventType;
using verbs::WcStatus;
using wire::MpaCrc;
using wire::MpaMarkers;
using wire::MpaRtr;

StreamPairOptions on_the_wire() {
  StreamPairOptions options;
  for (transport::IwarpOptions& end : options.ends) {
    end.start = StreamStart::kOnTheWire;
    end.tcp.minimum_rto = Duration::microseconds(500);
  }
  return options;
}

const IwarpNegotiated& agreement(StreamPair& pair, int side) { return pair.side(side).iwarp().agreement(); }

verbs::SendWr write(StreamPair& pair, int from, const verbs::Sge& element) {
  verbs::SendWr wr;
  wr.opcode = verbs::WrOpcode::kRdmaWrite;
  wr.sg_list = std::span(&element, 1);
  wr.send_flags = verbs::kSendSignaled;
  wr.rdma = {StreamSide::kBase, pair.side(1 - from).key};
  return wr;
}

//= rfc5044 7.1
TEST(IwarpStartup, CrcsAreUsedUnlessBothEndsWantNone) {
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      StreamPairOptions options = on_the_wire();
      options.ends[0].crc = first;
      options.ends[1].crc = second;
      StreamPair pair(options);
      ASSERT_TRUE(pair.run());
      for (int side = 0; side < 2; ++side) {
        EXPECT_TRUE(pair.side(side).iwarp().in_full_operation());
        EXPECT_EQ(agreement(pair, side).sends.crc == MpaCrc::kOn, first || second);
        EXPECT_EQ(agreement(pair, side).receives.crc == MpaCrc::kOn, first || second);
      }
    }
  }
}

//= rfc5044 7.1
TEST(IwarpStartup, EachEndGetsMarkersIfItAskedForThem) {
  StreamPairOptions options = on_the_wire();
  options.ends[0].markers = true;
  StreamPair pair(options);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(agreement(pair, 0).receives.markers, MpaMarkers::kOn);
  EXPECT_EQ(agreement(pair, 1).sends.markers, MpaMarkers::kOn);
  EXPECT_EQ(agreement(pair, 0).sends.markers, MpaMarkers::kOff);
  EXPECT_EQ(agreement(pair, 1).receives.markers, MpaMarkers::kOff);
}

//= rfc6581 9
TEST(IwarpStartup, NobodyHasMoreReadsInFlightThanThePeerAdmits) {
  StreamPairOptions options = on_the_wire();
  options.max_rd_atomic = 8;
  options.max_dest_rd_atomic = 3;
  StreamPair pair(options);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(agreement(pair, 0).ord, 3U);
  EXPECT_EQ(agreement(pair, 1).ord, 3U);
}

TEST(IwarpStartup, RevisionOneIsUsedIfEitherEndKnowsNoOther) {
  for (int old = 0; old < 2; ++old) {
    StreamPairOptions options = on_the_wire();
    options.ends[static_cast<std::size_t>(old)].mpa_revision = 1;
    StreamPair pair(options);
    const verbs::Sge element = pair.side(0).sge(0, 5000);
    ASSERT_TRUE(pair.post_send(0, write(pair, 0, element)));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(agreement(pair, 0).rtr, MpaRtr::kNone);
    EXPECT_TRUE(pair.side(1).iwarp().in_full_operation());
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kSuccess);
  }
}

//= rfc5044 7.1.2
TEST(IwarpStartup, AResponderOfRevisionOneWaitsForTheInitiatorsFirstFpdu) {
  StreamPairOptions options = on_the_wire();
  options.ends[0].mpa_revision = 1;
  StreamPair pair(options);
  const verbs::Sge element = pair.side(1).sge(0, 100);
  ASSERT_TRUE(pair.post_send(1, write(pair, 1, element)));
  pair.run_until(pair.now() + Duration::milliseconds(1));
  EXPECT_THAT(pair.side(1).poll_send(), SizeIs(0));
  const verbs::Sge mine = pair.side(0).sge(0, 100);
  ASSERT_TRUE(pair.post_send(0, write(pair, 0, mine)));
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.side(1).poll_send().at(0).status, WcStatus::kSuccess);
}

//= rfc6581 9
TEST(IwarpStartup, APeerToPeerResponderMaySendAfterTheRtr) {
  for (const MpaRtr rtr : {MpaRtr::kEmptyFpdu, MpaRtr::kZeroLengthWrite, MpaRtr::kZeroLengthRead}) {
    for (const bool bytes : {true, false}) {
      StreamPairOptions options = on_the_wire();
      options.ends[0].rtr = rtr;
      options.carries_bytes = bytes;
      options.remote_access = verbs::kAccessRemoteWrite;
      options.max_rd_atomic = options.max_dest_rd_atomic = 1;
      StreamPair pair(options);
      const verbs::Sge element = pair.side(1).sge(0, 100);
      ASSERT_TRUE(pair.post_send(1, write(pair, 1, element)));
      ASSERT_TRUE(pair.run());
      EXPECT_EQ(pair.side(1).poll_send().at(0).status, WcStatus::kSuccess);
      EXPECT_EQ(agreement(pair, 0).rtr, rtr);
      EXPECT_EQ(agreement(pair, 1).rtr, rtr);
    }
  }
}

TEST(IwarpStartup, PrivateDataArriveAtBothEnds) {
  StreamPairOptions options = on_the_wire();
  options.ends[0].private_data = {std::byte{1}, std::byte{2}};
  options.ends[1].private_data = std::vector<std::byte>(508, std::byte{9});
  for (const bool bytes : {true, false}) {
    options.carries_bytes = bytes;
    StreamPair pair(options);
    ASSERT_TRUE(pair.run());
    EXPECT_THAT(pair.side(1).iwarp().peer_private_data(), ElementsAre(std::byte{1}, std::byte{2}));
    EXPECT_EQ(pair.side(0).iwarp().peer_private_data().size(), 508U);
  }
}

/// Changes one 16-bit word of the responder's first payload, its reply.
void expect_answer_to_reply(std::size_t at, std::uint16_t word, wire::TerminateCode code) {
  StreamPair pair(on_the_wire());
  pair.set_tamper([&](int from, std::span<std::byte> payload) {
    if (from == 1 && wire::is_mpa_start(wire::MpaFrameKind::kReply, payload)) {
      wire::store_be16(payload, at, word);
    }
  });
  ASSERT_TRUE(pair.run());
  ASSERT_NE(pair.side(1).iwarp().terminate_received(), nullptr);
  EXPECT_EQ(to_string(pair.side(1).iwarp().terminate_received()->code), to_string(code));
  EXPECT_EQ(pair.side(0).qp->state(), verbs::QpState::kErr);
  EXPECT_EQ(pair.side(1).qp->state(), verbs::QpState::kErr);
}

//= rfc6581 9.2
TEST(IwarpStartup, AReplyThatWantsMoreReadsThanThereAreIsTerminated) {
  expect_answer_to_reply(22, 0x8000 | 100, wire::terminate::kInsufficientIrd);
}
TEST(IwarpStartup, AReplyWithAnotherRtrThanOfferedIsTerminated) {
  expect_answer_to_reply(22, 0x4000 | 1, wire::terminate::kNoMatchingRtr);
}

void expect_no_connection(const StreamPair::Tamper& tamper) {
  StreamPair pair(on_the_wire());
  pair.set_tamper(tamper);
  const verbs::Sge element = pair.side(0).sge(0, 100);
  ASSERT_TRUE(pair.post_send(0, write(pair, 0, element)));
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.side(0).qp->state(), verbs::QpState::kErr);
  EXPECT_EQ(pair.side(1).qp->state(), verbs::QpState::kErr);
  const auto completions = pair.side(0).poll_send();
  ASSERT_THAT(completions, SizeIs(1));
  EXPECT_NE(completions[0].status, WcStatus::kSuccess);
}

TEST(IwarpStartup, SomethingElseThanARequestEndsTheConnection) {
  expect_no_connection([](int from, std::span<std::byte> payload) {
    if (from == 0) {
      payload[0] = std::byte{'X'};
    }
  });
}

TEST(IwarpStartup, SomethingElseThanAReplyEndsTheConnection) {
  expect_no_connection([](int from, std::span<std::byte> payload) {
    if (from == 1) {
      payload[3] = std::byte{'X'};
    }
  });
}

TEST(IwarpStartup, ARejectedRequestEndsTheConnection) {
  expect_no_connection([](int from, std::span<std::byte> payload) {
    if (from == 1) {
      payload[16] |= std::byte{0x20};
    }
  });
}

TEST(IwarpStartup, LostFramesAreSentAgain) {
  StreamPairOptions options = on_the_wire();
  options.ends[0].tcp.initial_rto = options.ends[1].tcp.initial_rto = Duration::milliseconds(1);
  options.faults.loss = Probability::from_ratio({.numerator = 30, .denominator = 100});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.seed = seed;
    StreamPair pair(options);
    const verbs::Sge element = pair.side(1).sge(0, 20'000);
    ASSERT_TRUE(pair.post_send(1, write(pair, 1, element)));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(1).poll_send().at(0).status, WcStatus::kSuccess) << seed;
  }
}

}  // namespace
}  // namespace weft::testing
