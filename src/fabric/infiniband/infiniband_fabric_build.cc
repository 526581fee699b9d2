// How an InfiniBand fabric is laid out from its graph and options.
#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "fabric/core/fabric_core_definitions.h"
#include "fabric/infiniband/infiniband_fabric.h"

namespace weft::fabric {

template class FabricCore<InfiniBandFabric, InfiniBandParts>;

namespace {

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
  fabric->lay_out(context.threads);
  fabric->lay_out_lanes();
  if (!context.paths_alone) {
    fabric->lay_out_queues(context.threads);
    fabric->fill_credits();
  }
  for (const Switch& node : fabric->switches_) {
    fabric->add_stages(node);
  }
  return fabric;
}

InfiniBandFabric::InfiniBandFabric(Graph graph, InfiniBandOptions options, FabricContext context)
    : FabricCore(std::move(graph), std::move(options), context), table_(graph_) {}

Result<void> InfiniBandFabric::check_options() {
  lanes_ = options_.data_lanes;
  lid_mask_ = (1U << options_.lid_mask_control) - 1;
  if (lanes_ < 1 || lanes_ > kMaxDataLanes) {
    return fail("{} data lanes, must be 1 to {}", lanes_, kMaxDataLanes);
  }
  if (options_.lane_phases < 1 || lanes_ % options_.lane_phases != 0) {
    return fail("{} data lanes are not {} sets of equal size", lanes_, options_.lane_phases);
  }
  WEFT_ASSERT(options_.multicast.empty() || options_.lane_phases == 1);
  WEFT_ASSERT(options_.tables.empty() ||
              std::ranges::all_of(options_.switches, [](const auto& own) { return own.path == PathPolicy::kTable; }));
  all_lanes_ = static_cast<std::uint16_t>((1U << lanes_) - 1);
  endpoint_lanes_ = static_cast<std::uint16_t>((1U << (lanes_ / options_.lane_phases)) - 1);
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
    if (Result<void> checked = check_levels(profile); !checked) {
      return checked;
    }
    largest_blocks_.push_back(static_cast<std::uint16_t>(largest));
    lane_maps_.push_back(profile.sl_to_vl);
    for (std::uint8_t& lane : lane_maps_.back()) {
      lane = options_.lane_phases > 1 && lane != kDropLane ? static_cast<std::uint8_t>(lane | kPhased) : lane;
    }
  }
  return {};
}

Result<void> InfiniBandFabric::check_levels(const InfiniBandPortOptions& profile) const {
  const std::uint32_t set = lanes_ / options_.lane_phases;
  for (std::uint32_t level = 0; level < kServiceLevels; ++level) {
    const std::uint32_t lane = profile.sl_to_vl[level];
    if (lane == kDropLane) {
      continue;
    }
    if (lane >= set) {
      return fail("service level {} goes to lane {}; there are {}, and {} drops", level, lane, set, kDropLane);
    }
    for (std::uint32_t own = lane; lanes_ > 1 && own < lanes_; own += set) {
      if (((weighted_lanes(profile.arbitration) >> own) & 1U) == 0) {
        return fail("service level {} goes to lane {}, which has no weight in VL arbitration", level, own);
      }
    }
  }
  return {};
}

void InfiniBandFabric::lay_out_lanes() {
  if (options_.lane_phases > 1) {
    phases_ = LanePhases(graph_, map_);
  }
  for (Switch& node : switches_) {
    node.lifetime = options_.switches[node.profile].head_of_queue_lifetime;
    node.expires = node.lifetime > Duration::zero();
    node.map = options_.ports.size() == 1 ? std::uint16_t{0} : Switch::kMixedProfiles;
    const bool is_sure = (node.path == PathPolicy::kEcmp || node.path == PathPolicy::kTable) && !node.balances;
    node.look_ahead = !options_.multicast.empty() ? LookAhead::kNever
                      : is_sure                   ? LookAhead::kAlways
                                                  : LookAhead::kOneHop;
  }
}

void InfiniBandFabric::lay_out_queues(std::uint32_t threads) {
  const std::uint32_t ports = port_count();
  resize_populated(credits_, std::size_t{ports} * lanes_, threads);
  resize_populated(outputs_, std::size_t{ports} * lanes_, threads);
  queues_.resize({.ports = ports, .output_lanes = ports * lanes_});
  in_parts(ports, {.threads = threads, .least = kPortsOfThread}, [this](std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
      set_up_lanes(static_cast<PortIndex>(index));
    }
  });
}

void InfiniBandFabric::set_up_lanes(PortIndex index) {
  const InfiniBandPort& port = ports_[index];
  const InfiniBandPortOptions& profile = options_.ports[port.profile];
  const std::uint32_t largest = std::max(largest_blocks_[port.profile], largest_blocks_[ports_[port.peer].profile]);
  // A packet there with the pipeline behind the wire, a flow control packet back.
  const Duration there_and_back = ports_[port.peer].delay + port.control_delay +
                                  port.wire_time(kCreditWireBytes + InfiniBandParts::kCutThroughBytes);
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
}

// The first flow control packets were exchanged when the links came up.
void InfiniBandFabric::fill_credits() {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      credits_of(ports_[index].peer, lane).sender.restart(credits_of(index, lane).receiver.advertised());
    }
  }
}

// Only where nothing that may still happen could change its mind about the next packet (docs/decisions/0012).
void InfiniBandFabric::add_stages(const Switch& node) {
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    InfiniBandPort& port = ports_[index];
    if (!options_.multicast.empty()) {
      port.flags |= kTakesMulticast;
    }
    if (lanes_ == 1 && !options_.ports[port.profile].fecn && !node.expires && !node.balances) {
      port.flags |= kHasStage;
    }
  }
}

void InfiniBandFabric::start_timers() {
  if (std::ranges::any_of(ports_, [](const InfiniBandPort& port) { return port.has(kMayBackUp); })) {
    holds_.resize(graph_.endpoints);
  }
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    if (ports_[index].has(kHasErrors)) {
      const Time first = kernel_.now() + repetition(ports_[index]);
      if (ports_[index].has(kMayBackUp)) {
        holds_[index].repeat_at = first;
      }
      kernel_.wake(ports_[index].timer, sim::ActorId(kPortTimer, index), first);
    }
  }
}

}  // namespace weft::fabric
