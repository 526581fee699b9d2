// Priority flow control: what a pause says, when it is sent, when it takes effect and ends, and how much still comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/ethernet/pause_content.h"
#include "wire/pfc_frame.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kFast{100_gbps, 300_ns};
constexpr Cable kStuck{1_mbps, 300_ns};  // a frame takes 33 ms: nothing leaves while a test looks
constexpr std::uint16_t kFrame = 4158;
constexpr std::uint32_t kPauseWire = 84;

//= ieee-802.1Q 36
TEST(Pfc, APauseIsAFrameOf802Dot1Qbb) {
  PauseContent content;
  content.enabled = 0b1010'0001;
  content.quanta = {7, 0, 0, 0, 0, 0xFFFF, 0, 0};
  wire::Packet packet;
  content.store(packet);
  const wire::PfcFrame frame = PauseContent::load(packet).to_frame();
  std::array<std::byte, wire::PfcFrame::kSize> bytes{};
  frame.emit(bytes);
  const Result<wire::PfcFrame> read = wire::PfcFrame::parse(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->enabled, content.enabled);
  EXPECT_EQ(read->quanta, content.quanta);
}

struct PauseTap final : Tap {
  struct Frame {
    PortIndex port;
    Direction direction;
    PauseContent content;
    Time at;
    std::uint16_t wire_bytes;
  };
  void on_frame(PortIndex port, Direction direction, const wire::Packet& packet, Time at) override {
    if (packet.common.kind == wire::PacketKind::kFlowControl) {
      frames.push_back({port, direction, PauseContent::load(packet), at, packet.common.wire_bytes});
    }
  }
  std::vector<Frame> frames;
};

/// Two hosts that send and one that takes a frame now and then; pauses of host 0's cable are tapped at both ends.
struct Congested {
  explicit Congested(EthernetOptions options, const Cable& drain = kStuck)
      : world(star({kFast, kFast, drain}), std::move(options)) {
    const std::array<PortIndex, 2> ports{0, world.switch_port(0)};
    world.fabric->set_tap(&tap, ports);
  }
  [[nodiscard]] std::vector<PauseTap::Frame> pauses(Tap::Direction direction) const {
    std::vector<PauseTap::Frame> some;
    std::copy_if(tap.frames.begin(), tap.frames.end(), std::back_inserter(some),
                 [&](const PauseTap::Frame& frame) { return frame.direction == direction; });
    return some;
  }
  World world;
  PauseTap tap;
};

EthernetOptions limited(Bytes limit, Duration response = Duration::zero()) {
  PriorityOptions priority;
  priority.ingress_limit = limit;
  EthernetOptions options = one_profile(200_ns, priority);
  options.ports[0].pause_response = response;
  return options;
}

TEST(Pfc, PausesUpstreamWithThePacketThatReachesTheLimit) {
  Congested congested(limited(Bytes(3 * kFrame)));
  congested.world.send(0, {.to = EndpointId(2), .count = 100});
  congested.world.run(Time::zero() + 50_us);
  const auto sent = congested.pauses(Tap::Direction::kSent);
  ASSERT_FALSE(sent.empty());
  // The first frame leaves at once; the fourth is the third to wait, and fills the group.
  const Time in_hand = Time::zero() + wire_time(kFast.rate, kFrame) * 4 + kFast.propagation + 200_ns;
  EXPECT_EQ(sent[0].at, in_hand);
  EXPECT_EQ(sent[0].content.enabled, 1U << 3);
  EXPECT_EQ(sent[0].content.quanta[3], 0xFFFF);
  EXPECT_EQ(sent[0].wire_bytes, kPauseWire);
}

TEST(Pfc, APauseThatMeetsAPacketOnTheWireStopsTheNextOneNotThisOne) {
  const Duration response = 70_ns;
  Congested congested(limited(Bytes(kFrame), response));
  congested.world.send(0, {.to = EndpointId(2), .count = 100});
  congested.world.run(Time::zero() + 50_us);
  const auto sent = congested.pauses(Tap::Direction::kSent);
  ASSERT_FALSE(sent.empty());
  const Time effect = sent[0].at + kFast.rate.transmit_time(Bytes(kPauseWire)) + kFast.propagation + response;
  const std::vector<Time>& starts = congested.world[0].sent;
  ASSERT_LT(starts.size(), 100U);
  EXPECT_LT(starts.back(), effect);
  EXPECT_GT(starts.back() + wire_time(kFast.rate, kFrame), effect);  // it was on the wire, and was not cut
  EXPECT_EQ(congested.world.fabric->drops().total(), 0U);
  EXPECT_EQ(congested.world.fabric->group(congested.world.switch_port(0), 3).held(), (starts.size() - 1) * kFrame);
}

TEST(Pfc, OtherPrioritiesGoOn) {
  EthernetOptions options = limited(Bytes(kFrame));
  Congested congested(options);
  congested.world.send(0, {.to = EndpointId(2), .count = 100});
  congested.world.send(0, {.to = EndpointId(1), .count = 1'000, .priority = 0});
  congested.world.run(Time::zero() + 1_ms);
  EXPECT_EQ(congested.world[1].received.size(), 1'000U);
  EXPECT_LT(congested.world[0].sent.size(), 1'010U);
}

TEST(Pfc, ALossyPriorityObeysNoPause) {
  // The switch keeps priority 3 lossless, host 0's port does not.
  EthernetOptions options = limited(Bytes(kFrame));
  options.ports.push_back({});
  options.port_profile = {1, 0, 0, 0, 0, 0};
  Congested congested(options);
  congested.world.send(0, {.to = EndpointId(2), .count = 50});
  congested.world.run(Time::zero() + 100_us);
  EXPECT_EQ(congested.world[0].sent.size(), 50U);
  EXPECT_GT(congested.world.fabric->drops().buffer_full, 0U);
}

TEST(Pfc, IsRepeatedAtHalfItsTimeWhileItLasts) {
  constexpr std::uint16_t kQuanta = 1'000;
  EthernetOptions options = limited(Bytes(kFrame));
  options.ports[0].pause_quanta = kQuanta;
  Congested congested(options);
  congested.world.send(0, {.to = EndpointId(2), .count = 100});
  congested.world.run(Time::zero() + 500_us);
  const auto sent = congested.pauses(Tap::Direction::kSent);
  ASSERT_GT(sent.size(), 10U);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].at - sent[i - 1].at, wire::pause_time(kFast.rate, kQuanta) / 2);
  }
  // Nothing started after the first one's effect.
  EXPECT_LT(congested.world[0].sent.back(), sent[1].at);
  EXPECT_EQ(congested.world.fabric->pauses(congested.world.switch_port(0)).pauses_sent[3], sent.size());
}

TEST(Pfc, EndsWhenItsQuantaHavePassed) {
  // A quantum is shorter than the frame that would renew it: between two pauses the priority is free.
  EthernetOptions options = limited(Bytes(kFrame));
  options.ports[0].pause_quanta = 1;
  Congested congested(options);
  congested.world.send(0, {.to = EndpointId(2), .count = 40});
  congested.world.run(Time::zero() + 100_us);
  std::vector<Time> ends;
  for (const auto& frame : congested.pauses(Tap::Direction::kReceived)) {
    ends.push_back(frame.at + wire::pause_time(kFast.rate, 1));
  }
  int at_an_end = 0;
  for (const Time start : congested.world[0].sent) {
    at_an_end += std::binary_search(ends.begin(), ends.end(), start) ? 1 : 0;
  }
  EXPECT_GT(at_an_end, 0);
  EXPECT_EQ(congested.world[0].sent.size(), 40U);
}

TEST(Pfc, AResumptionFreesTheSenderWhenItArrives) {
  EthernetOptions options = limited(Bytes(2 * kFrame));
  Congested congested(options, {10_gbps, 300_ns});
  congested.world.send(0, {.to = EndpointId(2), .count = 100});
  congested.world.run();
  EXPECT_EQ(congested.world.delivered(), 100U);
  int resumptions = 0;
  const std::vector<Time>& starts = congested.world[0].sent;
  for (const auto& frame : congested.pauses(Tap::Direction::kReceived)) {
    if (frame.content.quanta[3] == 0) {
      ++resumptions;
      EXPECT_TRUE(frame.at > starts.back() || std::binary_search(starts.begin(), starts.end(), frame.at));
    }
  }
  EXPECT_GT(resumptions, 2);
  const PauseRecord& record = congested.world.fabric->pauses(0);
  EXPECT_GT(record.paused_total[3], Duration::zero());
  EXPECT_EQ(record.pauses_received[3], congested.world.fabric->pauses(congested.world.switch_port(0)).pauses_sent[3]);
}

TEST(Pfc, HysteresisMakesPausesFewerAndLonger) {
  const auto run = [](std::int64_t offset) {
    PriorityOptions priority;
    priority.ingress_limit = Bytes(20 * kFrame);
    priority.xon_offset = Bytes(offset);
    Congested congested(one_profile(200_ns, priority), {50_gbps, 300_ns});
    congested.world.send(0, {.to = EndpointId(2), .count = 2'000});
    congested.world.run();
    EXPECT_EQ(congested.world.delivered(), 2'000U);
    return congested.world.fabric->pauses(0).pauses_received[3];
  };
  const std::uint32_t without = run(0);
  const std::uint32_t with = run(10 * kFrame);
  EXPECT_GT(with, 0U);
  EXPECT_GT(without, 2 * with);
}

// Headroom: the worst that can happen, constructed. Host 0 sends without a break into a group that nothing leaves. The
// pause is decided just after the switch has begun a frame to host 0, and takes effect just after host 0 has begun one.
struct WorstCase {
  static constexpr Duration kInstant = Duration::picoseconds(1);
  static constexpr std::int64_t kFramesUnderWay = 5;

  explicit WorstCase(std::int64_t less_headroom) {
    const Duration frame = wire_time(kFast.rate, kFrame);
    const Duration pause = kFast.rate.transmit_time(Bytes(kPauseWire));
    // pause + there and back + pipeline + response = whole frames and two instants
    pipeline = frame * kFramesUnderWay - pause - kFast.propagation * 2 - response + kInstant * 2;
    const Bytes headroom = headroom_bytes({.rate = kFast.rate,
                                           .propagation = kFast.propagation,
                                           .pipeline = pipeline,
                                           .response = response,
                                           .peer_frame = Bytes(kFrame),
                                           .local_frame = Bytes(kFrame)});
    PriorityOptions priority;
    priority.ingress_limit = Bytes(kFrame);
    priority.headroom = headroom - Bytes(less_headroom);
    EthernetOptions options = one_profile(pipeline, priority);
    options.ports[0].pause_response = response;
    world = std::make_unique<World>(star({kFast, kFast, kStuck}), options);
    world->send(0, {.to = EndpointId(2), .count = 200});
    // The pause is decided when the second frame is in hand.
    decided = Time::zero() + frame * 2 + kFast.propagation + pipeline;
    world->send(1, {.to = EndpointId(0),
                    .count = 1,
                    .priority = 0,
                    .at = decided - kInstant - pipeline - kFast.propagation - frame});
    world->run(Time::zero() + 100_us);
  }
  Duration response = 150_ns;
  Duration pipeline;
  Time decided;
  std::unique_ptr<World> world;
};

TEST(PfcHeadroom, InTheWorstCaseNothingIsLost) {
  const WorstCase worst(0);
  EXPECT_EQ(worst.world->fabric->drops().total(), 0U);
  // It is the worst case: the last frame began an instant before the pause took effect, which the frame in its way
  // had kept back for all but an instant of its length.
  const Time effect = worst.decided - WorstCase::kInstant + wire_time(kFast.rate, kFrame) +
                      kFast.rate.transmit_time(Bytes(kPauseWire)) + kFast.propagation + worst.response;
  EXPECT_EQ(worst.world->talkers[0].sent.back(), effect - WorstCase::kInstant);
  // Behind the one that filled the group: those under way, one frame for each end.
  const IngressGroup& group = worst.world->fabric->group(worst.world->switch_port(0), 3);
  EXPECT_EQ(group.headroom, (WorstCase::kFramesUnderWay + 2) * kFrame);
}

TEST(PfcHeadroom, AFrameLessLosesOne) {
  const WorstCase worst(kFrame);
  EXPECT_EQ(worst.world->fabric->drops().buffer_full, 1U);
}

TEST(PfcHeadroom, TheFormulaIsLooseByNoMoreThanGapsAndRounding) {
  // A gap per frame is counted as if it were stored, and a byte for rounding.
  const std::int64_t slack = WorstCase::kFramesUnderWay * wire::kEthernetGapBytes + 20 + 1;
  EXPECT_EQ(WorstCase(slack).world->fabric->drops().total(), 0U);
  EXPECT_EQ(WorstCase(slack + 1).world->fabric->drops().total(), 1U);
}

TEST(PfcHeadroom, HoldsForEveryRateCableAndFrame) {
  for (const Rate rate : {10_gbps, 100_gbps, 400_gbps}) {
    for (const Duration propagation : {15_ns, 1_us, 5_us}) {
      for (const std::uint16_t frame : {std::uint16_t{1086}, kFrame}) {
        PriorityOptions priority;
        priority.ingress_limit = Bytes(frame);
        EthernetOptions options = one_profile(400_ns, priority);
        options.switches[0].buffer = Bytes(64 << 20);
        options.ports[0].pause_response = 100_ns;
        options.ports[0].mtu_frame = Bytes(frame);
        const Cable cable{rate, propagation};
        World world(star({cable, cable, kStuck}), options);
        world.send(0, {.to = EndpointId(2), .count = 3'000, .frame_bytes = frame});
        world.send(1, {.to = EndpointId(0), .count = 3'000, .frame_bytes = frame, .priority = 0});
        world.run(Time::zero() + 200_us);
        EXPECT_EQ(world.fabric->drops().total(), 0U);
        EXPECT_LT(world[0].sent.size(), 3'000U);
      }
    }
  }
}

TEST(PfcHeadroom, ABufferThatCannotHoldItIsRefused) {
  EthernetOptions options = one_profile();
  options.switches[0].buffer = Bytes(20'000);
  sim::Kernel kernel;
  PacketPool packets;
  const auto made =
      EthernetFabric::create(star({kFast, kFast, kFast}), options, {.kernel = kernel, .packets = packets});
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("switch"), std::string::npos);
  EXPECT_NE(made.error().message.find("headroom"), std::string::npos);
}

// The DCQCN paper's example: 12 MB, 32 ports of 40 Gb/s, 8 priorities, 22.4 kB of headroom each.
TEST(PfcThresholds, AreThoseOfTheDcqcnPaper) {
  constexpr std::int64_t kBuffer = 12'000'000;
  constexpr std::int64_t kGroups = 32 * 8;
  EthernetOptions options;
  options.switches[0].buffer = Bytes(kBuffer);
  for (PriorityOptions& priority : options.ports[0].priorities) {
    priority.lossless = true;
    priority.headroom = Bytes(22'400);
    priority.ingress_alpha_shift = 3;  // beta = 8
  }
  World world(star(std::vector<Cable>(32, Cable{40_gbps, 1_us})), options);
  const SharedBuffer& buffer = world.fabric->buffer(0);
  // A static threshold may be what each group gets of what headroom leaves.
  const std::int64_t pool = buffer.pool();
  EXPECT_EQ(pool, kBuffer - kGroups * 22'400);
  EXPECT_EQ(pool / kGroups, 24'475);
  // Dynamic: a pause comes no sooner than when the groups of one queue, n of them with t_ECN each, leave
  // beta (pool - n t) = t. The paper bounds it with all groups of a priority set counted.
  const std::int64_t t_ecn = 8 * pool / (kGroups * (8 + 1));
  EXPECT_EQ((8 * pool + kGroups * 9 / 2) / (kGroups * 9), 21'756);
  // Below it no group is at its limit, even with all of them this deep.
  SharedBuffer filled = buffer;
  std::vector<IngressGroup> groups(kGroups, IngressGroup{.headroom_limit = 22'400, .alpha_shift = 3, .lossless = true});
  for (IngressGroup& group : groups) {
    EXPECT_EQ(filled.admit(group, static_cast<std::uint32_t>(t_ecn)), SharedBuffer::Admission::kAdmitted);
  }
}

struct Watched {
  static constexpr Duration kDetect = 20_us;
  static constexpr Duration kRestore = 200_us;

  // host0 - s0 - s1 - host1, whose cable takes a frame in 33 us: s1 pauses s0 for longer than the watchdog allows.
  explicit Watched(PfcWatchdogOptions::Action action, std::uint64_t count) {
    PriorityOptions priority;
    priority.ingress_limit = Bytes(kFrame);
    EthernetOptions options = one_profile(100_ns, priority);
    options.ports.push_back(options.ports[0]);
    options.ports[1].watchdog = {.detect = kDetect, .restore = kRestore, .action = action};
    options.port_profile = {0, 0, 1, 0, 0, 0};  // s0's port to s1
    world = std::make_unique<World>(chain({kFast, kFast, {1_gbps, 300_ns}}), options);
    port = world->switch_port(0) + 1;
    world->send(0, {.to = EndpointId(1), .count = count});
  }
  std::unique_ptr<World> world;
  PortIndex port = 0;
};

TEST(PfcWatchdog, DropsWhatWaitsBehindAStorm) {
  Watched watched(PfcWatchdogOptions::Action::kDrop, 30);
  EXPECT_EQ(watched.world->run_checked(), "");
  EXPECT_GT(watched.world->fabric->pauses(watched.port).storms[3], 0U);
  EXPECT_GT(watched.world->fabric->drops().watchdog, 0U);
  EXPECT_EQ(watched.world->fabric->drops().buffer_full, 0U);
  EXPECT_EQ(watched.world->delivered() + watched.world->fabric->drops().watchdog, 30U);
}

TEST(PfcWatchdog, OrForwardsItPastThePause) {
  Watched watched(PfcWatchdogOptions::Action::kForward, 30);
  EXPECT_EQ(watched.world->run_checked(), "");
  EXPECT_GT(watched.world->fabric->pauses(watched.port).storms[3], 0U);
  EXPECT_EQ(watched.world->fabric->drops().watchdog, 0U);
  EXPECT_GT(watched.world->fabric->drops().buffer_full, 0U);  // at the port that had asked for the pause
  EXPECT_EQ(watched.world->delivered() + watched.world->fabric->drops().total(), 30U);
}

TEST(PfcWatchdog, RestoresThePriorityAfterAQuietTime) {
  Watched watched(PfcWatchdogOptions::Action::kDrop, 30);
  watched.world->send(0, {.to = EndpointId(1), .count = 2, .at = Time::zero() + 2_ms});
  watched.world->run(Time::zero() + 1_ms);
  EXPECT_EQ(watched.world->fabric->port(watched.port).watchdog_tripped, 0U);
  const std::uint64_t before = watched.world->delivered();
  watched.world->run();
  EXPECT_EQ(watched.world->delivered(), before + 2);
}

TEST(PfcWatchdog, StepsInOnlyAfterItsDetectionTime) {
  Watched watched(PfcWatchdogOptions::Action::kDrop, 30);
  const PauseRecord& record = watched.world->fabric->pauses(watched.port);
  while (record.pauses_received[3] == 0) {
    (void)watched.world->kernel.run(Time::never(), 1, *watched.world);
  }
  const Time since = record.paused_since[3];
  watched.world->run(since + Watched::kDetect - 1_ps);
  EXPECT_EQ(record.storms[3], 0U);
  watched.world->run(since + Watched::kDetect);
  EXPECT_EQ(record.storms[3], 1U);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
