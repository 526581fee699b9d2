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

}  // namespace

Result<FlowList> FlowList::make(const JobOptions& job, const std::vector<ListedFlow>& flows) {
  FlowList list;
  std::map<std::pair<RankId, RankId>, std::uint32_t> indices;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const ListedFlow& flow = flows[i];
    if (auto right = check(job, flow); !right)
      return tl::unexpected<Error>(std::move(right.error()).at(fmt::format("flow {}", i + 1)));
    const std::uint32_t index = indices[{flow.source, flow.destination}]++;
    list.flows_[flow.source].push_back(
        {.id = {job.id, flow.source, flow.destination, index}, .shape = flow.shape, .channel = index});
    list.needs_receives_ |= needs_receive(flow.shape.operation);
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
