#include "study/run/collector_scale_up.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "study/assembly/build_scale_up.h"
#include "study/world/ideal_time.h"

namespace weft::study::run {
namespace {

Bytes bytes_of(std::uint64_t count) { return Bytes(static_cast<std::int64_t>(count)); }

void add_port(results::TierRow& tier, const std::string& name, Bytes sent, Duration busy) {
  tier.sent += sent;
  if (busy > tier.wire_time) {
    tier.busiest = name;
    tier.wire_time = busy;
  }
}

results::TierRow scale_up_tier(const world::World& world, const assembly::ScaleUpPlan& plan, Time now) {
  results::TierRow tier{.name = "scale-up"};
  const auto add = [&](EndpointId endpoint) {
    const fabric::ScaleUpCounters sent = world.scale_up()->sent_by(endpoint, now);
    add_port(tier, world.endpoint_name(endpoint), bytes_of(sent.wire_bytes), sent.busy);
    tier.stalled += sent.stalled;
  };
  for (const assembly::ScaleUpPlan::Gpu& gpu : plan.gpus) {
    add(gpu.endpoint);
  }
  for (const assembly::ScaleUpPlan::Pool& pool : plan.pools) {
    add(pool.endpoint);
  }
  return tier;
}

results::TierRow scale_out_tier(const results::RunResults& results) {
  results::TierRow tier{.name = "scale-out"};
  for (const results::PortRow& port : results.ports) {
    if (!port.of_switch) {
      add_port(tier, port.name, bytes_of(port.tx_bytes), port.rate.transmit_time(bytes_of(port.tx_bytes)));
      for (const results::LaneRow& lane : port.lanes) {
        tier.stalled += lane.held;
      }
    }
  }
  return tier;
}

std::string_view word_of(workload::Operation operation) {
  switch (operation) {
    case workload::Operation::kRead:
      return "load";
    case workload::Operation::kWrite:
    case workload::Operation::kWriteWithImm:
      return "store";
    case workload::Operation::kSend:
      break;
  }
  return "send";
}

/// Messages of traffic over scale-up links, by the memory that they are to and what they do there.
class Accesses {
 public:
  void add(std::string_view memory, const workload::MessageRecord& record) {
    Kind& kind = kinds_[{std::string(memory), std::string(word_of(record.operation))}];
    results::MemoryAccessRow& row = kind.row;
    const Duration taken = record.finished - record.posted;
    if (row.messages == 0 || record.size < row.smallest || (record.size == row.smallest && taken < row.fastest)) {
      row.smallest = record.size;
      row.fastest = taken;
    }
    ++row.messages;
    row.bytes += record.size;
    Flow& flow = kind.flows[record.flow];
    flow.bytes += record.size;
    flow.first = earlier(flow.first, record.posted);
    flow.last = later(flow.last, record.finished);
  }

  [[nodiscard]] std::vector<results::MemoryAccessRow> rows() const {
    std::vector<results::MemoryAccessRow> rows;
    for (const auto& [name, kind] : kinds_) {
      results::MemoryAccessRow& row = rows.emplace_back(kind.row);
      std::tie(row.memory, row.operation) = name;
      for (const auto& [id, flow] : kind.flows) {
        if (flow.last > flow.first) {
          row.best_flow = std::max(row.best_flow, average_rate(flow.bytes, flow.last - flow.first));
        }
      }
    }
    return rows;
  }

 private:
  struct Flow {
    Bytes bytes;
    Time first = Time::never();
    Time last;
  };
  struct Kind {
    results::MemoryAccessRow row;
    std::map<workload::FlowId, Flow> flows;
  };
  std::map<std::pair<std::string, std::string>, Kind> kinds_;
};

}  // namespace

void take_scale_up(const Simulation& simulation, results::RunResults& results) {
  const assembly::ScaleUpPlan* const plan = simulation.scale_up_plan();
  if (plan == nullptr) {
    return;
  }
  results.tiers = {scale_up_tier(simulation.world(), *plan, simulation.ended_at()), scale_out_tier(results)};
  Accesses accesses;
  for (const results::MessageRow& message : results.messages) {
    const workload::MessageRecord& record = message.record;
    const world::IdealPath path = simulation.path_of(record);
    if (path.service == host::Service::kMemory && record.status == verbs::WcStatus::kSuccess) {
      accesses.add(plan->find(path.destination) == nullptr ? "pool" : "peer", record);
    }
  }
  const scenario::Scenario& scenario = simulation.scenario();
  results.scale_up =
      results::ScaleUpRow{.domains = static_cast<std::uint32_t>(plan->options.domains.size()),
                          .gpus = static_cast<std::uint32_t>(plan->gpus.size()),
                          .pools = static_cast<std::uint32_t>(plan->pools.size()),
                          .gpu_memory = scenario.scale_up.gpu_memory.value_or(Bytes::zero()),
                          .pool_capacity = scenario.scale_up.pool_capacity,
                          .gpu_memory_rate = scenario.devices.host.gpu_memory_rate.value_or(Rate::zero()),
                          .accesses = accesses.rows()};
}

}  // namespace weft::study::run
