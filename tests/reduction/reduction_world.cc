#include "tests/reduction/reduction_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/reducers.h"

namespace weft::testing {
namespace {

constexpr std::uint64_t kMemoryAddress = std::uint64_t{1} << 44;
constexpr std::size_t kMemory = std::size_t{1} << 30;  // of ranks without bytes

template <class T>
T must(Result<T> result) {
  if (!result.has_value()) {
    fmt::print(stderr, "unexpected error: {}\n", result.error().message);
    WEFT_ASSERT(result.has_value());
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

std::vector<fabric::NodeIndex> all_switches(const fabric::Graph& graph) {
  std::vector<fabric::NodeIndex> switches;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    switches.emplace_back(i);
  }
  return switches;
}

}  // namespace

fabric::Graph leaves_and_spines(std::uint32_t leaves, std::uint32_t hosts_per_leaf, std::uint32_t spines) {
  constexpr fabric::Cable kCable{400_gbps, 50_ns};
  return *fabric::build_graph(fabric::LeafSpineOptions{.leaves = leaves,
                                                       .spines = spines,
                                                       .hosts_per_leaf = hosts_per_leaf,
                                                       .host_link = kCable,
                                                       .fabric_link = kCable});
}

ReductionWorldOptions reduction_world(fabric::Graph graph) {
  ReductionWorldOptions options;
  options.graph = std::move(graph);
  options.nic.device.encapsulation = wire::Encapsulation::kIbLocal;
  options.nic.check_headers = true;
  return options;
}

ReductionWorld::ReductionWorld(ReductionWorldOptions options) : carries_bytes_(options.carries_bytes) {
  study::world::WorldOptions made;
  made.prefetch_from = 0;
  made.seed = options.seed;
  must(fabric::add_reducers(options.graph, options.reducers ? *options.reducers : all_switches(options.graph), {}));
  made.graph = options.graph;
  made.fabric = options.fabric;
  made.nic = [nic = options.nic](EndpointId) { return nic; };
  made.reduction = options.reduction;
  made.carries_bytes = options.carries_bytes;
  for (std::uint32_t i = 0; i < options.graph.host_endpoints(); ++i) {
    made.machines.push_back({options.graph.nodes[i].name, {EndpointId(i)}, {}});
    hosts_.emplace_back();
  }
  world_ = must(study::world::World::create(std::move(made)));
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    world_->machine(i).set_program([this, i] { return on_program(i); });
  }
}

std::uint32_t ReductionWorld::add_group(GroupPlan plan) {
  groups_.push_back(std::move(plan));
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::uint32_t ReductionWorld::add(const ReducePlan& plan, const Fill& fill) {
  const auto bytes = static_cast<std::size_t>(plan.count * verbs::size_of(plan.data_type).count());
  const std::vector<std::uint32_t>& ranks = groups_[plan.group].ranks;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    Host& host = hosts_[ranks[rank]];
    Request request{.plan = plan, .rank = rank, .source = host.next, .destination = 0};
    host.next += bytes;
    request.destination = plan.in_place ? request.source : std::exchange(host.next, host.next + bytes);
    if (carries_bytes_) {
      host.memory.resize(host.next);
      if (fill) {
        fill(rank, std::span(host.memory).subspan(request.source, bytes));
      }
    }
    host.requests.emplace_back(requests_, request);
  }
  return requests_++;
}

Result<void> ReductionWorld::post_all(std::uint32_t index) {
  Host& host = hosts_[index];
  verbs::Provider& verbs = provider(index);
  host.pd = must(verbs.alloc_pd());
  host.cq = must(verbs.create_cq(1 << 16));
  host.key = must(verbs.reg_mr({.pd = host.pd,
                                .address = kMemoryAddress,
                                .length = carries_bytes_ ? host.memory.size() : kMemory,
                                .bytes = carries_bytes_ ? host.memory.data() : nullptr,
                                .access = verbs::kAccessLocalWrite}));
  for (const GroupPlan& plan : groups_) {
    host.groups.emplace_back();
    const auto found = std::find(plan.ranks.begin(), plan.ranks.end(), index);
    if (found == plan.ranks.end()) {
      continue;
    }
    verbs::GroupAttributes attributes{.pd = host.pd,
                                      .cq = host.cq,
                                      .members = {},
                                      .self = verbs::GroupRank(static_cast<std::uint32_t>(found - plan.ranks.begin())),
                                      .max_reduce_wr = plan.max_reduce_wr};
    for (const std::uint32_t rank : plan.ranks) {
      attributes.members.emplace_back(rank);
    }
    host.groups.back() = must(groups(index).create_group(attributes));
  }
  for (const auto& [number, request] : host.requests) {
    const auto bytes = static_cast<std::uint32_t>(request.plan.count * verbs::size_of(request.plan.data_type).count());
    verbs::ReduceWr wr{
        .wr_id = number,
        .source = {.address = kMemoryAddress + request.source, .length = bytes, .lkey = host.key},
        .destination = {.address = kMemoryAddress + request.destination, .length = bytes, .lkey = host.key},
        .data_type = request.plan.data_type,
        .operation = request.plan.operation};
    if (request.plan.root) {
      wr.root = verbs::GroupRank(*request.plan.root);
    }
    if (request.plan.broadcast_from) {
      wr.broadcast_from = verbs::GroupRank(*request.plan.broadcast_from);
    }
    if (Result<void> posted = groups(index).post_reduce(*host.groups[request.plan.group], wr); !posted) {
      return posted;
    }
  }
  return {};
}

Result<void> ReductionWorld::on_program(std::uint32_t index) {
  Host& host = hosts_[index];
  if (!host.started) {
    if (host.start > world_->now()) {
      if (!host.start.is_never()) {
        world_->machine(index).set_timer({.at = host.start, .token = 0});
      }
      return {};
    }
    host.started = true;
    if (Result<void> posted = post_all(index); !posted) {
      return posted;
    }
  }
  std::array<verbs::MachineEvent, 4> events;
  (void)world_->machine(index).poll_events(events);
  std::array<verbs::WorkCompletion, 16> batch;
  for (;;) {
    const std::size_t moved = must(provider(index).poll_cq(host.cq, batch));
    for (std::size_t i = 0; i < moved; ++i) {
      host.completions.push_back({batch[i], world_->now()});
    }
    if (moved < batch.size()) {
      return {};
    }
  }
}

study::world::World::Stop ReductionWorld::run(Time limit) {
  world_->start();
  const study::world::World::Stop stop = world_->run(limit, ~std::uint64_t{0});
  EXPECT_FALSE(world_->error()) << world_->error()->message;
  EXPECT_EQ(world_->check_invariants(), "");
  return stop;
}

std::string ReductionWorld::run_checked(Time limit) {
  world_->start();
  constexpr std::uint64_t kEventsBetweenChecks = 997;
  while (world_->run(limit, kEventsBetweenChecks) == study::world::World::Stop::kBudget) {
    const std::string wrong = world_->check_invariants();
    if (!wrong.empty()) {
      return fmt::format("event {}: {}", world_->events(), wrong);
    }
  }
  EXPECT_FALSE(world_->error()) << world_->error()->message;
  return world_->check_invariants();
}

std::optional<Completed> ReductionWorld::completed(std::uint32_t host, std::uint32_t request) const {
  const std::vector<Completed>& all = hosts_[host].completions;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Completed& each) { return each.completion.wr_id == request; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::span<const std::byte> ReductionWorld::destination(std::uint32_t host, std::uint32_t request) const {
  for (const auto& [number, planned] : hosts_[host].requests) {
    if (number == request) {
      const auto bytes = static_cast<std::size_t>(planned.plan.count * verbs::size_of(planned.plan.data_type).count());
      return std::span(hosts_[host].memory).subspan(planned.destination, bytes);
    }
  }
  return {};
}

std::string ReductionWorld::check_all_succeeded() const {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    if (host.completions.size() != host.requests.size()) {
      return fmt::format("host {}: {} of {} requests completed", i, host.completions.size(), host.requests.size());
    }
    for (const Completed& each : host.completions) {
      if (each.completion.status != verbs::WcStatus::kSuccess || each.completion.opcode != verbs::WcOpcode::kReduce) {
        return fmt::format("host {}: request {} ended in '{}'", i, each.completion.wr_id,
                           to_string(each.completion.status));
      }
    }
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      std::vector<std::uint64_t> in_order;
      std::vector<std::uint64_t> posted;
      for (const auto& [number, request] : host.requests) {
        if (request.plan.group == group) {
          posted.push_back(number);
        }
      }
      for (const Completed& each : host.completions) {
        if (std::find(posted.begin(), posted.end(), each.completion.wr_id) != posted.end()) {
          in_order.push_back(each.completion.wr_id);
        }
      }
      if (in_order != posted) {
        return fmt::format("host {}: requests of group {} did not complete once each and in order", i, group);
      }
    }
  }
  return {};
}

Time ReductionWorld::last_completion() const {
  Time last;
  for (const Host& host : hosts_) {
    for (const Completed& each : host.completions) {
      last = later(last, each.at);
    }
  }
  return last;
}

host::Reducer::Counters ReductionWorld::reducer_totals() const {
  host::Reducer::Counters sum;
  for (const host::Reducer& reducer : world_->aggregation()->reducers()) {
    const host::Reducer::Counters& each = reducer.counters();
    sum.vectors += each.vectors;
    sum.bytes += each.bytes;
    sum.reductions += each.reductions;
    sum.results += each.results;
    sum.answers += each.answers;
    sum.failures += each.failures;
    sum.peak_held = std::max(sum.peak_held, each.peak_held);
  }
  return sum;
}

}  // namespace weft::testing
