#include "workload/placement.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/nearest_word.h"
#include "base/stable_hash.h"

namespace weft::workload {

Result<Placement> Placement::make(std::vector<HostShape> hosts) {
  std::set<std::string_view> names;
  for (const HostShape& host : hosts) {
    if (!names.insert(host.name).second)
      return fail("placement: two hosts are named '{}'", host.name);
    if (host.rails == 0)
      return fail("placement: host '{}' has no rail", host.name);
  }
  return Placement(std::move(hosts));
}

Placement::Placement(std::vector<HostShape> hosts) : hosts_(std::move(hosts)) {
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    for (std::uint32_t gpu = 0; gpu < std::max(hosts_[host].gpus, 1U); ++gpu)
      slots_.push_back({.host = host, .gpu = gpu});
  }
}

Result<std::vector<RankPlace>> Placement::place(const JobOptions& job, const PlacementOptions& options) {
  auto chosen = choose(job, options);
  if (!chosen)
    return pass_on(chosen);
  std::vector<RankPlace> places;
  for (const std::size_t slot : *chosen) {
    slots_[slot].taken = true;
    places.push_back(place_of(slots_[slot], options.rails));
  }
  return places;
}

std::size_t Placement::free_places() const { return free_slots().size(); }

std::vector<std::size_t> Placement::free_slots() const {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].taken)
      free.push_back(i);
  }
  return free;
}

Result<std::vector<std::size_t>> Placement::choose(const JobOptions& job, const PlacementOptions& options) const {
  if (const auto* listed = std::get_if<ListedPlacement>(&options.kind))
    return choose_listed(job, *listed);
  std::vector<std::size_t> free = free_slots();
  if (job.ranks > free.size()) {
    return fail("job '{}' has {} ranks, but {} of the {} places on {} hosts are free", job.name, job.ranks, free.size(),
                slots_.size(), hosts_.size());
  }
  if (std::holds_alternative<SpreadPlacement>(options.kind)) {
    std::stable_sort(free.begin(), free.end(),
                     [this](std::size_t a, std::size_t b) { return slots_[a].gpu < slots_[b].gpu; });
  } else if (std::holds_alternative<RandomPlacement>(options.kind)) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (const std::size_t slot : free)
      order.emplace_back(random_rank(job, slot), slot);
    std::sort(order.begin(), order.end());
    std::transform(order.begin(), order.end(), free.begin(), [](const auto& entry) { return entry.second; });
  }
  free.resize(job.ranks);
  return free;
}

Result<std::vector<std::size_t>> Placement::choose_listed(const JobOptions& job, const ListedPlacement& listed) const {
  if (listed.places.size() != job.ranks)
    return fail("job '{}' has {} ranks, but its placement lists {} places", job.name, job.ranks, listed.places.size());
  std::vector<std::size_t> chosen;
  for (std::size_t rank = 0; rank < listed.places.size(); ++rank) {
    auto slot = find_slot(listed.places[rank]);
    if (!slot)
      return tl::unexpected<Error>(std::move(slot.error()).at(fmt::format("job '{}', rank {}", job.name, rank)));
    const auto before = std::find(chosen.begin(), chosen.end(), *slot);
    if (before != chosen.end() || slots_[*slot].taken) {
      return fail("job '{}', rank {}: GPU {} of host '{}' is taken{}", job.name, rank, listed.places[rank].gpu,
                  listed.places[rank].host,
                  before == chosen.end() ? std::string(" by another job")
                                         : fmt::format(" by rank {}", before - chosen.begin()));
    }
    chosen.push_back(*slot);
  }
  return chosen;
}

Result<std::size_t> Placement::find_slot(const ListedPlacement::Place& place) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const HostShape& host = hosts_[slots_[i].host];
    if (host.name != place.host)
      continue;
    if (place.gpu >= std::max(host.gpus, 1U))
      return fail("host '{}' has {} GPUs; there is no GPU {}", host.name, host.gpus, place.gpu);
    return i + place.gpu;
  }
  std::vector<std::string_view> names;
  for (const HostShape& host : hosts_)
    names.emplace_back(host.name);
  const auto near = nearest_word(place.host, names);
  return fail("there is no host '{}'{}", place.host, near ? fmt::format("; did you mean '{}'?", *near) : "");
}

std::uint64_t Placement::random_rank(const JobOptions& job, std::size_t slot) const {
  const Slot& own = slots_[slot];
  return stable_hash(job.seed, fmt::format("{}/placement/{}/{}", job.name, hosts_[own.host].name, own.gpu));
}

RankPlace Placement::place_of(const Slot& slot, RailChoice rails) const {
  const HostShape& host = hosts_[slot.host];
  RankPlace place{.host = HostIndex(slot.host)};
  if (host.gpus > 0)
    place.gpu = verbs::GpuIndex(slot.gpu);
  const std::uint64_t gpus = std::max(host.gpus, 1U);
  std::uint64_t first = slot.gpu * std::uint64_t{host.rails} / gpus;
  std::uint64_t last = std::max((slot.gpu + 1) * std::uint64_t{host.rails} / gpus, first + 1);
  if (rails == RailChoice::kAll) {
    first = 0;
    last = host.rails;
  }
  for (std::uint64_t rail = first; rail < last; ++rail)
    place.rails.push_back(static_cast<std::uint32_t>(rail));
  return place;
}

}  // namespace weft::workload
