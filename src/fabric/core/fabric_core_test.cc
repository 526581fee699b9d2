// A third discipline, as small as the core allows: queues without end, nothing else. What it defines is what the core
// asks of every discipline.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/ring.h"
#include "fabric/core/fabric_core_definitions.h"
#include "fabric/topology/graph_builder.h"
#include "sim/actor_order.h"

namespace weft::fabric {
namespace {

struct PlainSwitchOptions {
  Forwarding forwarding = Forwarding::kStoreAndForward;
  Duration latency;
  PathPolicy path = PathPolicy::kEcmp;
  BalancingOptions balancing{};
  std::optional<std::uint64_t> hash_seed;
};
struct PlainPortOptions {};
struct PlainPort : PortLink<PortTransmission> {
  std::uint16_t profile = 0;
  Ring<PacketHandle> waiting;
};
struct PlainParts {
  using Options = FabricOptions<PlainSwitchOptions, PlainPortOptions>;
  using Port = PlainPort;
  using Switch = SwitchCore;
  static constexpr std::uint16_t kCutThroughBytes = 64;
  static constexpr PortFlags kSlowArrival = 0;
};

class PlainFabric final : public FabricCore<PlainFabric, PlainParts> {
 public:
  PlainFabric(Graph graph, Options options, FabricContext context)
      : FabricCore(std::move(graph), std::move(options), context) {
    lay_out(1);
  }

  void on_arrival(PortIndex port, Time now) { receive(port, now); }
  void on_transmit(PortIndex index, Time now) {
    PlainPort& port = ports_[index];
    if (port.transmit.fires(now) && !port.has(kLinkDown) && !port.waiting.empty()) {
      start_packet(index, port.waiting.pop_front(), now);
      kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
    }
  }
  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time) override {
    return {.lanes = 1, .free_at = ports_[endpoint.value()].free_at};
  }
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override {
    start_packet(endpoint.value(), packet, now);
    return ports_[endpoint.value()].free_at;
  }
  void request_wire(EndpointId, Time) override {}

 private:
  friend class FabricCore<PlainFabric, PlainParts>;

  void start_packet(PortIndex index, PacketHandle packet, Time now) {
    PlainPort& port = ports_[index];
    start_transmission(kernel_, port, ports_[port.peer], port.peer, packet, packets_[packet].common.wire_bytes, now);
  }
  void forward(PlainPort& in, PortIndex, std::uint32_t, PacketHandle packet, Time now) {
    const NextHops hops = routes_.next_hops(in.owner, packets_[packet].common.destination);
    const PortIndex index = hops.empty() ? 0 : switches_[in.owner].first_port + hops[0];
    if (hops.empty() || ports_[index].has(kLinkDown)) {
      ++(hops.empty() ? drops_here().unreachable : drops_here().link_down);
      return packets_.release(packet);
    }
    ports_[index].waiting.push_back(packet);
    kernel_.wake(ports_[index].transmit, sim::ActorId(kTransmit, index), later(ports_[index].free_at, now));
  }
  void look_up_egress(PortIndex) {}
  void prefetch_transmit(PortIndex) const {}
  void prefetch_transmit_queue(PortIndex) const {}
  void prefetch_transmit_packet(PortIndex) const {}
  void take_link_down(PortIndex index, Time) {
    ports_[index].flags |= kLinkDown;
    flush_wire(
        ports_[index],
        [this](PacketHandle packet) {
          ++drops_here().link_down;
          packets_.release(packet);
        },
        [](std::uint32_t) {});
  }
  void bring_link_up(const CableEnds& ends, Time) {
    for (const PortIndex index : ends) {
      ports_[index].flags = static_cast<PortFlags>(ports_[index].flags & ~kLinkDown);
    }
  }
  [[nodiscard]] std::uint32_t in_order_hop(const PlainPort&, const SwitchCore&, const NextHops& hops,
                                           const wire::PacketCommon&, const std::uint32_t*) const {
    return hops[0];
  }
  void send_notification(PortIndex, const NotificationContent&, Time) {}
};

constexpr std::uint16_t kBytes = 1000;
constexpr Cable kCable{.rate = 100_gbps, .propagation = 500_ns};

/// Two endpoints on a switch; writes down when packets come.
class PlainWorld final : public Endpoint {
 public:
  explicit PlainWorld(PlainParts::Options options = {})
      : fabric_(graph(), std::move(options), {.kernel = kernel_, .packets = packets_}) {
    sim::ActorOrder ranks;
    fabric_.register_actors(ranks);
    ranks.assign();
    fabric_.attach(EndpointId(0), *this);
    fabric_.attach(EndpointId(1), *this);
    fabric_.start();
  }

  void send() {
    const PacketHandle packet = packets_.allocate();
    packets_[packet].common.destination = EndpointId(1);
    packets_[packet].common.frame_bytes = packets_[packet].common.wire_bytes = kBytes;
    (void)fabric_.send(EndpointId(0), packet, kernel_.now());
  }
  void run() { (void)kernel_.run(Time::never(), ~std::uint64_t{0}, *this); }
  [[nodiscard]] const PlainFabric& fabric() const { return fabric_; }
  [[nodiscard]] std::uint32_t live() const { return packets_.live_count(); }

  void on_packet(PacketHandle packet, Time now) override {
    packets_.release(packet);
    came.push_back(now);
  }
  void on_wire_ready(Time) override {}

  // The handler of the kernel.
  [[nodiscard]] bool prefetches() const { return true; }
  void prefetch_first(sim::ActorId actor) const { fabric_.prefetch_first(actor); }
  void prefetch_second(sim::ActorId actor) const { fabric_.prefetch_second(actor); }
  void prefetch_third(sim::ActorId actor) { fabric_.prefetch_third(actor); }
  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    if (actor.kind() == kArrival) {
      fabric_.on_arrival(actor.index(), now);
    } else if (actor.kind() == kTransmit) {
      fabric_.on_transmit(actor.index(), now);
    } else {
      fabric_.on_fabric_timer(now);
    }
    return true;
  }

  std::vector<Time> came;

 private:
  static Graph graph() {
    GraphBuilder builder(Domains::kOne);
    builder.add_hosts({.hosts = 2});
    const NodeIndex node = builder.add_switch({.name = "switch"});
    builder.connect({.lower = NodeIndex(0), .upper = node}, kCable);
    builder.connect({.lower = NodeIndex(1), .upper = node}, kCable);
    return std::move(builder).finish();
  }

  sim::Kernel kernel_{sim::EventSet::Options{.prefetches = true}};
  PacketPool packets_;
  PlainFabric fabric_;
};

constexpr LinkEvent event_at(Duration at, LinkEvent::Kind kind) {
  return {.at = Time::zero() + at, .link = LinkIndex(1), .kind = kind, .rate = {}, .reroute_delay = {}};
}

TEST(FabricCore, CarriesPacketsOfADisciplineThatHasQueuesAlone) {
  PlainWorld world;
  world.send();
  world.run();
  const Duration hop = kCable.rate.transmit_time(Bytes(kBytes)) + kCable.propagation;
  EXPECT_EQ(world.came, std::vector<Time>{Time::zero() + hop * 2});
  EXPECT_EQ(world.fabric().packets_sent(), 2U);
  EXPECT_EQ(world.live(), 0U);
}

TEST(FabricCore, CutsThroughIntoASwitchOfOneRate) {
  PlainParts::Options options;
  options.switches[0].forwarding = Forwarding::kCutThrough;
  PlainWorld world(options);
  world.send();
  world.run();
  // The endpoint needs the whole packet, the switch its first bytes.
  const Duration first = kCable.rate.transmit_time(Bytes(PlainParts::kCutThroughBytes)) + kCable.propagation;
  const Duration second = kCable.rate.transmit_time(Bytes(kBytes)) + kCable.propagation;
  EXPECT_EQ(world.came, std::vector<Time>{Time::zero() + first + second});
}

TEST(FabricCore, LosesWhatIsOnACableThatFails) {
  PlainParts::Options options;
  options.events = {event_at(700_ns, LinkEvent::Kind::kFail), event_at(10_us, LinkEvent::Kind::kRestore)};
  PlainWorld world(options);
  world.send();
  world.run();
  EXPECT_TRUE(world.came.empty());
  EXPECT_EQ(world.fabric().drops().link_down, 1U);
  // Repaired, it carries again.
  world.send();
  world.run();
  EXPECT_EQ(world.came.size(), 1U);
  EXPECT_EQ(world.live(), 0U);
}

TEST(FabricCore, TransmitsSlowerOnADegradedLink) {
  PlainParts::Options options;
  options.events = {{.at = Time::zero() + 1_ns,
                     .link = LinkIndex(1),
                     .kind = LinkEvent::Kind::kDegrade,
                     .rate = 50_gbps,
                     .reroute_delay = {}}};
  PlainWorld world(options);
  world.send();
  world.run();
  const Duration first = kCable.rate.transmit_time(Bytes(kBytes)) + kCable.propagation;
  const Duration second = (50_gbps).transmit_time(Bytes(kBytes)) + kCable.propagation;
  EXPECT_EQ(world.came, std::vector<Time>{Time::zero() + first + second});
}

}  // namespace
}  // namespace weft::fabric
