// How an InfiniBand fabric is laid out from its graph and options.
#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "base/random.h"
#include "base/stable_hash.h"
#include "fabric/infiniband/infiniband_fabric.h"

namespace weft::fabric {
namespace {

/// A switch that cuts through knows the way of a packet, its length and its service level after the LRH.
//= ibta-1.7 7.7
constexpr std::uint32_t kCutThroughBytes = 8;

std::uint32_t weighted_lanes(const VlArbitration& tables) {
  return VlArbitration::lanes_of(tables.high) | VlArbitration::lanes_of(tables.low);
}

Result<void> check_tables(const VlArbitration& tables) {
  for (const auto* table : {&tables.high, &tables.low}) {
    if (table->size() > VlArbitration::kMaxEntries) {
      return fail("a VL arbitration table has {} entries, at most {} are allowed", table->size(),
                  VlArbitration::kMaxEntries);
    }
    for (const VlArbitration::Entry& entry : *table) {
      if (entry.lane >= kMaxDataLanes) {
        return fail("VL arbitration names lane {}, must be 0 to {}", entry.lane, kMaxDataLanes - 1);
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<InfiniBandFabric>> InfiniBandFabric::create(Graph graph, InfiniBandOptions options,
                                                                   FabricContext context) {
  WEFT_ASSERT(!options.switches.empty() && !options.ports.empty());
  std::unique_ptr<InfiniBandFabric> fabric(new InfiniBandFabric(std::move(graph), std::move(options), context));
  if (Result<void> checked = fabric->check_options(); !checked) {
    return pass_on(checked);
  }
  fabric->lay_out_ports();
  for (std::uint32_t link = 0; link < fabric->graph_.links.size(); ++link) {
    fabric->connect_link(link);
  }
  for (PortIndex index = 0; index < fabric->ports_.size(); ++index) {
    fabric->set_up_lanes(index);
  }
  fabric->fill_credits();
  for (const Switch& node : fabric->switches_) {
    fabric->allow_cut_through(node);
    fabric->add_stages(node);
  }
  fabric->set_up_balancers();
  return fabric;
}

InfiniBandFabric::InfiniBandFabric(Graph graph, InfiniBandOptions options, FabricContext context)
    : graph_(std::move(graph)),
      options_(std::move(options)),
      kernel_(context.kernel),
      packets_(context.packets),
      seed_(context.seed),
      routes_(graph_),
      table_(graph_),
      map_(graph_, context.seed) {}

Result<void> InfiniBandFabric::check_options() {
  lanes_ = options_.data_lanes;
  if (lanes_ < 1 || lanes_ > kMaxDataLanes) {
    return fail("{} data lanes, must be 1 to {}", lanes_, kMaxDataLanes);
  }
  all_lanes_ = static_cast<std::uint16_t>((1U << lanes_) - 1);
  for (InfiniBandPortOptions& profile : options_.ports) {
    if (profile.arbitration.high.empty() && profile.arbitration.low.empty()) {
      profile.arbitration = VlArbitration::equal(all_lanes_);
    }
    if (Result<void> checked = check_tables(profile.arbitration); !checked) {
      return checked;
    }
    const std::uint32_t largest = blocks_of(static_cast<std::uint32_t>(profile.largest_frame.count()));
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      if (profile.buffer_blocks[lane] < largest || largest > kMaxAdvertised || profile.credit_divisor == 0) {
        return fail("lane {} has a buffer of {} blocks of 64 bytes; the largest frame ({}) takes {}", lane,
                    profile.buffer_blocks[lane], profile.largest_frame, largest);
      }
    }
    for (std::uint32_t level = 0; level < kServiceLevels; ++level) {
      const std::uint32_t lane = profile.sl_to_vl[level];
      if (lane != kDropLane && lane >= lanes_) {
        return fail("service level {} goes to lane {}; there are {}, and {} drops", level, lane, lanes_, kDropLane);
      }
      if (lane != kDropLane && lanes_ > 1 && ((weighted_lanes(profile.arbitration) >> lane) & 1U) == 0) {
        return fail("service level {} goes to lane {}, which has no weight in VL arbitration", level, lane);
      }
    }
    largest_blocks_.push_back(static_cast<std::uint16_t>(largest));
    lane_maps_.push_back(profile.sl_to_vl);
  }
  return {};
}

void InfiniBandFabric::lay_out_ports() {
  const std::uint32_t ports = map_.size();
  ports_.resize(ports);
  peers_.resize(ports);
  credits_.resize(std::size_t{ports} * lanes_);
  outputs_.resize(std::size_t{ports} * lanes_);
  queues_.resize({.ports = ports, .output_lanes = ports * lanes_});
  errors_.resize(ports);
  endpoints_.resize(graph_.endpoints);
  switches_.resize(graph_.switches());
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    Switch& made = switches_[ordinal];
    made.first_port = map_.first_of(node);
    made.ports = graph_[node].ports;
    made.profile = options_.switch_profile.empty() ? std::uint16_t{0} : options_.switch_profile[ordinal];
    const InfiniBandSwitchOptions& profile = options_.switches[made.profile];
    made.path = profile.path;
    made.balances = PathBalancer::is_needed(profile.path, profile.balancing);
    made.expires = profile.head_of_queue_lifetime > Duration::zero();
    made.lifetime = profile.head_of_queue_lifetime;
    made.hash_seed = profile.hash_seed.value_or(map_.node_hash(node));
    made.map = options_.ports.size() == 1 ? std::uint16_t{0} : kMixedProfiles;
  }
}

void InfiniBandFabric::connect_link(std::uint32_t link_index) {
  const Link& link = graph_.links[link_index];
  const PortIndex a = port_index(link.a);
  const PortIndex b = port_index(link.b);
  const bool has_errors = rate_of_link(options_.bit_error_rate, link_index) > Probability::zero() ||
                          rate_of_link(options_.packet_error_rate, link_index) > Probability::zero();
  const auto connect = [&](LinkEnd own, PortIndex index, PortIndex peer, std::uint32_t end) {
    InfiniBandPort& port = ports_[index];
    const Node& node = graph_[own.node];
    const bool is_endpoint = node.kind == NodeKind::kEndpoint;
    port.owner = is_endpoint ? own.node.value() : own.node.value() - graph_.endpoints;
    port.peer = peers_[index] = peer;
    port.number = own.port;
    port.flags = static_cast<std::uint8_t>((is_endpoint ? kIsEndpoint : 0) | (has_errors ? kHasErrors : 0));
    port.profile = options_.port_profile.empty() ? std::uint16_t{0} : options_.port_profile[2 * link_index + end];
    port.set_rate(link.rate);
  };
  connect(link.a, a, b, 0);
  connect(link.b, b, a, 1);
  for (const PortIndex index : {a, b}) {
    InfiniBandPort& from = ports_[index];
    const InfiniBandPort& to = ports_[from.peer];
    from.control_delay = link.propagation;
    from.delay = link.propagation;
    if (!to.has(kIsEndpoint)) {
      from.delay += options_.switches[switches_[to.owner].profile].latency;
    } else if (!options_.endpoint_pipeline.empty()) {
      from.delay += options_.endpoint_pipeline[to.owner];
    }
  }
}

void InfiniBandFabric::set_up_lanes(PortIndex index) {
  const InfiniBandPort& port = ports_[index];
  const InfiniBandPortOptions& profile = options_.ports[port.profile];
  const std::uint32_t largest = std::max(largest_blocks_[port.profile], largest_blocks_[ports_[port.peer].profile]);
  // A packet there with the pipeline behind the wire, a flow control packet back.
  const Duration there_and_back =
      ports_[port.peer].delay + port.control_delay + port.wire_time(kCreditWireBytes + kCutThroughBytes);
  const std::uint32_t round_trip_blocks = blocks_of(static_cast<std::uint32_t>(
      std::min<std::int64_t>(port.rate.bytes_in(there_and_back).count(), kMaxAdvertised * kBlockBytes)));
  const std::uint64_t name = map_.port_hash(index);
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    credits_of(index, lane).receiver = CreditReceiver({.buffer = profile.buffer_blocks[lane],
                                                       .largest_packet = largest,
                                                       .round_trip_blocks = round_trip_blocks,
                                                       .divisor = profile.credit_divisor});
    if (profile.fecn && !port.has(kIsEndpoint)) {
      output_of(index, lane).marker = Fecn(*profile.fecn, name + lane);
    }
  }
  if (port.has(kHasErrors)) {
    const std::size_t link = map_.link_of(index).value();
    errors_[index] = std::make_unique<BitErrors>(rate_of_link(options_.bit_error_rate, link), name,
                                                 rate_of_link(options_.packet_error_rate, link));
  }
}

// The first flow control packets were exchanged when the links came up.
void InfiniBandFabric::fill_credits() {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      credits_of(ports_[index].peer, lane).sender.restart(credits_of(index, lane).receiver.advertised());
    }
  }
}

// A packet may be passed on before its end has come only if no way out is faster than the way in; otherwise it is
// stored first (docs/decisions/0012).
void InfiniBandFabric::allow_cut_through(const Switch& node) {
  if (options_.switches[node.profile].forwarding != Forwarding::kCutThrough) {
    return;
  }
  Rate fastest = Rate::zero();
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    fastest = std::max(fastest, ports_[index].rate);
  }
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    InfiniBandPort& port = ports_[index];
    InfiniBandPort& feeding = ports_[port.peer];
    const bool early = feeding.rate >= fastest;
    feeding.cut_through_bytes = early ? kCutThroughBytes : 0;
    port.flags = static_cast<std::uint8_t>(early ? port.flags | kCutThrough : port.flags & ~kCutThrough);
  }
}

// Only where nothing that may still happen could change its mind about the next packet (docs/decisions/0012).
void InfiniBandFabric::add_stages(const Switch& node) {
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    InfiniBandPort& port = ports_[index];
    if (lanes_ == 1 && !options_.ports[port.profile].fecn && !node.expires && !node.balances) {
      port.flags |= kHasStage;
    }
  }
}

void InfiniBandFabric::register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions) {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    register_port_actors(ranks, map_.port_hash(index), ports_[index],
                         partition_of(partitions, map_.end_of(index).node));
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    ranks.add({map_.node_hash(node), kSwitchTimer}, switches_[ordinal].timer, partition_of(partitions, node));
  }
  ranks.add({stable_hash(seed_, "fabric"), kFabricTimer}, fabric_timer_);
}

void InfiniBandFabric::start() {
  links_ = LinkSchedule(options_.events);
  plan_fabric_timer();
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    if (ports_[index].has(kHasErrors)) {
      kernel_.wake(ports_[index].timer, sim::ActorId(kPortTimer, index), kernel_.now() + repetition(ports_[index]));
    }
  }
}

void InfiniBandFabric::set_tap(Tap* tap, std::span<const PortIndex> ports) {
  tap_ = tap;
  for (const PortIndex port : ports) {
    ports_[port].flags |= kTapped;
  }
}

}  // namespace weft::fabric
