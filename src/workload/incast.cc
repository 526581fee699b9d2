#include "workload/incast.h"

#include <string>

#include "base/format_quantity.h"
#include "base/random.h"

namespace weft::workload {

Result<Incast> Incast::make(const JobOptions& job, const IncastOptions& options) {
  if (options.destination.value() >= job.ranks || job.ranks < 2)
    return fail("incast: no rank {} to send to among {} ranks", options.destination, job.ranks);
  if (options.jitter < Duration::zero())
    return fail("incast: a jitter of {}; it must not be negative", options.jitter);
  FlowShape latest = options.flow;
  latest.start += options.jitter;
  if (auto right = check_flow(latest); !right)
    return tl::unexpected<Error>(std::move(right.error()).at("incast"));

  std::vector<bool> sends(job.ranks, options.senders.empty());
  sends[options.destination.value()] = false;
  for (const RankId sender : options.senders) {
    if (sender.value() >= job.ranks)
      return fail("incast: no rank {}; there are {}", sender, job.ranks);
    if (sender == options.destination)
      return fail("incast: rank {} is both the destination and a sender", sender);
    if (sends[sender.value()])
      return fail("incast: rank {} is named twice as a sender", sender);
    sends[sender.value()] = true;
  }
  return Incast(job, options, std::move(sends));
}

std::unique_ptr<FlowSource> Incast::flows_of(RankId rank) const {
  std::vector<Flow> flows;
  if (sends_[rank.value()]) {
    Flow flow{.id = {job_.id, rank, options_.destination, 0}, .shape = options_.flow};
    RandomStream random(job_.seed, flow_name(job_.name, flow.id) + "/jitter");
    flow.shape.start +=
        Duration::picoseconds(random.uniform_between({.low = 0, .high = options_.jitter.picoseconds()}));
    flows.push_back(flow);
  }
  return std::make_unique<ListedFlows>(std::move(flows));
}

}  // namespace weft::workload
