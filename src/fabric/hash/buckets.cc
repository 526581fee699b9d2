#include "fabric/hash/buckets.h"

#include <algorithm>
#include <map>

#include "base/assert.h"

namespace weft::fabric {
namespace {

/// Whole buckets by weight; what is left over goes to the members with the largest rests, earlier ones first.
std::vector<std::uint32_t> shares_of(std::span<const GroupMember> members, std::uint32_t count) {
  std::uint64_t total = 0;
  for (const GroupMember& member : members) {
    total += member.weight;
  }
  std::vector<std::uint32_t> shares;
  std::vector<std::pair<std::uint64_t, std::size_t>> rests;  // negated order by rest, then by place
  std::uint32_t left = count;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::uint64_t product = std::uint64_t{members[i].weight} * count;
    shares.push_back(static_cast<std::uint32_t>(product / total));
    rests.emplace_back(total - product % total, i);
    left -= shares.back();
  }
  std::ranges::sort(rests);
  for (std::uint32_t i = 0; i < left; ++i) {
    ++shares[rests[i].second];
  }
  return shares;
}

}  // namespace

std::vector<std::uint32_t> assign_buckets(std::span<const std::uint32_t> before, std::span<const GroupMember> members,
                                          std::uint32_t count) {
  WEFT_ASSERT(!members.empty() && count >= members.size() && (before.empty() || before.size() == count));
  std::vector<std::uint32_t> missing = shares_of(members, count);  // of each member's share
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t i = 0; i < members.size(); ++i) {
    place.emplace(members[i].name, i);
  }
  WEFT_ASSERT(place.size() == members.size());
  std::vector<std::uint32_t> names(count);
  std::vector<std::uint32_t> open;
  std::vector<std::uint32_t> held(members.size(), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto found = before.empty() ? place.end() : place.find(before[i]);
    if (found == place.end()) {
      open.push_back(i);
    } else {
      names[i] = before[i];
      ++held[found->second];
    }
  }
  // Members that came take from those that hold most above their share; nobody else gives anything up.
  const auto is_new = [&](std::size_t member) { return !before.empty() && held[member] == 0; };
  std::uint32_t wanted = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    wanted += is_new(i) ? missing[i] : 0;
  }
  for (std::uint32_t i = 0; i < count && open.size() < wanted; ++i) {
    const auto found = before.empty() ? place.end() : place.find(before[i]);
    if (found != place.end() && held[found->second] > missing[found->second]) {
      --held[found->second];
      open.push_back(i);
    }
  }
  std::ranges::sort(open);
  // In turn, so that neighbouring buckets name different members.
  std::size_t next = 0;
  const auto lacks = [&](std::size_t member) { return held[member] < missing[member]; };
  for (const std::uint32_t bucket : open) {
    std::size_t tried = 0;
    while (!lacks(next) && tried++ < members.size()) {
      next = (next + 1) % members.size();
    }
    names[bucket] = members[next].name;
    ++held[next];
    next = (next + 1) % members.size();
  }
  return names;
}

}  // namespace weft::fabric
