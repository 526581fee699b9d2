// How many instructions, and how much time, one delivered data packet costs in a pair of RC engines: both engines, the
// packet's acknowledgement included, lengths only, no network between them.
//
// The variant `dcqcn` adds congestion control that really paces: DCQCN as ConnectX has it, its notification point, and
// a mark now and then.
//
// `rc_pair_bench --once PACKETS INTERVAL [dcqcn]` does the work once, for counting instructions: scripts/bench runs
// that under callgrind and divides.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/assert.h"
#include "transport/congestion/dcqcn_test_parameters.h"
#include "transport/congestion/notification_point.h"
#include "transport/rc_queue_pair.h"

namespace weft {
namespace {

constexpr std::uint64_t kMessageBytes = std::uint64_t{1} << 20;
constexpr verbs::PathMtu kMtu = verbs::PathMtu::k4096;
constexpr Duration kPacketTime = Duration::nanoseconds(80);
constexpr Rate kLine = Rate::bits_per_second(400'000'000'000);
constexpr std::uint32_t kPacketsPerMark = 100;

enum class Hooks : std::uint8_t { kNone, kDcqcn };

struct Side {
  verbs::Context context{1};
  verbs::PdHandle pd = context.alloc_pd().value();
  std::uint32_t key = context
                          .reg_mr({.pd = pd,
                                   .address = 0x1000,
                                   .length = kMessageBytes,
                                   .bytes = nullptr,
                                   .access = verbs::kAccessLocalWrite | verbs::kAccessRemoteWrite})
                          .value();
  verbs::CqHandle cq = context.create_cq(1024).value();
  transport::DcqcnParameters parameters = transport::dcqcn_connectx(kLine);
  transport::Dcqcn dcqcn{parameters};
  transport::NotificationPoint notification_point{parameters.cnp_interval};
  std::unique_ptr<transport::RcQueuePair> qp;
};

struct Setup {
  std::uint16_t ack_interval = 1;
  Hooks hooks = Hooks::kNone;
};

void bring_up(Side& side, std::uint32_t own, std::uint32_t peer, const Setup& setup) {
  const verbs::QpInitAttributes init{.pd = side.pd, .send_cq = side.cq, .recv_cq = side.cq};
  transport::RcOptions options;
  options.ack_request_interval = setup.ack_interval;
  if (setup.hooks == Hooks::kDcqcn) {
    options.congestion_control = &side.dcqcn;
    options.congestion_receiver = &side.notification_point;
  }
  side.qp = std::make_unique<transport::RcQueuePair>(
      transport::QpIdentity{.qpn = Qpn(own), .endpoint = EndpointId(own)}, init, options);
  verbs::QpAttributes attributes;
  attributes.access_flags = verbs::kAccessRemoteWrite;
  attributes.path_mtu = kMtu;
  attributes.destination_qpn = Qpn(peer);
  attributes.address.destination = EndpointId(peer);
  const auto move = [&](verbs::QpState state, verbs::QpAttributeMask mask) {
    attributes.state = state;
    WEFT_ASSERT(side.qp->modify(attributes, mask | verbs::kQpState, side.context, Time::zero()).has_value());
  };
  move(verbs::QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags);
  move(verbs::QpState::kRtr, verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                 verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer);
  move(verbs::QpState::kRts,
       verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic);
}

/// Two connected queue pairs without anything between them.
struct Pair {
  Side requester;
  Side responder;

  explicit Pair(const Setup& setup) {
    bring_up(requester, 2, 3, setup);
    bring_up(responder, 3, 2, setup);
  }
};

// A message of 1 MiB after another; the requester's wire is polled as a NIC would, and so is the responder's. Time goes
// on to the next departure, so that a paced flow costs no idle rounds.
[[gnu::noinline]] std::uint64_t deliver_packets(Pair& pair, std::uint64_t packets) {
  const verbs::Sge element{.address = 0x1000, .length = kMessageBytes, .lkey = pair.requester.key};
  verbs::SendWr write;
  write.opcode = verbs::WrOpcode::kRdmaWrite;
  write.send_flags = verbs::kSendSignaled;
  write.sg_list = std::span(&element, 1);
  write.rdma = {0x1000, pair.responder.key};
  wire::Packet packet;
  wire::ColdPacket cold;
  std::array<verbs::WorkCompletion, 16> completions;
  const transport::TransmitSlot slot{packet, cold, {}};
  const transport::ReceivedPacket arrived{packet, cold, {}};
  std::uint64_t delivered = 0;
  std::uint32_t until_mark = kPacketsPerMark;
  Time now;
  transport::RcQueuePair& sender = *pair.requester.qp;
  transport::RcQueuePair& receiver = *pair.responder.qp;
  while (delivered < packets) {
    if (sender.requester().queued() == 0) {
      (void)pair.requester.context.find_cq(pair.requester.cq)->poll(completions);
      WEFT_ASSERT(sender.post_send(write, pair.requester.context, now).has_value());
    }
    const Time ready = sender.next_transmit();
    if (ready > now && !ready.is_never()) {
      now = ready;
    }
    if (ready <= now && sender.poll_transmit(slot, pair.requester.context, now)) {
      if (--until_mark == 0) {
        until_mark = kPacketsPerMark;
        packet.common.ecn = wire::Ecn::kCe;
      }
      receiver.on_packet(arrived, pair.responder.context, now);
      ++delivered;
    }
    if (receiver.next_transmit() <= now && receiver.poll_transmit(slot, pair.responder.context, now)) {
      sender.on_packet(arrived, pair.requester.context, now);
    }
    now += kPacketTime;
  }
  return delivered;
}

void BM_RcPair(benchmark::State& state, Hooks hooks) {
  Pair pair({.ack_interval = static_cast<std::uint16_t>(state.range(0)), .hooks = hooks});
  std::uint64_t packets = 0;
  for (auto _ : state) {
    packets += deliver_packets(pair, 4096);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(packets));
}
BENCHMARK_CAPTURE(BM_RcPair, plain, Hooks::kNone)->ArgName("ack_every")->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(BM_RcPair, dcqcn, Hooks::kDcqcn)->ArgName("ack_every")->Arg(1)->Arg(16)->Arg(64);

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc >= 4 && std::string_view(argv[1]) == "--once") {
    std::uint64_t packets = 0;
    weft::Setup setup;
    const std::string_view count(argv[2]);
    const std::string_view interval(argv[3]);
    std::from_chars(count.data(), count.data() + count.size(), packets);
    std::from_chars(interval.data(), interval.data() + interval.size(), setup.ack_interval);
    if (argc == 5 && std::string_view(argv[4]) == "dcqcn")
      setup.hooks = weft::Hooks::kDcqcn;
    weft::Pair pair(setup);
    fmt::print("{} packets delivered\n", weft::deliver_packets(pair, packets));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
