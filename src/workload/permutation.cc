#include "workload/permutation.h"

#include <span>

#include "base/format_quantity.h"
#include "base/random.h"

namespace weft::workload {
namespace {

bool has_fixed_point(const std::vector<RankId>& destinations) {
  for (std::uint32_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i].value() == i)
      return true;
  }
  return false;
}

std::vector<RankId> shifted(std::uint32_t ranks, std::uint32_t by) {
  std::vector<RankId> destinations;
  for (std::uint32_t i = 0; i < ranks; ++i)
    destinations.emplace_back(static_cast<std::uint32_t>((std::uint64_t{i} + by) % ranks));
  return destinations;
}

struct Destinations {
  const JobOptions& job;

  Result<std::vector<RankId>> operator()(const RandomPermutation&) const {
    RandomStream random(job.seed, job.name + "/permutation");
    std::vector<RankId> destinations = shifted(job.ranks, 0);
    // Drawing again until it fits keeps all of them equally likely; one in e shuffles has no fixed point.
    while (has_fixed_point(destinations))
      random.shuffle(std::span(destinations));
    return destinations;
  }

  Result<std::vector<RankId>> operator()(const ShiftPermutation& shift) const {
    if (shift.by % job.ranks == 0)
      return fail("permutation: a shift by {} of {} ranks leads back to the sender", shift.by, job.ranks);
    return shifted(job.ranks, shift.by);
  }

  Result<std::vector<RankId>> operator()(const GivenPermutation& given) const {
    if (given.destinations.size() != job.ranks)
      return fail("permutation: {} destinations for {} ranks", given.destinations.size(), job.ranks);
    std::vector<bool> seen(job.ranks, false);
    for (const RankId destination : given.destinations) {
      if (destination.value() >= job.ranks)
        return fail("permutation: no rank {}; there are {}", destination, job.ranks);
      if (seen[destination.value()])
        return fail("permutation: rank {} is the destination of two ranks", destination);
      seen[destination.value()] = true;
    }
    if (has_fixed_point(given.destinations))
      return fail("permutation: a rank is its own destination");
    return given.destinations;
  }
};

}  // namespace

Result<Permutation> Permutation::make(const JobOptions& job, const PermutationOptions& options) {
  if (job.ranks < 2)
    return fail("permutation: {} ranks; it needs at least 2", job.ranks);
  if (auto right = check_flow(options.flow); !right)
    return pass_on(right);
  auto destinations = std::visit(Destinations{job}, options.kind);
  if (!destinations)
    return pass_on(destinations);
  return Permutation(job.id, options.flow, std::move(*destinations));
}

std::unique_ptr<FlowSource> Permutation::flows_of(RankId rank) const {
  const Flow flow{.id = {job_, rank, destination_of(rank), 0}, .shape = flow_};
  return std::make_unique<ListedFlows>(std::vector{flow});
}

}  // namespace weft::workload
