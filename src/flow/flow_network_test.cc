#include "flow/flow_network.h"

#include <gtest/gtest.h>

#include <memory>

#include "flow/flow_machine.h"

namespace weft::flow {
namespace {

using verbs::WrOpcode;

constexpr Rate kLine = Rate::bits_per_second(100'000'000'000);
constexpr Bytes kHeaders = Bytes(100);
constexpr Bytes kAcknowledgement = Bytes(80);
constexpr std::int64_t kPayload = 4'096;
constexpr Duration kRoundTrip = 2_us;
const HostStages kStages{.before_wire = 300_ns, .completion = 200_ns, .arrival = 150_ns};
const std::vector<Hop> kHops{{.delay = 500_ns, .rate = kLine}, {.delay = 100_ns, .rate = kLine}};

MessagePackets packets_of_message(std::int64_t bytes) {
  const std::int64_t packets = std::max<std::int64_t>((bytes + kPayload - 1) / kPayload, 1);
  return {.data = Bytes(bytes) + kHeaders * packets,
          .first = Bytes(std::min(bytes, kPayload)) + kHeaders,
          .full = Bytes(std::min(bytes, kPayload)) + kHeaders,
          .last = Bytes(bytes - (packets - 1) * kPayload) + kHeaders,
          .other = kAcknowledgement};
}

/// Endpoints at one switch.
class Star final : public Medium {
 public:
  explicit Star(std::uint32_t endpoints) : endpoints_(endpoints) {}
  [[nodiscard]] std::vector<double> capacities() const {
    return std::vector<double>(2 * std::size_t{endpoints_}, static_cast<double>(kLine.bits_per_second()));
  }
  [[nodiscard]] Result<Route> route(const PathEnds& ends) override {
    return Route{.links = {{ends.from.value()}, {endpoints_ + ends.to.value()}},
                 .queues = 2,
                 .hops = kHops,
                 .round_trip = kRoundTrip};
  }
  [[nodiscard]] MessagePackets packets_of(const MessageQuery& message) override {
    return packets_of_message(message.size.count());
  }
  [[nodiscard]] HostStages stages_of(const MessageQuery&) override { return kStages; }
  [[nodiscard]] verbs::DeviceAttributes device_of(EndpointId) override { return {}; }

 private:
  std::uint32_t endpoints_;
};

/// A host whose program keeps what completes, and when.
struct Host {
  FlowMachine* machine = nullptr;
  verbs::Provider* provider = nullptr;
  verbs::PdHandle pd{};
  verbs::CqHandle cq{};
  struct Seen {
    verbs::WorkCompletion what;
    Time at;
  };
  std::vector<Seen> seen{};
  std::function<void()> first{};  // at its start

  [[nodiscard]] Time finished(std::uint64_t wr_id) const {
    for (const Seen& one : seen) {
      if (one.what.wr_id == wr_id) {
        return one.at;
      }
    }
    return Time::never();
  }
};

class Hosts {
 public:
  explicit Hosts(std::uint32_t count, const Corrections& corrections = {})
      : star_(count), network_(star_, star_.capacities(), corrections) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Host& host = *hosts_.emplace_back(std::make_unique<Host>());
      host.machine = &network_.add_machine(i, {});
      host.machine->add_rail(EndpointId(i), kLine, verbs::RailKind::kScaleOut);
      host.provider = host.machine->rails()[0].provider;
      host.pd = *host.provider->alloc_pd();
      host.cq = *host.provider->create_cq(1'000);
      host.machine->set_program([&host]() -> Result<void> {
        if (auto first = std::exchange(host.first, nullptr); first) {
          first();
        }
        verbs::WorkCompletion completion;
        while (*host.provider->poll_cq(host.cq, {&completion, 1}) == 1) {
          host.seen.push_back({completion, host.machine->now()});
        }
        return {};
      });
    }
  }
  [[nodiscard]] Host& operator[](std::size_t i) { return *hosts_[i]; }
  [[nodiscard]] FlowNetwork& network() { return network_; }

  /// The queue pair at `from`; that at `to` has the number of the second.
  [[nodiscard]] std::pair<Qpn, Qpn> join(std::uint32_t from, std::uint32_t to) {
    const auto make = [](Host& host) {
      return *host.provider->create_qp({.pd = host.pd, .send_cq = host.cq, .recv_cq = host.cq});
    };
    const std::pair<Qpn, Qpn> made{make(*hosts_[from]), make(*hosts_[to])};
    bring_up(from, made.first, to, made.second);
    bring_up(to, made.second, from, made.first);
    return made;
  }

  void post(std::uint32_t from, Qpn pair, WrOpcode opcode, std::int64_t bytes, std::uint64_t wr_id) {
    const verbs::Sge element{.length = static_cast<std::uint32_t>(bytes)};
    const auto posted = hosts_[from]->provider->post_send(
        pair, {.wr_id = wr_id, .sg_list = {&element, 1}, .opcode = opcode, .send_flags = verbs::kSendSignaled});
    ASSERT_TRUE(posted) << posted.error().message;
  }
  void receive(std::uint32_t at, Qpn pair, std::uint64_t wr_id) {
    const verbs::Sge element{.length = 1U << 30};
    ASSERT_TRUE(hosts_[at]->provider->post_recv(pair, {.wr_id = wr_id, .sg_list = {&element, 1}}));
  }

  void run() {
    network_.start();
    ASSERT_EQ(network_.run(Time::never(), 1'000'000), FlowNetwork::Stop::kIdle);
  }

 private:
  void bring_up(std::uint32_t from, Qpn own, std::uint32_t to, Qpn other) {
    verbs::QpAttributes attributes{.access_flags = verbs::kAccessAll,
                                   .address = {.destination = EndpointId(to)},
                                   .path_mtu = verbs::PathMtu::k4096,
                                   .max_rd_atomic = 2,
                                   .max_dest_rd_atomic = 2,
                                   .destination_qpn = other};
    const std::pair<verbs::QpState, verbs::QpAttributeMask> steps[] = {
        {verbs::QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags},
        {verbs::QpState::kRtr, verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                   verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer},
        {verbs::QpState::kRts,
         verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic}};
    for (const auto& [state, mask] : steps) {
      attributes.state = state;
      const auto moved = hosts_[from]->provider->modify_qp(own, attributes, mask | verbs::kQpState);
      ASSERT_TRUE(moved) << moved.error().message;
    }
  }

  Star star_;
  FlowNetwork network_;
  std::vector<std::unique_ptr<Host>> hosts_;
};

Duration drain(std::int64_t bytes) {
  const std::int64_t packets = (bytes + kPayload - 1) / kPayload;
  return kLine.transmit_time(Bytes(bytes) + kHeaders * packets);
}

Duration write_time(std::int64_t bytes) {
  return kStages.before_wire + drain(bytes) + tail_time(kHops, packets_of_message(bytes)) +
         packet_time(kHops, kAcknowledgement) + kStages.completion;
}

TEST(FlowNetwork, AMessageAloneTakesTheClosedFormOfItsPath) {
  for (const std::int64_t bytes : {1, 4'096, 4'097, 1'000'000}) {
    Hosts hosts(2);
    const Qpn pair = hosts.join(0, 1).first;
    hosts[0].first = [&] { hosts.post(0, pair, WrOpcode::kRdmaWrite, bytes, 7); };
    hosts.run();
    EXPECT_EQ(hosts[0].finished(7), Time::zero() + write_time(bytes)) << bytes;
    EXPECT_TRUE(hosts[1].seen.empty());  // a WRITE tells its target nothing
  }
}

TEST(FlowNetwork, TheReceiverSeesASendBeforeItsSenderIsTold) {
  Hosts hosts(2);
  const auto [pair, other] = hosts.join(0, 1);
  hosts.receive(1, other, 9);
  hosts[0].first = [&, pair = pair] { hosts.post(0, pair, WrOpcode::kSend, 10'000, 7); };
  hosts.run();
  const Time arrived =
      Time::zero() + kStages.before_wire + drain(10'000) + tail_time(kHops, packets_of_message(10'000));
  EXPECT_EQ(hosts[1].finished(9), arrived + kStages.arrival);
  EXPECT_EQ(hosts[1].seen[0].what.byte_len, 10'000U);
  EXPECT_EQ(hosts[0].finished(7), Time::zero() + write_time(10'000));
}

TEST(FlowNetwork, ASendWithoutAReceiveRequestWaitsForOne) {
  Hosts hosts(2);
  const auto [pair, other] = hosts.join(0, 1);
  hosts[0].first = [&, pair = pair] { hosts.post(0, pair, WrOpcode::kSend, 100, 7); };
  hosts.network().at(Time::zero() + 1_ms, [&, other = other] { hosts.receive(1, other, 9); });
  hosts.run();
  EXPECT_EQ(hosts[1].finished(9), Time::zero() + 1_ms);
  EXPECT_GT(hosts[0].finished(7), Time::zero() + 1_ms);
}

/// A request to the target, its data on the way back.
TEST(FlowNetwork, AReadTakesTheWayThereAndTheDataBack) {
  Hosts hosts(2);
  const Qpn pair = hosts.join(0, 1).first;
  hosts[0].first = [&] { hosts.post(0, pair, WrOpcode::kRdmaRead, 50'000, 7); };
  hosts.run();
  EXPECT_EQ(hosts[0].finished(7), Time::zero() + kStages.before_wire + packet_time(kHops, kAcknowledgement) +
                                      drain(50'000) + tail_time(kHops, packets_of_message(50'000)) +
                                      kStages.completion);
}

TEST(FlowNetwork, AWriteBehindAReadCompletesAfterIt) {
  Hosts hosts(2);
  const Qpn pair = hosts.join(0, 1).first;
  hosts[0].first = [&] {
    hosts.post(0, pair, WrOpcode::kRdmaRead, 1'000'000, 1);
    hosts.post(0, pair, WrOpcode::kRdmaWrite, 10, 2);
  };
  hosts.run();
  ASSERT_EQ(hosts[0].seen.size(), 2U);
  EXPECT_EQ(hosts[0].seen[0].what.wr_id, 1U);
  EXPECT_EQ(hosts[0].finished(2), hosts[0].finished(1));
}

TEST(FlowNetwork, ReadsBeyondTheLimitOfAQueuePairWait) {
  Hosts hosts(2);
  const Qpn pair = hosts.join(0, 1).first;  // 2 at a time
  hosts[0].first = [&] {
    for (std::uint64_t i = 0; i < 3; ++i) {
      hosts.post(0, pair, WrOpcode::kRdmaRead, 4'096, i);
    }
  };
  hosts.run();
  // The third is asked for when the first has come.
  EXPECT_EQ(hosts[0].finished(2) - hosts[0].finished(0), packet_time(kHops, kAcknowledgement) + drain(4'096) +
                                                             tail_time(kHops, packets_of_message(4'096)) +
                                                             kStages.completion);
}

/// n senders to one receiver have an n-th of its link each.
TEST(FlowNetwork, AnIncastSharesTheLinkOfItsReceiver) {
  constexpr std::uint32_t kSenders = 4;
  Hosts hosts(kSenders + 1);
  for (std::uint32_t i = 1; i <= kSenders; ++i) {
    const Qpn pair = hosts.join(i, 0).first;
    hosts[i].first = [&hosts, pair, i] { hosts.post(i, pair, WrOpcode::kRdmaWrite, 1'000'000, i); };
  }
  hosts.run();
  for (std::uint32_t i = 1; i <= kSenders; ++i) {
    EXPECT_NEAR(static_cast<double>((hosts[i].finished(i) - Time::zero()).picoseconds()),
                static_cast<double>((write_time(1'000'000) + drain(1'000'000) * (kSenders - 1)).picoseconds()), 10)
        << i;
  }
}

TEST(FlowNetwork, MessagesOfAQueuePairFollowOneAnotherWithoutSolving) {
  constexpr int kMessages = 100;
  Hosts hosts(2);
  const Qpn pair = hosts.join(0, 1).first;
  hosts[0].first = [&] {
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      hosts.post(0, pair, WrOpcode::kRdmaWrite, 4'096, i);
    }
  };
  hosts.run();
  EXPECT_EQ(hosts.network().transfers().shares().solved(), 1U);
  EXPECT_EQ(hosts[0].finished(kMessages - 1), Time::zero() + write_time(4'096) + drain(4'096) * (kMessages - 1));
}

TEST(FlowNetwork, ALinkThatIsDownForATimeDelaysItsMessages) {
  Hosts hosts(2);
  const Qpn pair = hosts.join(0, 1).first;
  hosts[0].first = [&] { hosts.post(0, pair, WrOpcode::kRdmaWrite, 1'000'000, 7); };
  hosts.network().at(Time::zero() + 10_us, [&] { hosts.network().set_capacity(0, 0); });
  hosts.network().at(Time::zero() + 30_us,
                     [&] { hosts.network().set_capacity(0, static_cast<double>(kLine.bits_per_second())); });
  hosts.run();
  EXPECT_NEAR(static_cast<double>((hosts[0].finished(7) - Time::zero()).picoseconds()),
              static_cast<double>((write_time(1'000'000) + 20_us).picoseconds()), 10);
}

/// When a message of 100 bytes is done that meets two of 1 MB, 20 us old, on the link to its receiver.
Time end_of_short_message(const Corrections& corrections) {
  Hosts hosts(4, corrections);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Qpn pair = hosts.join(i, 3).first;
    hosts[i].first = [&hosts, pair, i] { hosts.post(i, pair, WrOpcode::kRdmaWrite, 1'000'000, i); };
  }
  const Qpn pair = hosts.join(2, 3).first;
  hosts.network().at(Time::zero() + 20_us, [&] { hosts.post(2, pair, WrOpcode::kRdmaWrite, 100, 7); });
  hosts.run();
  return hosts[2].finished(7);
}

void expect_about(Time seen, Time expected) {
  EXPECT_NEAR(static_cast<double>((seen - expected).picoseconds()), 0, 10);
}

// Without queues it has a third of the link at once.
TEST(FlowCorrections, AMessageWaitsForWhatStandsInTheQueueOfItsLink) {
  const Time at_once = Time::zero() + 20_us + write_time(100) + drain(100) * 2;
  expect_about(end_of_short_message({}), at_once);
  // Each has sent for 20 us at the line's rate and been served for as long at half of it.
  expect_about(end_of_short_message({.flow_backlog = Bytes(1'000'000'000)}), at_once + 20_us);
  expect_about(end_of_short_message({.flow_backlog = 50_kb}), at_once + kLine.transmit_time(100_kb));
  expect_about(end_of_short_message({.flow_backlog = 50_kb, .link_backlog = 60_kb}),
               at_once + kLine.transmit_time(60_kb));
}

// Both have the link to themselves in turn or share it: the bytes are the same.
TEST(FlowCorrections, QueuesChangeNothingForFlowsThatBeginTogether) {
  for (const Corrections& corrections : {Corrections(), Corrections{.flow_backlog = 1_mb}}) {
    Hosts hosts(3, corrections);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const Qpn pair = hosts.join(i, 2).first;
      hosts[i].first = [&hosts, pair, i] { hosts.post(i, pair, WrOpcode::kRdmaWrite, 1'000'000, i); };
    }
    hosts.run();
    for (std::uint32_t i = 0; i < 2; ++i) {
      expect_about(hosts[i].finished(i), Time::zero() + write_time(1'000'000) + drain(1'000'000));
    }
  }
}

// A window of half a round trip's bytes: half of one is idle, and the connection's next message finds it open.
TEST(FlowCorrections, TheFirstMessageOfAStreamWaitsForItsWindow) {
  const Bytes window(kRoundTrip.picoseconds() * kLine.bits_per_second() / 1'000'000'000'000 / 8 / 2);
  Hosts hosts(2, {.start_window = window});
  const Qpn pair = hosts.join(0, 1).first;
  hosts[0].first = [&] { hosts.post(0, pair, WrOpcode::kRdmaWrite, 1'000'000, 1); };
  hosts.network().at(Time::zero() + 500_us, [&] { hosts.post(0, pair, WrOpcode::kRdmaWrite, 1'000'000, 2); });
  hosts.run();
  expect_about(hosts[0].finished(1), Time::zero() + write_time(1'000'000) + kRoundTrip / 2);
  expect_about(hosts[0].finished(2), Time::zero() + 500_us + write_time(1'000'000));
}

TEST(FlowNetwork, AProgramSeesItsTimersAndComputeInOrder) {
  Hosts hosts(1);
  std::vector<verbs::MachineToken> tokens;
  FlowMachine& machine = *hosts[0].machine;
  machine.set_program([&]() -> Result<void> {
    if (machine.now() == Time::zero()) {
      machine.set_timer({.at = Time::zero() + 5_us, .token = 2});
      machine.set_timer({.at = Time::zero() + 2_us, .token = 1});
      return machine.compute({.work = Duration::microseconds(9), .token = 3});
    }
    verbs::MachineEvent event;
    while (machine.poll_events({&event, 1}) == 1) {
      EXPECT_EQ(event.at, machine.now());
      tokens.push_back(event.token);
    }
    return {};
  });
  hosts.run();
  EXPECT_EQ(tokens, (std::vector<verbs::MachineToken>{1, 2, 3}));
}

TEST(FlowNetwork, WhatTheLevelDoesNotHaveIsRefusedByName) {
  Hosts hosts(1);
  const auto refused = hosts[0].provider->create_qp({.type = verbs::QpType::kUd});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("unreliable queue pairs: not at the flow level"), std::string::npos);
}

}  // namespace
}  // namespace weft::flow
