// What a peer of a job may send that no peer should, header by header: nothing is delivered twice, nothing is written
// but where a key allows it, nothing hangs, and what is kept for it is bounded.
#include <gtest/gtest.h>

#include <map>

#include "tests/property/seeds.h"
#include "tests/property/uet_forge.h"
#include "tests/property/uet_job_pair.h"

namespace weft::testing {
namespace {

using namespace literals;
using transport::SesCompletion;
using transport::SesDelivery;
using transport::SesForm;
using Code = wire::uet::SesReturnCode;

/// One field of a packet that is on its way becomes another.
void spoil(CarriedPacket& packet, RandomStream& random) {
  wire::UetHeader& header = packet.packet.uet;
  switch (random.uniform(12)) {
    case 0:
      header.psn += static_cast<std::uint32_t>(random.uniform(64));
      break;
    case 1:
      header.request.operation = static_cast<std::uint8_t>(random.uniform(0x14));
      break;
    case 2:
      header.request.buffer_offset = random.uniform(2) == 0 ? random.uniform(8'192) : random.next();
      break;
    case 3:
      header.request.message_id = static_cast<std::uint16_t>(random.uniform(64));
      break;
    case 4:
      header.request.memory_key = static_cast<std::uint32_t>(random.next());
      break;
    case 5:
      header.request.ses_flags = static_cast<std::uint8_t>(random.uniform(64));
      break;
    case 6:
      header.flags = static_cast<std::uint8_t>(random.uniform(128));
      break;
    case 7:
      header.type = static_cast<wire::UetType>(random.uniform(16));
      break;
    case 8:
      packet.cold.uet.length = static_cast<std::uint32_t>(random.next());
      break;
    case 9:
      packet.cold.uet.compare = random.next();  // generation, eager part
      break;
    case 10:
      packet.cold.uet.header_data = random.uniform(64);
      break;
    default:
      packet.cold.sack.words[random.uniform(2)] = random.next();  // tokens, where a rendezvous is read
      break;
  }
}

TEST(UetJobBadPeer, SpoiledHeadersOfThePeerSpoilOnlyWhatIsItsOwn) {
  for_each_seed(5'000, [](std::uint64_t seed) {
    UetPairOptions options;
    options.seed = seed;
    options.uet.max_retries = 6;
    options.uet.timeout = 50_us;
    options.uet.max_timeout = 200_us;
    UetJobPair jobs(options, {.unexpected_bytes = 20'000, .max_reads = 4});
    RandomStream random(seed, "peer");
    int left = 100;
    bool forging = false;
    jobs.pair.set_filter([&](int from, wire::Packet&) {
      if (left-- <= 0 || forging)
        return false;
      forging = true;
      CarriedPacket forged = jobs.pair.last_sent(from);
      if (random.uniform(4) == 0) {
        forged = random_packet(random, EndpointId(static_cast<std::uint32_t>(from)));
      } else {
        spoil(forged, random);
      }
      jobs.pair.inject(1 - from, forged);
      forging = false;
      return false;
    });
    std::map<std::pair<int, std::uint64_t>, int> posted;
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (int side = 0; side < 2; ++side) {
        const auto form = static_cast<SesForm>(random.uniform(3));
        if (random.uniform(2) == 0) {
          (void)jobs.receive(
              1 - side, {.id = 100 + i, .local = jobs.sge(1 - side, 500'000 + i * 8'192, 8'192), .wanted = {.tag = i}});
          ++posted[{1 - side, 100 + i}];
        }
        ASSERT_TRUE(jobs.send(side, {.id = i,
                                     .local = jobs.sge(side, i * 8'192, 3'000),
                                     .tag = i,
                                     .form = form,
                                     .eager = form == SesForm::kRendezvous ? 1'000U : 0U,
                                     .delivery = static_cast<SesDelivery>(random.uniform(2))}));
        ++posted[{side, i}];
        const transport::SesAccess access{.id = 50 + i,
                                          .local = jobs.sge(side, 200'000 + i * 8'192, 3'000),
                                          .remote_address = TrafficEnds::kBase + 350'000 + i * 8'192,
                                          .remote_key = jobs.pair.key(1 - side),
                                          .delivery = static_cast<SesDelivery>(random.uniform(3))};
        ASSERT_TRUE(random.uniform(2) == 0 ? jobs.write(side, access) : jobs.read(side, access));
        ++posted[{side, 50 + i}];
      }
    }
    ASSERT_TRUE(jobs.pair.run());
    for (int side = 0; side < 2; ++side) {
      jobs.messenger(side).close(jobs.ports[static_cast<std::size_t>(side)], jobs.pair.now());
      for (const SesCompletion& completion : jobs.poll(side))
        EXPECT_GE(--posted[std::make_pair(side, completion.id)], 0) << "two completions for " << completion.id;
      EXPECT_EQ(jobs.messenger(side).outgoing() + jobs.messenger(side).incoming() + jobs.messenger(side).answers(), 0U);
      EXPECT_TRUE(jobs.pair.side(side).guards_intact());
    }
    // With its port closed, all that a side had asked for has come to an end.
    for (const auto& [what, count] : posted)
      EXPECT_EQ(count, 0) << "side " << what.first << ", id " << what.second;
  });
}

TEST(UetJobBadPeer, MessagesThatAreNeverFinishedAreForgottenWithTheirContext) {
  UetJobPair jobs({});
  ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, 5'000), .tag = 1}));
  jobs.pair.run_until(jobs.pair.now() + 20_us);
  // As if it went on with first packets of others.
  CarriedPacket packet = jobs.pair.last_sent(0);
  packet.packet.uet.flags = 0;
  packet.packet.uet.destination_pdc = 1;
  for (std::uint16_t i = 0; i < 100; ++i) {
    ++packet.packet.uet.psn;
    packet.packet.uet.request.message_id = static_cast<std::uint16_t>(1'000 + i);
    packet.packet.uet.request.buffer_offset = 0;
    jobs.pair.inject(1, packet);
  }
  EXPECT_EQ(jobs.messenger(1).incoming(), 101U);
  EXPECT_LE(jobs.messenger(1).unexpected_bytes(jobs.ports[1]), 1U << 20);
  ASSERT_TRUE(jobs.pair.run());
  EXPECT_EQ(jobs.messenger(1).incoming(), 1U);  // the one that is whole
  EXPECT_EQ(jobs.messenger(1).unexpected_bytes(jobs.ports[1]), 5'000U);
}

// A second copy of a CLOSE, and a refusal of a packet, that come when a context of the same numbers is open again.
//= uet-1.0 3.5
TEST(UetJobBadPeer, WhatIsLateOfAnEarlierContextMeansNothing) {
  UetPairOptions options;
  options.uet.idle_close = 5_us;
  UetJobPair jobs(options);
  CarriedPacket close;
  jobs.pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && packet.uet.type == wire::UetType::kControl &&
        packet.uet.notice.code == static_cast<std::uint8_t>(wire::UetControl::kClose))
      close = jobs.pair.last_sent(0);
    return false;
  });
  const auto send = [&](std::uint32_t tag) {
    ASSERT_TRUE(jobs.send(0, {.local = jobs.sge(0, 0, 5'000), .tag = tag, .form = transport::SesForm::kDeferrable}));
  };
  send(1);
  ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, 65'536, 8'192), .wanted = {.tag = 1}}));
  ASSERT_TRUE(jobs.pair.run());
  ASSERT_EQ(jobs.poll(0).size(), 1U);
  ASSERT_EQ(jobs.poll(1).size(), 1U);
  ASSERT_NE(close.packet.uet.psn, 0U) << "no context was closed";

  send(2);  // it waits for its receive, and holds its context
  jobs.pair.run_until(jobs.pair.now() + 3_us);
  ASSERT_EQ(close.packet.uet.source_pdc, jobs.pair.last_sent(0).packet.uet.source_pdc) << "other numbers";
  const CarriedPacket acknowledgement = jobs.pair.last_sent(1);
  ASSERT_EQ(close.packet.uet.destination_pdc, acknowledgement.packet.uet.source_pdc) << "other numbers";
  jobs.pair.inject(1, close);
  CarriedPacket refusal = acknowledgement;
  refusal.packet.uet.type = wire::UetType::kNack;
  refusal.packet.uet.flags = 0;
  refusal.packet.uet.psn = close.packet.uet.psn;
  refusal.packet.uet.notice = {.payload = close.packet.uet.psn,
                               .code = static_cast<std::uint8_t>(wire::UetNack::kPacketNotReceived)};
  jobs.pair.inject(0, refusal);
  jobs.pair.run_until(jobs.pair.now() + 3_us);
  EXPECT_EQ(jobs.pair.counters(0).failed + jobs.pair.counters(1).failed, 0U);
  ASSERT_TRUE(jobs.receive(1, {.local = jobs.sge(1, 65'536, 8'192), .wanted = {.tag = 2}}));
  ASSERT_TRUE(jobs.pair.run());
  const auto completions = jobs.poll(0);
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].status, wire::uet::SesReturnCode::kOk);
}

}  // namespace
}  // namespace weft::testing
