#include "workload/rank_ports.h"

#include <algorithm>

namespace weft::workload {
namespace {

/// Room for the completions of an incast of thousands; a queue takes memory only as it fills.
constexpr std::uint32_t kCompletions = 1U << 20;

Result<RailPort> open_rail(const verbs::Rail& rail, const RankMemory& memory) {
  RailPort port{.provider = rail.provider, .endpoint = rail.endpoint, .rate = rail.rate};
  auto pd = port.provider->alloc_pd();
  if (!pd)
    return pass_on(pd);
  port.pd = *pd;
  auto cq = port.provider->create_cq(std::min(kCompletions, port.provider->query_device().max_cqe));
  if (!cq)
    return pass_on(cq);
  port.cq = *cq;
  auto key = port.provider->reg_mr({.pd = port.pd,
                                    .address = memory.address,
                                    .length = static_cast<std::uint64_t>(memory.length.count()),
                                    .bytes = memory.bytes,
                                    .access = verbs::kAccessAll,
                                    .place = memory.place});
  if (!key)
    return pass_on(key);
  port.key = *key;
  return port;
}

}  // namespace

Result<RankPorts> RankPorts::open(verbs::Machine& machine, const RankMemory& memory) {
  RankPorts ports(machine, memory);
  for (const verbs::Rail& rail : machine.rails()) {
    auto port = open_rail(rail, memory);
    if (!port)
      return pass_on(port);
    ports.rails_.push_back(*port);
  }
  if (ports.rails_.empty())
    return fail("the rank's host has no rail: no NIC port that it may use");
  return ports;
}

}  // namespace weft::workload
