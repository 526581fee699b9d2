#include "study/results/silent_flows.h"

#include <algorithm>

namespace weft::study::results {

void leave_out_ended(std::span<const workload::MessageRecord> ended, std::vector<SilentFlowRow>& flows) {
  const auto flow_of = [](const SilentFlowRow& row) -> const workload::FlowId& { return row.flow; };
  std::vector<bool> is_known(flows.size(), false);
  for (const workload::MessageRecord& record : ended) {
    for (const SilentFlowRow& row : std::ranges::equal_range(flows, record.flow, {}, flow_of)) {
      is_known[static_cast<std::size_t>(&row - flows.data())] = true;
    }
  }
  std::size_t number = 0;
  std::erase_if(flows, [&](const SilentFlowRow&) { return is_known[number++]; });
}

std::span<const SilentFlowRow> silent_flows_of(const RunResults& results, std::size_t job) {
  const auto number = [](const SilentFlowRow& row) { return row.flow.job.value(); };
  const auto own = std::ranges::equal_range(results.silent_flows, job, {}, number);
  return {own.begin(), own.end()};
}

}  // namespace weft::study::results
