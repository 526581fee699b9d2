#include "study/assembly/build_pattern.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "study/assembly/build_collective.h"
#include "study/assembly/build_multicast.h"
#include "study/scenario/flow_file.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/selector.h"
#include "workload/all_to_all.h"
#include "workload/flow_list.h"
#include "workload/incast.h"
#include "workload/permutation.h"
#include "workload/poisson.h"
#include "workload/training/checkpoint_size.h"

namespace weft::study::assembly {
namespace {

using workload::RankId;

workload::Operation operation_of(scenario::Operation operation) {
  switch (operation) {
    case scenario::Operation::kWrite:
      return workload::Operation::kWrite;
    case scenario::Operation::kRead:
      return workload::Operation::kRead;
    case scenario::Operation::kWriteImm:
      return workload::Operation::kWriteWithImm;
    case scenario::Operation::kSend:
      break;
  }
  return workload::Operation::kSend;
}

/// Participants by their names, and by those of their hosts where a host has one alone.
std::map<std::string, std::size_t> by_name(const std::vector<Participant>& all) {
  std::map<std::string, std::size_t> hosts;
  for (const Participant& participant : all) {
    ++hosts[participant.host];
  }
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    known.emplace(all[i].name, i);
    if (hosts[all[i].host] == 1) {
      known.emplace(all[i].host, i);
    }
  }
  return known;
}

template <class Pattern>
Result<void> take(TrafficPlan& plan, Result<Pattern> made, const scenario::TrafficSettings& traffic) {
  if (!made) {
    return wrong(traffic, made.error().message);
  }
  plan.pattern = std::make_unique<Pattern>(std::move(*made));
  return {};
}

// A flow that a stop cuts off, or that repeats until one, would never fire what others wait for.
Result<void> check_triggers(const scenario::TrafficSettings& traffic, const scenario::FlowFile& file,
                            const std::vector<workload::ListedFlow>& list) {
  if (file.triggers.empty()) {
    return {};
  }
  if (traffic.stop || traffic.count == 0) {
    return wrong(traffic, "flows with triggers have no stop, and a count above 0");
  }
  std::vector<std::string> names;
  for (const scenario::FlowLine& line : file.flows) {
    names.push_back(line.place);
  }
  if (std::optional<workload::TriggerFault> fault = workload::find_trigger_fault(list, file.triggers, names)) {
    return tl::unexpected<Error>(
        std::move(fault->error).at(fault->flow ? names[*fault->flow] : file.trigger_places[fault->trigger->value()]));
  }
  return {};
}

std::string none_selected(const std::string& selector, const std::vector<Participant>& from) {
  std::string text = "'" + selector + "' selects no further participant; ";
  if (from.empty()) {
    return text + "there are none";
  }
  text += from.size() == 1 ? "the only one is " : "there are ";
  return text + from.front().name + (from.size() == 1 ? "" : " to " + from.back().name) +
         ", each at most once, and no switches";
}

}  // namespace

Result<std::vector<std::size_t>> select(const std::vector<std::string>& selectors, const std::vector<Participant>& from,
                                        const scenario::TrafficSettings& traffic) {
  std::vector<std::size_t> chosen;
  for (const std::string& selector : selectors) {
    const std::size_t before = chosen.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Participant& candidate = from[i];
      const bool named = scenario::selects(selector, candidate.name) || scenario::selects(selector, candidate.host) ||
                         (candidate.name.starts_with("rank") && scenario::selects(selector, candidate.name.substr(4)));
      if (named && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
        chosen.push_back(i);
      }
    }
    if (chosen.size() == before) {
      return wrong(traffic, none_selected(selector, from));
    }
  }
  return chosen;
}

workload::FlowShape PatternBuilder::shape_of(const scenario::TrafficSettings& traffic) const {
  workload::FlowShape shape;
  shape.size = traffic.size;
  shape.messages = static_cast<std::uint64_t>(traffic.count);
  shape.window = static_cast<std::uint32_t>(traffic.depth);
  shape.operation = operation_of(traffic.operation);
  shape.start = Time::zero() + traffic.start;
  const std::optional<Duration> stop = traffic.stop ? traffic.stop : scenario_.stop;
  shape.stop = stop ? Time::zero() + *stop : Time::never();
  if (traffic.count == 0) {
    shape.messages = workload::FlowShape::kUntilStop;
    shape.endless = scenario::lasts_as_long_as_jobs(scenario_, traffic);
  }
  return shape;
}

void PatternBuilder::set_common(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const {
  plan.connection.queue_pairs = static_cast<std::uint32_t>(traffic.queue_pairs.value_or(1));
  // All messages that may be in flight have room, whichever queue pairs they take.
  plan.connection.max_send_wr = std::max(plan.connection.max_send_wr, static_cast<std::uint32_t>(traffic.depth));
  plan.connection.queue_pair_use = traffic.queue_pair_use.value_or(workload::QueuePairUse::kRoundRobin);
  plan.as_long_as_jobs = scenario::lasts_as_long_as_jobs(scenario_, traffic);
  plan.latest_start = traffic.start + traffic.start_jitter;
}

Result<void> PatternBuilder::checkpoint(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                        const Savers& savers) const {
  set_common(plan, traffic);
  Result<std::vector<std::size_t>> to = select(traffic.destinations, savers.all, traffic);
  if (!to) {
    return pass_on(to);
  }
  const auto ranks = static_cast<std::int64_t>(savers.ranks.size());
  const std::int64_t shard = workload::checkpoint_shard(savers.job.training.shape, ranks).count();
  const std::int64_t pieces = (shard + traffic.size.count() - 1) / traffic.size.count();
  scenario::TrafficSettings cut = traffic;
  cut.count = traffic.count * pieces;
  std::vector<workload::ListedFlow> list;
  std::size_t next = 0;
  for (const Participant& rank : savers.ranks) {
    const auto own = std::ranges::find_if(savers.all, [&rank](const Participant& port) {
      return !rank.machine.rails.empty() && port.machine.rails.front() == rank.machine.rails.front();
    });
    const std::size_t destination = (*to)[next++ % to->size()];
    if (own == savers.all.end()) {
      return wrong(traffic, rank.name + " has no port of the fabric");
    }
    const auto source = static_cast<std::size_t>(own - savers.all.begin());
    if (source == destination) {
      return wrong(traffic, savers.all[destination].name + " is of the job itself; storage has hosts of its own");
    }
    list.push_back({.source = RankId(static_cast<std::uint32_t>(source)),
                    .destination = RankId(static_cast<std::uint32_t>(destination)),
                    .shape = shape_of(cut)});
    plan.pairs.emplace_back(list.back().source.value(), list.back().destination.value());
    plan.expected_bytes += static_cast<std::uint64_t>(traffic.size.count() * cut.count);
  }
  return take(plan, workload::FlowList::make(plan.job, list, {}), traffic);
}

Result<void> PatternBuilder::fill(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                  const std::vector<Participant>& all) const {
  const std::uint64_t message_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count);
  set_common(plan, traffic);
  plan.all_at_once = traffic.kind == scenario::TrafficKind::kPermutation ||
                     traffic.kind == scenario::TrafficKind::kIncast ||
                     (traffic.kind == scenario::TrafficKind::kFlows && traffic.file.empty());
  plan.is_exchange = traffic.kind == scenario::TrafficKind::kAllToAll;
  switch (traffic.kind) {
    case scenario::TrafficKind::kFlows:
      return flows(plan, traffic, all);
    case scenario::TrafficKind::kPermutation: {
      workload::PermutationOptions options{.flow = shape_of(traffic), .kind = {}};
      if (traffic.shift != 0) {
        options.kind = workload::ShiftPermutation{static_cast<std::uint32_t>(traffic.shift)};
      }
      plan.expected_bytes = message_bytes * all.size();
      return permutation(plan, traffic, options);
    }
    case scenario::TrafficKind::kIncast:
      return incast(plan, traffic, all);
    case scenario::TrafficKind::kAllToAll:
      plan.expected_bytes = message_bytes * all.size() * (all.size() - 1);
      return take(plan, workload::AllToAll::make(plan.job, {.flow = shape_of(traffic)}), traffic);
    case scenario::TrafficKind::kPoisson:
      return poisson(plan, traffic, all);
    case scenario::TrafficKind::kCollective:
      return collective(plan, traffic);
    case scenario::TrafficKind::kMulticast: {
      Result<MulticastPlan> planned = plan_multicast(scenario_, traffic, all);
      if (!planned) {
        return pass_on(planned);
      }
      plan.multicast = std::move(*planned);
      return {};
    }
    case scenario::TrafficKind::kCheckpoint:  // not of those who take part alike
    case scenario::TrafficKind::kRingAllReduce:
      break;
  }
  plan.expected_bytes = 2 * message_bytes * (all.size() - 1);
  scenario::TrafficSettings ring = traffic;
  ring.collective = workload::CollectiveKind::kAllReduce;
  ring.algorithm = workload::CollectiveAlgorithm::kRing;
  return collective(plan, ring);
}

Result<void> PatternBuilder::permutation(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                         const workload::PermutationOptions& options) {
  Result<workload::Permutation> made = workload::Permutation::make(plan.job, options);
  for (std::uint32_t rank = 0; made && rank < plan.job.ranks; ++rank) {
    plan.pairs.emplace_back(rank, made->destination_of(RankId(rank)).value());
  }
  return take(plan, std::move(made), traffic);
}

Result<void> PatternBuilder::collective(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const {
  Result<CollectivePlan> planned = plan_collective(scenario_, traffic, plan, {graph_, scale_up_});
  if (!planned) {
    return wrong(traffic, planned.error().message);
  }
  plan.collective = std::move(*planned);
  return {};
}

Result<void> PatternBuilder::incast(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                    const std::vector<Participant>& all) const {
  Result<std::vector<std::size_t>> to = select(traffic.destinations, all, traffic);
  Result<std::vector<std::size_t>> from = select(traffic.sources, all, traffic);
  if (!to || !from) {
    return !to ? pass_on(to) : pass_on(from);
  }
  if (to->size() > 1) {
    return wrong(traffic, "an incast has one destination");
  }
  const auto others = static_cast<std::size_t>(std::ranges::count(all, false, &Participant::is_pool));
  const std::size_t destination = to->empty() ? others - 1 : to->front();
  workload::IncastOptions options{.flow = shape_of(traffic),
                                  .destination = RankId(static_cast<std::uint32_t>(destination)),
                                  .senders = {},
                                  .jitter = {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool chosen = (from->empty() && !all[i].is_pool) || std::find(from->begin(), from->end(), i) != from->end();
    if (chosen && i != destination) {
      options.senders.push_back(RankId(static_cast<std::uint32_t>(i)));
    }
  }
  if (traffic.fan_in > 0) {
    if (static_cast<std::size_t>(traffic.fan_in) > options.senders.size()) {
      return fail("traffic '{}': fan_in is {}, but only {} can send", traffic.name, traffic.fan_in,
                  options.senders.size());
    }
    options.senders.resize(static_cast<std::size_t>(traffic.fan_in));
  }
  for (const RankId sender : options.senders) {
    plan.pairs.emplace_back(sender.value(), destination);
  }
  plan.expected_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count) * options.senders.size();
  return take(plan, workload::Incast::make(plan.job, options), traffic);
}

Result<void> PatternBuilder::flows(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                   const std::vector<Participant>& all) const {
  std::vector<workload::ListedFlow> list;
  std::vector<workload::Trigger> triggers;
  if (!traffic.file.empty()) {
    Result<scenario::FlowFile> file = scenario::read_flow_file(traffic.file);
    if (!file) {
      return wrong(traffic, "file: " + file.error().message);
    }
    const std::map<std::string, std::size_t> known = by_name(all);
    for (const scenario::FlowLine& line : file->flows) {
      const auto from = known.find(line.source);
      const auto to = known.find(line.destination);
      if (from == known.end() || to == known.end()) {
        return fail("{}: '{}' names neither a NIC nor a host with a single NIC", line.place,
                    from == known.end() ? line.source : line.destination);
      }
      workload::FlowShape shape = shape_of(traffic);
      shape.size = line.size;
      shape.start = shape.start + line.start;
      plan.latest_start = std::max(plan.latest_start, traffic.start + traffic.start_jitter + line.start);
      list.push_back({.source = RankId(static_cast<std::uint32_t>(from->second)),
                      .destination = RankId(static_cast<std::uint32_t>(to->second)),
                      .shape = shape,
                      .triggers = line.triggers});
      plan.expected_bytes += static_cast<std::uint64_t>(line.size.count() * traffic.count);
    }
    if (Result<void> checked = check_triggers(traffic, *file, list); !checked) {
      return checked;
    }
    triggers = std::move(file->triggers);
  } else {
    Result<std::vector<std::size_t>> from = select(traffic.sources, all, traffic);
    Result<std::vector<std::size_t>> to = select(traffic.destinations, all, traffic);
    if (!from || !to) {
      return !from ? pass_on(from) : pass_on(to);
    }
    if (from->empty() || (to->size() != from->size() && to->size() != 1)) {
      return fail("traffic '{}': {} sources and {} destinations; flows need equally many, or one destination",
                  traffic.name, from->size(), to->size());
    }
    for (std::size_t i = 0; i < from->size(); ++i) {
      const std::size_t destination = to->size() == 1 ? to->front() : (*to)[i];
      list.push_back({.source = RankId(static_cast<std::uint32_t>((*from)[i])),
                      .destination = RankId(static_cast<std::uint32_t>(destination)),
                      .shape = shape_of(traffic)});
    }
    plan.expected_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count) * list.size();
  }
  for (const workload::ListedFlow& flow : list) {
    plan.pairs.emplace_back(flow.source.value(), flow.destination.value());
  }
  return take(plan, workload::FlowList::make(plan.job, list, triggers), traffic);
}

Result<void> PatternBuilder::poisson(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                     const std::vector<Participant>& all) const {
  workload::PoissonOptions options;
  if (!traffic.cdf.empty()) {
    Result<CdfTable> table = scenario::size_table(traffic.cdf);
    if (!table) {
      return wrong(traffic, "cdf: " + table.error().message);
    }
    options.sizes = Empirical<Bytes>(std::move(*table));
  } else {
    options.sizes = Constant<Bytes>(traffic.size);
  }
  options.load = traffic.load;
  for (const Participant& own : all) {
    options.rates.push_back(own.rate);
  }
  if (!traffic.destinations.empty()) {  // else `all` are those who send, to one another
    for (const auto& [selectors, ranks] :
         {std::pair(&traffic.sources, &options.senders), std::pair(&traffic.destinations, &options.receivers)}) {
      Result<std::vector<std::size_t>> chosen = select(*selectors, all, traffic);
      if (!chosen) {
        return pass_on(chosen);
      }
      std::ranges::transform(*chosen, std::back_inserter(*ranks),
                             [](std::size_t i) { return RankId(static_cast<std::uint32_t>(i)); });
    }
    const std::vector<RankId>& from = options.senders;
    const std::vector<RankId>& to = options.receivers;
    if (to.size() == 1 && (from.empty() || std::ranges::count(from, to.front()) > 0)) {
      return wrong(traffic, all[to.front().value()].name +
                                " is the only one of destinations and sends too; leave it out of sources");
    }
  }
  options.flow = shape_of(traffic);
  options.flow.size = Bytes(1);
  options.flow.messages = 1;
  if (traffic.count > 1) {
    options.messages = static_cast<std::uint64_t>(traffic.count);
  }
  options.endless = plan.as_long_as_jobs;
  return take(plan, workload::PoissonArrivals::make(plan.job, options), traffic);
}

}  // namespace weft::study::assembly
