#include "transport/uet/match_list.h"

#include <algorithm>

namespace weft::transport {
namespace {

/// Takes the first element for which `is_it` holds.
template <class List, class Predicate>
std::optional<std::uint64_t> take_first(List& list, Predicate is_it) {
  const auto found = std::ranges::find_if(list, is_it);
  if (found == list.end())
    return std::nullopt;
  const std::uint64_t name = found->name;
  list.erase(found);
  return name;
}

}  // namespace

bool MatchList::add_expected(std::uint64_t name, const Wanted& wanted) {
  if (expected_.size() >= limits_.expected)
    return false;
  expected_.push_back({name, wanted});
  return true;
}

bool MatchList::add_unexpected(std::uint64_t name, const Envelope& envelope) {
  if (!has_room_for_unexpected())
    return false;
  unexpected_.push_back({name, envelope});
  return true;
}

std::optional<std::uint64_t> MatchList::take_expected(const Envelope& envelope) {
  return take_first(expected_, [&](const Receive& receive) { return matches(receive.wanted, envelope); });
}

std::optional<std::uint64_t> MatchList::take_unexpected(const Wanted& wanted) {
  return take_first(unexpected_, [&](const Message& message) { return matches(wanted, message.envelope); });
}

std::optional<std::uint64_t> MatchList::peek_unexpected(const Wanted& wanted) const {
  const auto found =
      std::ranges::find_if(unexpected_, [&](const Message& message) { return matches(wanted, message.envelope); });
  return found == unexpected_.end() ? std::nullopt : std::optional(found->name);
}

bool MatchList::remove_expected(std::uint64_t name) {
  return take_first(expected_, [name](const Receive& receive) { return receive.name == name; }).has_value();
}

bool MatchList::remove_unexpected(std::uint64_t name) {
  return take_first(unexpected_, [name](const Message& message) { return message.name == name; }).has_value();
}

std::optional<std::uint64_t> MatchList::take_any_expected() {
  return take_first(expected_, [](const Receive&) { return true; });
}

}  // namespace weft::transport
