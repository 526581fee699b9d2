#include "tests/workload/network_reducer.h"

#include <algorithm>
#include <cstring>

#include "workload/collective/combine.h"

namespace weft::testing {

void NetworkReducer::post(const verbs::GroupAttributes& group, const Place& place, const Part& part) {
  const Key key{group.members, place};
  std::vector<Part>& parts = open_[key];
  parts.resize(group.members.size());
  parts[group.self.value()] = part;
  const bool all = std::all_of(parts.begin(), parts.end(), [](const Part& one) { return one.member != nullptr; });
  if (!all)
    return;
  finish(parts);
  open_.erase(key);
}

void NetworkReducer::finish(const std::vector<Part>& parts) {
  const std::size_t length = parts[0].request.source.length;
  std::vector<std::byte> sum;
  const auto& from = parts[0].request.broadcast_from;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (from && from->value() != i)
      continue;
    const std::byte* const source = part.member->bytes_at(part.request.source.address);
    if (source == nullptr)
      continue;
    if (sum.empty())
      sum.assign(source, source + length);
    else
      workload::combine(part.request.data_type, part.request.operation, {.target = sum, .source = {source, length}});
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& root = parts[i].request.root;
    if (!sum.empty() && (!root || root->value() == i))
      std::memcpy(parts[i].member->bytes_at(parts[i].request.destination.address), sum.data(), length);
    parts[i].member->complete(parts[i].request.wr_id);
  }
}

Result<verbs::GroupHandle> ReducingProvider::create_group(const verbs::GroupAttributes& attributes) {
  if (auto right = verbs::check_group(attributes, query_reduce()); !right)
    return pass_on(right);
  const auto same = std::ranges::count_if(
      groups_, [&](const Group& group) { return group.attributes.members == attributes.members; });
  groups_.push_back({.attributes = attributes, .ordinal = static_cast<std::uint32_t>(same)});
  return verbs::GroupHandle(static_cast<std::uint32_t>(groups_.size() - 1));
}

Result<void> ReducingProvider::post_reduce(verbs::GroupHandle handle, const verbs::ReduceWr& request) {
  Group& group = groups_[handle.value()];
  if (auto right = verbs::check_reduce(group.attributes, request, query_reduce()); !right)
    return right;
  network_.post(group.attributes, {group.ordinal, group.posted++}, {.member = this, .request = request});
  return {};
}

void ReducingProvider::complete(std::uint64_t wr_id) {
  completions_.push_back({.wr_id = wr_id, .opcode = verbs::WcOpcode::kReduce});
}

Result<std::size_t> ReducingProvider::poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) {
  std::size_t count = 0;
  while (count < out.size() && !completions_.empty())
    out[count++] = completions_.pop_front();
  if (count == out.size())
    return count;
  auto more = device_.poll_cq(cq, out.subspan(count));
  if (!more)
    return more;
  return count + *more;
}

}  // namespace weft::testing
