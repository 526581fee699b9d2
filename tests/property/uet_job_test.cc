// Messages of jobs over Ultra Ethernet: matching, the three forms of a send, WRITE and READ, addresses and errors.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/uet_job_pair.h"

namespace weft::testing {
namespace {

using namespace literals;
using transport::MatchList;
using transport::SesCompletion;
using transport::SesDelivery;
using transport::SesForm;
using wire::UetNack;
using wire::UetOperation;
using Code = wire::uet::SesReturnCode;

constexpr std::uint32_t kLength = 5'000;  // five packets of 1,024
constexpr std::uint32_t kRoom = 65'536;   // where receives are

void fill(UetJobPair& jobs, int side, std::uint32_t offset, std::uint8_t seed, std::uint32_t length = kLength) {
  for (std::uint32_t i = 0; i < length; ++i)
    jobs.pair.memory(side)[offset + i] = static_cast<std::byte>(seed + i * 7);
}
bool arrived(UetJobPair& jobs, std::uint32_t from = 0, std::uint32_t to = kRoom, std::uint32_t length = kLength) {
  return std::memcmp(jobs.pair.memory(0).data() + from, jobs.pair.memory(1).data() + to, length) == 0;
}
/// Of a side's only completion.
Code status_of_only(UetJobPair& jobs, int side) {
  const auto completions = jobs.poll(side);
  EXPECT_EQ(completions.size(), 1U);
  return completions.empty() ? Code::kNull : completions[0].status;
}
std::uint64_t sent_nacks(UetJobPair& jobs, int side, UetNack code) {
  return jobs.pair.counters(side).nacks_sent[static_cast<std::size_t>(code)];
}

class UetJobForms : public ::testing::TestWithParam<SesForm> {};

//= uet-1.0 3.4
TEST_P(UetJobForms, AnExpectedMessageGoesWhereItsReceiveSays) {
  UetJobPair jobs({});
  fill(jobs, 0, 0, 3);
  ASSERT_TRUE(jobs.receive(1, {.id = 8, .local = jobs.sge(1, kRoom, 8'192), .wanted = {.tag = 0x70, .ignore = 0xF}}));
  ASSERT_TRUE(jobs.send(0, {.id = 9,
                            .local = jobs.sge(0, 0, kLength),
                            .tag = 0x7A,
                            .header_data = 77,
                            .form = GetParam(),
                            .eager = GetParam() == SesForm::kRendezvous ? 1'500U : 0U}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  const auto completions = jobs.poll(1);
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].status, Code::kOk);
  EXPECT_EQ(completions[0].kind, SesCompletion::Kind::kReceive);
  EXPECT_EQ(completions[0].id, 8U);
  EXPECT_EQ(completions[0].length, kLength);
  EXPECT_EQ(completions[0].tag, 0x7AU);
  EXPECT_EQ(completions[0].initiator, 100U);
  EXPECT_EQ(completions[0].header_data, 77U);
  EXPECT_EQ(completions[0].source, EndpointId(0));
  EXPECT_TRUE(arrived(jobs));
  EXPECT_TRUE(jobs.at_rest());
}

//= uet-1.0 3.4
TEST_P(UetJobForms, AMessageThatComesBeforeItsReceiveWaitsForIt) {
  UetJobPair jobs({});
  fill(jobs, 0, 0, 3);
  std::uint32_t payload = 0;
  jobs.pair.set_filter([&](int from, wire::Packet& packet) {
    payload += from == 0 ? packet.common.payload_bytes : 0U;
    return false;
  });
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, kLength),
                            .tag = 5,
                            .form = GetParam(),
                            .eager = GetParam() == SesForm::kRendezvous ? 1'500U : 0U}));
  jobs.pair.run_until(jobs.pair.now() + 50_us);
  const std::uint64_t waiting = jobs.messenger(1).unexpected_bytes(jobs.ports[1]);
  EXPECT_EQ(waiting, GetParam() == SesForm::kEager ? kLength : GetParam() == SesForm::kRendezvous ? 1'500U : 0U);
  EXPECT_TRUE(jobs.poll(1).empty());
  EXPECT_EQ(jobs.poll(0).size(), GetParam() == SesForm::kEager ? 1U : 0U);
  ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 8'192), .wanted = {.tag = 5, .initiator = 100}}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 1), Code::kOk);
  EXPECT_TRUE(arrived(jobs));
  EXPECT_TRUE(jobs.at_rest());
  // What was deferred was sent twice, nothing else was.
  EXPECT_EQ(payload, GetParam() == SesForm::kDeferrable ? 2 * kLength : kLength);
}

//= uet-1.0 3.4
TEST_P(UetJobForms, AMessageLongerThanItsReceiveEndsInErrorOnBothSides) {
  for (const bool early : {true, false}) {
    UetJobPair jobs({});
    const transport::SesReceive receive{.local = jobs.sge(1, kRoom, 2'000), .wanted = {.tag = 5}};
    if (early) {
      ASSERT_TRUE(jobs.receive(1, receive));
    }
    ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, kLength),
                              .tag = 5,
                              .form = GetParam(),
                              .eager = GetParam() == SesForm::kRendezvous ? 1'500U : 0U}));
    jobs.pair.run_until(jobs.pair.now() + 50_us);
    if (!early) {
      ASSERT_TRUE(jobs.receive(1, receive));
    }
    ASSERT_TRUE(jobs.pair.run());
    EXPECT_EQ(status_of_only(jobs, 1), Code::kTooLong);
    // An eager message that had to wait was complete for its sender when all of it had come.
    EXPECT_EQ(status_of_only(jobs, 0), !early && GetParam() == SesForm::kEager ? Code::kOk : Code::kTooLong);
    EXPECT_TRUE(jobs.at_rest());
    EXPECT_EQ(jobs.pair.memory(1)[kRoom + 2'000], UetSide::kGuardByte);  // as it was made
  }
}

TEST_P(UetJobForms, AnEmptyMessageIsOnePacket) {
  for (const bool early : {true, false}) {
    UetJobPair jobs({});
    if (early) {
      ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 0)}));
    }
    ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, 0), .form = GetParam()}));
    jobs.pair.run_until(jobs.pair.now() + 50_us);
    if (!early) {
      ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 0)}));
    }
    ASSERT_TRUE(jobs.pair.run());
    EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
    EXPECT_EQ(status_of_only(jobs, 1), Code::kOk);
    EXPECT_TRUE(jobs.at_rest());
  }
}

TEST_P(UetJobForms, ASendThatIsCancelledWhileItWaitsLeavesNothingBehind) {
  UetJobPair jobs({});
  ASSERT_TRUE(jobs.send(0, {.id = 4,
                            .local = jobs.sge(0, 0, kLength),
                            .tag = 5,
                            .form = GetParam(),
                            .eager = GetParam() == SesForm::kRendezvous ? 1'500U : 0U}));
  jobs.pair.run_until(jobs.pair.now() + 50_us);
  const bool waits = GetParam() != SesForm::kEager;
  EXPECT_EQ(jobs.messenger(0).cancel(jobs.ports[0], 4, jobs.pair.now()), waits);
  EXPECT_EQ(status_of_only(jobs, 0), waits ? Code::kCancelled : Code::kOk);
  ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 8'192), .wanted = {.tag = 5}}));
  ASSERT_TRUE(jobs.pair.run());
  const Code status = status_of_only(jobs, 1);
  EXPECT_EQ(status, GetParam() == SesForm::kDeferrable ? Code::kNoMatch : Code::kOk);
  EXPECT_TRUE(jobs.at_rest());
}

INSTANTIATE_TEST_SUITE_P(All, UetJobForms,
                         ::testing::Values(SesForm::kEager, SesForm::kDeferrable, SesForm::kRendezvous));

//= uet-1.0 3.4
TEST(UetJob, AReceiveTakesOnlyWhatItNames) {
  UetJobPair jobs({});
  ASSERT_TRUE(jobs.receive(1, {.id = 1, .local = jobs.sge(1, 0, 100), .wanted = {.tag = 5, .initiator = 99}}));
  ASSERT_TRUE(jobs.receive(1, {.id = 2, .local = jobs.sge(1, 0, 100), .wanted = {.tag = 6}}));
  ASSERT_TRUE(jobs.receive(1, {.id = 3, .local = jobs.sge(1, 0, 100), .tagged = false}));
  ASSERT_TRUE(jobs.receive(1, {.id = 4, .local = jobs.sge(1, 0, 100), .wanted = {.tag = 5}}));
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, 10), .tag = 5}));
  ASSERT_TRUE(jobs.pair.run());
  const auto completions = jobs.poll(1);
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].id, 4U);
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, 10), .tagged = false}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(jobs.poll(1).at(0).id, 3U);
  EXPECT_TRUE(jobs.messenger(1).cancel(jobs.ports[1], 1, jobs.pair.now()));
  EXPECT_EQ(status_of_only(jobs, 1), Code::kCancelled);
  EXPECT_FALSE(jobs.messenger(1).cancel(jobs.ports[1], 1, jobs.pair.now()));
}

//= uet-1.0 3.4
TEST(UetJob, MessagesOnAnOrderedContextMatchInTheOrderInWhichTheyWereSent) {
  UetPairOptions options;
  options.faults.loss = Probability::from_ratio({.numerator = 1, .denominator = 20});
  options.faults.reordering = Probability::from_ratio({.numerator = 1, .denominator = 2});
  UetJobPair jobs(options);
  for (std::uint64_t i = 0; i < 40; ++i)
    ASSERT_TRUE(jobs.receive(1, {.id = i, .local = jobs.sge(1, kRoom, 4'096), .tagged = false}));
  for (std::uint64_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, static_cast<std::uint32_t>(i * 50)),
                              .tagged = false,
                              .header_data = i,
                              .delivery = SesDelivery::kRod}));
  }
  ASSERT_TRUE(jobs.pair.run());
  const auto completions = jobs.poll(1);
  ASSERT_EQ(completions.size(), 40U);
  for (const SesCompletion& completion : completions)
    EXPECT_EQ(completion.header_data, completion.id);
}

//= uet-1.0 3.4
TEST(UetJob, WhatFindsNeitherReceiveNorRoomIsRefused) {
  UetJobPair jobs({}, {.matching = {.unexpected = 1}, .unexpected_bytes = 6'000});
  ASSERT_TRUE(jobs.send(0, {.id = 1, .local = jobs.sge(0, 0, 7'000), .tag = 5}));  // more than may ever wait
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kNoMatch);
  ASSERT_TRUE(jobs.send(0, {.id = 2, .local = jobs.sge(0, 0, kLength), .tag = 5}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  for (const SesForm form : {SesForm::kEager, SesForm::kDeferrable, SesForm::kRendezvous}) {
    ASSERT_TRUE(jobs.send(0, {.id = 3, .local = jobs.sge(0, 0, kLength), .tag = 6, .form = form}));
    ASSERT_TRUE(jobs.pair.run());
    EXPECT_EQ(status_of_only(jobs, 0), Code::kNoMatch);
  }
  ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 8'192), .wanted = {.tag = 5}}));
  EXPECT_EQ(status_of_only(jobs, 1), Code::kOk);
  EXPECT_TRUE(jobs.at_rest());
}

//= uet-1.0 3.5
TEST(UetJob, WithoutBytesForAMessageItsPacketsComeAgain) {
  UetJobPair jobs({}, {.unexpected_bytes = 6'000});
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, kLength), .tag = 1}));
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 8'192, kLength), .tag = 2}));
  fill(jobs, 0, 8'192, 9);
  jobs.pair.run_until(jobs.pair.now() + 500_us);
  EXPECT_EQ(jobs.poll(0).size(), 1U);
  EXPECT_GE(sent_nacks(jobs, 1, UetNack::kNoPacketBuffer), 1U);
  for (const std::uint64_t tag : {1U, 2U})
    ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, kRoom, 8'192), .wanted = {.tag = tag}}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  EXPECT_EQ(jobs.poll(1).size(), 2U);
  EXPECT_TRUE(arrived(jobs, 8'192));
  EXPECT_TRUE(jobs.at_rest());
}

class UetJobAccess : public ::testing::TestWithParam<SesDelivery> {};

//= uet-1.0 3.4
TEST_P(UetJobAccess, WritesAndReadsMoveTheirBytes) {
  UetJobPair jobs({});
  fill(jobs, 0, 0, 11);
  fill(jobs, 1, 32'768, 50);
  ASSERT_TRUE(jobs.write(0, {.id = 1,
                             .local = jobs.sge(0, 0, kLength),
                             .remote_address = TrafficEnds::kBase + kRoom,
                             .remote_key = jobs.pair.key(1),
                             .delivery = GetParam()}));
  ASSERT_TRUE(jobs.read(0, {.id = 2,
                            .local = jobs.sge(0, 16'384, kLength),
                            .remote_address = TrafficEnds::kBase + 32'768,
                            .remote_key = jobs.pair.key(1),
                            .delivery = GetParam()}));
  ASSERT_TRUE(jobs.pair.run());
  const auto completions = jobs.poll(0);
  ASSERT_EQ(completions.size(), 2U);
  for (const SesCompletion& completion : completions) {
    EXPECT_EQ(completion.status, Code::kOk);
    EXPECT_EQ(completion.kind, completion.id == 1 ? SesCompletion::Kind::kWrite : SesCompletion::Kind::kRead);
  }
  EXPECT_TRUE(arrived(jobs));
  EXPECT_TRUE(arrived(jobs, 16'384, 32'768));
  EXPECT_TRUE(jobs.at_rest());
  if (GetParam() == SesDelivery::kRudi) {
    EXPECT_EQ(jobs.pair.counters(0).opened + jobs.pair.counters(1).opened, 0U);  // no connection state at either end
  }
}

//= uet-1.0 3.4
TEST_P(UetJobAccess, WhatMayNotBeTouchedIsAnErrorOfItsOwn) {
  struct Case {
    std::uint64_t address;
    bool right_key;
    Code code;
  };
  for (const Case& tried : {Case{TrafficEnds::kBase, false, Code::kBadMemoryKey},
                            Case{TrafficEnds::kBase + (1 << 20) - 10, true, Code::kBadAddress}}) {
    for (const bool write : {true, false}) {
      UetJobPair jobs({});
      const transport::SesAccess access{.local = jobs.sge(0, 0, 1'000),
                                        .remote_address = tried.address,
                                        .remote_key = jobs.pair.key(1) ^ (tried.right_key ? 0U : 0x5555U),
                                        .delivery = GetParam()};
      ASSERT_TRUE(write ? jobs.write(0, access) : jobs.read(0, access));
      ASSERT_TRUE(jobs.pair.run());
      EXPECT_EQ(status_of_only(jobs, 0), tried.code);
      EXPECT_TRUE(jobs.at_rest());
    }
  }
}

//= uet-1.0 3.4
TEST_P(UetJobAccess, AddressesThatNameNothingAreErrorsOfTheirOwn) {
  using transport::SesAddress;
  const SesAddress right = UetJobPair::address(1);
  struct Case {
    SesAddress address;
    Code code;
  };
  const auto with = [&](auto change) {
    SesAddress address = right;
    change(address);
    return address;
  };
  for (const Case& tried :
       {Case{right, Code::kOk}, Case{with([](SesAddress& a) { a.relative = false; }), Code::kOk},
        Case{with([](SesAddress& a) { a.job = 9; }), Code::kBadJobId},
        Case{with([](SesAddress& a) { a.job = 9, a.relative = false; }), Code::kBadJobId},
        Case{with([](SesAddress& a) { a.pid_on_fep = 9; }), Code::kBadPid},
        Case{with([](SesAddress& a) { a.resource_index = 9; }), Code::kBadIndex},
        Case{with([](SesAddress& a) { a.resource_index = 9, a.relative = false; }), Code::kBadIndex},
        Case{with([](SesAddress& a) { a.generation = 9; }), Code::kBadGeneration}}) {
    UetJobPair jobs({});
    transport::SesAccess access{.peer = {.endpoint = EndpointId(1), .address = tried.address},
                                .local = jobs.sge(0, 0, 1'000),
                                .remote_address = TrafficEnds::kBase,
                                .remote_key = jobs.pair.key(1),
                                .delivery = GetParam()};
    ASSERT_TRUE(jobs.messenger(0).write(jobs.ports[0], access, jobs.pair.now()));
    ASSERT_TRUE(jobs.pair.run());
    EXPECT_EQ(status_of_only(jobs, 0), tried.code);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UetJobAccess,
                         ::testing::Values(SesDelivery::kRud, SesDelivery::kRod, SesDelivery::kRudi));

TEST(UetJob, ALostRudiResponseCostsAnotherExecutionAndNothingElse) {
  UetJobPair jobs({});
  int lost = 0;
  jobs.pair.set_filter([&](int from, wire::Packet& packet) {
    return from == 1 && packet.uet.type == wire::UetType::kRudiResponse && lost++ < 3;
  });
  ASSERT_TRUE(jobs.write(0, {.local = jobs.sge(0, 0, 100),
                             .remote_address = TrafficEnds::kBase + kRoom,
                             .remote_key = jobs.pair.key(1),
                             .delivery = SesDelivery::kRudi}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  EXPECT_EQ(jobs.pair.counters(0).retransmissions, 3U);
}

TEST(UetJob, ARudiRequestWithoutResponseFailsInTheEnd) {
  UetJobPair jobs({.uet = {.max_retries = 3}});
  jobs.pair.set_filter([](int from, wire::Packet&) { return from == 0; });
  ASSERT_TRUE(jobs.write(0, {.local = jobs.sge(0, 0, kLength),
                             .remote_address = TrafficEnds::kBase + kRoom,
                             .remote_key = jobs.pair.key(1),
                             .delivery = SesDelivery::kRudi}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kUndeliverable);
  EXPECT_TRUE(jobs.at_rest());
}

//= uet-1.0 3.5
TEST(UetJob, TrimmedRudiPacketsAreSentAgainWithoutATimeout) {
  UetJobPair jobs({.uet = {.trimming = true}});
  int left = 2;
  jobs.pair.set_filter([&](int, wire::Packet& packet) {
    if (packet.has(wire::kTrimmable) && left > 0) {
      packet.common.flags |= wire::kTrimmed;
      if (left-- == 2)
        packet.common.flags |= wire::kTrimmedLastHop;
      packet.common.payload_bytes = 0;
    }
    return false;
  });
  ASSERT_TRUE(jobs.write(0, {.local = jobs.sge(0, 0, 1'000),
                             .remote_address = TrafficEnds::kBase + kRoom,
                             .remote_key = jobs.pair.key(1),
                             .delivery = SesDelivery::kRudi}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  EXPECT_EQ(sent_nacks(jobs, 1, UetNack::kTrimmed) + sent_nacks(jobs, 1, UetNack::kTrimmedLastHop), 2U);
  left = 1;  // of the answer to a READ
  ASSERT_TRUE(jobs.read(0, {.local = jobs.sge(0, 0, 1'000),
                            .remote_address = TrafficEnds::kBase + kRoom,
                            .remote_key = jobs.pair.key(1),
                            .delivery = SesDelivery::kRudi}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  EXPECT_EQ(jobs.pair.counters(0).timeouts, 0U);
}

//= uet-1.0 3.5
TEST(UetJob, ATargetWithoutRoomForRudiResponsesSaysSo) {
  UetPairOptions options;
  options.other_uet = transport::UetOptions{.max_rudi_responses = 1};
  UetJobPair jobs(options);
  fill(jobs, 0, 0, 3);
  ASSERT_TRUE(jobs.write(0, {.local = jobs.sge(0, 0, kLength),
                             .remote_address = TrafficEnds::kBase + kRoom,
                             .remote_key = jobs.pair.key(1),
                             .delivery = SesDelivery::kRudi}));
  jobs.pair.run_until(jobs.pair.now() + 1_us);
  for (int i = 0; i < 3; ++i)  // all at once
    jobs.pair.inject(1, jobs.pair.last_sent(0));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 0), Code::kOk);
  EXPECT_GE(sent_nacks(jobs, 1, UetNack::kNoPacketBuffer), 1U);
  EXPECT_TRUE(arrived(jobs));
}

TEST(UetJob, APortThatClosesEndsWhatItHasUnderWay) {
  UetJobPair jobs({});
  ASSERT_TRUE(jobs.receive(0, {.id = 1, .local = jobs.sge(0, 0, 100)}));
  ASSERT_TRUE(jobs.send(0, {.id = 2, .local = jobs.sge(0, 0, kLength), .tag = 7, .form = SesForm::kDeferrable}));
  jobs.pair.run_until(jobs.pair.now() + 50_us);
  jobs.messenger(0).close(jobs.ports[0], jobs.pair.now());
  const auto completions = jobs.poll(0);
  ASSERT_EQ(completions.size(), 2U);
  EXPECT_EQ(completions[0].status, Code::kCancelled);
  EXPECT_EQ(completions[1].status, Code::kCancelled);
  EXPECT_FALSE(jobs.send(0, {.local = jobs.sge(0, 0, 10)}));
  // What comes for it now is for nobody.
  ASSERT_TRUE(jobs.send(1, {.local = jobs.sge(1, 0, 10)}));
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(status_of_only(jobs, 1), Code::kBadJobId);
}

TEST(UetJob, WhatCannotBeIsRefusedWhenItIsAsked) {
  UetJobPair jobs({});
  EXPECT_FALSE(jobs.send(0, {.local = {.address = 1, .length = 10, .lkey = 1}}));
  EXPECT_FALSE(jobs.send(0, {.local = jobs.sge(0, 0, 10), .delivery = SesDelivery::kRudi}));
  EXPECT_FALSE(jobs.send(0, {.local = jobs.sge(0, 0, 10), .form = SesForm::kRendezvous, .eager = 11}));
  EXPECT_FALSE(jobs.send(0, {.local = jobs.sge(0, 0, 10), .eager = 5}));
  EXPECT_FALSE(jobs.messenger(0).open({.address = UetJobPair::address(0), .pd = jobs.pair.side(0).pd}));
  EXPECT_FALSE(jobs.messenger(0).open({.address = {.pid_on_fep = 0x1000}, .pd = jobs.pair.side(0).pd}));
  EXPECT_FALSE(jobs.messenger(0).open({.address = {}, .pd = jobs.pair.side(0).pd, .initiator = 0xFFFFFFFF}));
  const std::uint32_t qpn = jobs.pair.side(0).qpn.value();
  EXPECT_FALSE(jobs.messenger(0).open({.address = transport::SesAddress::of(qpn), .pd = jobs.pair.side(0).pd}));
  EXPECT_FALSE(jobs.messenger(0).receive(77, {}, jobs.pair.now()));
}

}  // namespace
}  // namespace weft::testing
