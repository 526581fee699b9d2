#include "study/results/silent_flows.h"

#include <algorithm>

namespace weft::study::results {

std::vector<SilentFlowRow> silent_flows(const std::set<SilentFlowRow>& under_way,
                                        std::span<const workload::MessageRecord> ended) {
  std::vector<SilentFlowRow> flows(under_way.begin(), under_way.end());
  std::vector<bool> is_known(flows.size(), false);
  for (const workload::MessageRecord& record : ended) {
    auto row = std::ranges::lower_bound(flows, record.flow, {}, &SilentFlowRow::flow);
    for (; row != flows.end() && row->flow == record.flow; ++row) {
      is_known[static_cast<std::size_t>(row - flows.begin())] = true;
    }
  }
  std::size_t number = 0;
  std::erase_if(flows, [&](const SilentFlowRow&) { return is_known[number++]; });
  return flows;
}

std::span<const SilentFlowRow> silent_flows_of(const RunResults& results, std::size_t job) {
  const auto job_of = [](const SilentFlowRow& row) { return std::size_t{row.flow.job.value()}; };
  const auto first = std::ranges::lower_bound(results.silent_flows, job, {}, job_of);
  const auto last = std::ranges::upper_bound(results.silent_flows, job, {}, job_of);
  return {first, last};
}

}  // namespace weft::study::results
