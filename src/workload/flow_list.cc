#include "workload/flow_list.h"

#include <algorithm>
#include <string>

#include "base/format_quantity.h"

namespace weft::workload {
namespace {

Result<void> check(const JobOptions& job, const ListedFlow& flow) {
  for (const RankId rank : {flow.source, flow.destination}) {
    if (rank.value() >= job.ranks)
      return fail("job '{}' has no rank {}; it has {} ranks", job.name, rank, job.ranks);
  }
  if (flow.source == flow.destination)
    return fail("rank {} sends to itself", flow.source);
  return check_flow(flow.shape);
}

std::string flow_number(std::size_t index) { return fmt::format("flow {}", index + 1); }

Result<void> check_triggers(const std::vector<ListedFlow>& flows, const std::vector<Trigger>& triggers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < flows.size(); ++i)
    names.push_back(flow_number(i));
  if (auto fault = find_trigger_fault(flows, triggers, names))
    return tl::unexpected<Error>(fault->flow ? std::move(fault->error).at(names[*fault->flow])
                                             : std::move(fault->error));
  return {};
}

}  // namespace

Result<FlowList> FlowList::make(const JobOptions& job, const std::vector<ListedFlow>& flows,
                                const std::vector<Trigger>& triggers) {
  FlowList list;
  std::map<std::pair<RankId, RankId>, std::uint32_t> indices;
  std::vector<Flow> named;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const ListedFlow& flow = flows[i];
    if (auto right = check(job, flow); !right)
      return tl::unexpected<Error>(std::move(right.error()).at(flow_number(i)));
    const std::uint32_t index = indices[{flow.source, flow.destination}]++;
    named.push_back({.id = {job.id, flow.source, flow.destination, index}, .shape = flow.shape, .channel = index});
    if (flow.triggers.after.empty())
      list.flows_[flow.source].push_back(named.back());
    list.needs_receives_ |= needs_receive(flow.shape.operation);
  }
  if (!triggers.empty()) {
    if (auto right = check_triggers(flows, triggers); !right)
      return pass_on(right);
    list.plan_ = TriggerPlan(flows, named, triggers);
  }
  for (auto& [source, own] : list.flows_)
    std::stable_sort(own.begin(), own.end(),
                     [](const Flow& a, const Flow& b) { return a.shape.start < b.shape.start; });
  return list;
}

std::unique_ptr<FlowSource> FlowList::flows_of(RankId rank) const {
  const auto found = flows_.find(rank);
  return std::make_unique<ListedFlows>(found == flows_.end() ? std::vector<Flow>{} : found->second);
}

}  // namespace weft::workload
