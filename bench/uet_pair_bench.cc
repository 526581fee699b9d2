// How many instructions, and how much time, one delivered data packet costs in a pair of Ultra Ethernet engines with
// NSCC and a path for each packet: both engines, acknowledgements included, lengths only. Between them is a wire that
// keeps each packet for half of the round trip that NSCC knows.
//
// `uet_pair_bench --once PACKETS` does the work once, for counting instructions: scripts/bench runs that under
// callgrind and divides.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/assert.h"
#include "base/random.h"
#include "transport/congestion/nscc.h"
#include "transport/device.h"
#include "transport/path/oblivious_path.h"

namespace weft {
namespace {

constexpr std::uint64_t kUetMessageBytes = std::uint64_t{1} << 20;
constexpr Duration kUetPacketTime = Duration::nanoseconds(80);
constexpr Duration kUetRoundTrip = Duration::microseconds(10);

struct UetBenchSide {
  explicit UetBenchSide(std::uint32_t endpoint)
      : device({.endpoint = EndpointId(endpoint),
                .encapsulation = wire::Encapsulation::kUetUdpIpv4,
                .seed = endpoint,
                .uet = {.idle_close = Duration::seconds(100)}}) {
    device.set_uet_policies(
        {.congestion_control =
             [this] {
               return std::make_unique<transport::Nscc>(nscc, transport::Nscc::Flow{.round_trip = kUetRoundTrip});
             },
         .path_selector =
             [](std::uint64_t seed) {
               return std::make_unique<transport::ObliviousPath>(transport::EntropyRange{.base = 0xC000, .paths = 128},
                                                                 RandomStream(seed, "paths"));
             }});
    pd = device.alloc_pd().value();
    cq = device.create_cq(1024).value();
    key = device.reg_mr({.pd = pd, .address = 0x1000, .length = kUetMessageBytes, .access = verbs::kAccessAll}).value();
    qpn = device.create_uet_qp({.pd = pd, .send_cq = cq, .recv_cq = cq}).value();
  }
  void bring_up(const UetBenchSide& peer) {
    using namespace verbs;
    QpAttributes attributes{.access_flags = kAccessAll,
                            .address = {.destination = peer.device.options().endpoint},
                            .path_mtu = PathMtu::k4096,
                            .destination_qpn = peer.qpn};
    const auto move = [&](QpState state, QpAttributeMask mask) {
      attributes.state = state;
      WEFT_ASSERT(device.modify_qp(qpn, attributes, mask | kQpState).has_value());
    };
    move(QpState::kInit, kQpPkeyIndex | kQpPort | kQpAccessFlags);
    move(QpState::kRtr, kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn | kQpMaxDestRdAtomic | kQpMinRnrTimer);
    move(QpState::kRts, kQpSqPsn | kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic);
  }

  transport::NsccParameters nscc = transport::nscc_parameters({.round_trip = kUetRoundTrip,
                                                               .line = Rate::bits_per_second(400'000'000'000),
                                                               .packet = Bytes(4202),
                                                               .payload = Bytes(4096)});
  transport::Device device;
  verbs::PdHandle pd;
  verbs::CqHandle cq;
  std::uint32_t key = 0;
  Qpn qpn;
};

struct UetBenchPair {
  UetBenchSide sender{1};
  UetBenchSide receiver{2};
  UetBenchPair() {
    sender.bring_up(receiver);
    receiver.bring_up(sender);
  }
};

// The first context of either side, which both keep.
constexpr transport::QpSlot kContext{.index = 1, .kind = transport::EngineKind::kUetPdc};

/// Half a round trip in steps of a packet's time.
constexpr std::size_t kUetSteps = kUetRoundTrip / kUetPacketTime / 2;

/// One direction: what leaves at a step lies in its place until the place's turn comes again, half a round trip later.
struct UetBenchPlace {
  wire::Packet packet;
  bool taken = false;
};
using UetBenchWire = std::array<UetBenchPlace, kUetSteps>;

struct UetBenchRun {
  UetBenchPair pair;
  UetBenchWire there;
  UetBenchWire back;
  Time now;
  std::size_t place = 0;          // on both wires
  std::uint64_t outstanding = 0;  // messages
};

[[gnu::noinline]] std::uint64_t deliver_uet_packets(UetBenchRun& run, std::uint64_t packets) {
  UetBenchPair& pair = run.pair;
  const verbs::Sge element{.address = 0x1000, .length = kUetMessageBytes, .lkey = pair.sender.key};
  verbs::SendWr write;
  write.opcode = verbs::WrOpcode::kRdmaWrite;
  write.send_flags = verbs::kSendSignaled;
  write.sg_list = std::span(&element, 1);
  write.rdma = {0x1000, pair.receiver.key};
  wire::ColdPacket cold;
  std::array<verbs::WorkCompletion, 16> completions;
  transport::Device& sender = pair.sender.device;
  transport::Device& receiver = pair.receiver.device;
  for (std::uint64_t delivered = 0; delivered < packets; run.now += kUetPacketTime) {
    const Time now = run.now;
    UetBenchPlace& there = run.there[run.place];
    UetBenchPlace& back = run.back[run.place];
    run.place = run.place + 1 == kUetSteps ? 0 : run.place + 1;
    if (there.taken) {
      (void)receiver.deliver({there.packet, cold, {}}, now);
      ++delivered;
    }
    if (back.taken) {
      (void)sender.deliver({back.packet, cold, {}}, now);
      run.outstanding -= sender.poll_cq(pair.sender.cq, completions).value();
    }
    if (run.outstanding < 4) {
      WEFT_ASSERT(sender.post_send(pair.sender.qpn, write).has_value());
      ++run.outstanding;
    }
    there.taken =
        sender.readiness(kContext).data <= now && sender.poll_transmit(kContext, {there.packet, cold, {}}, now);
    // The first packet makes the receiver's context.
    back.taken = receiver.uet()->live_contexts() > 0 && receiver.readiness(kContext).response_pending &&
                 receiver.poll_transmit(kContext, {back.packet, cold, {}}, now);
    while (sender.has_touched())
      (void)sender.take_touched();
    while (receiver.has_touched())
      (void)receiver.take_touched();
  }
  return packets;
}

void BM_UetPair(benchmark::State& state) {
  UetBenchRun run;
  std::uint64_t packets = 0;
  for (auto _ : state)
    packets += deliver_uet_packets(run, 4096);
  state.SetItemsProcessed(static_cast<std::int64_t>(packets));
}
BENCHMARK(BM_UetPair);

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--once") {
    std::uint64_t packets = 0;
    const std::string_view count(argv[2]);
    std::from_chars(count.data(), count.data() + count.size(), packets);
    weft::UetBenchRun run;
    fmt::print("{} packets delivered\n", weft::deliver_uet_packets(run, packets));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
