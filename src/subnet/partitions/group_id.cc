#include "subnet/partitions/group_id.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace weft::subnet {
namespace {

/// Groups between colons; none: one of them is no number of 16 bits.
std::optional<std::vector<std::uint16_t>> groups_of(std::string_view text) {
  std::vector<std::uint16_t> groups;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    constexpr std::size_t kMostDigits = 4;
    std::uint16_t group = 0;
    const std::from_chars_result read = std::from_chars(text.data(), text.data() + end, group, 16);
    if (end == 0 || end > kMostDigits || read.ec != std::errc() || read.ptr != text.data() + end) {
      return std::nullopt;
    }
    groups.push_back(group);
    if (end + 1 == text.size()) {
      return std::nullopt;  // a colon at the end
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return groups;
}

}  // namespace

std::optional<GidWords> parse_gid(std::string_view text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  const auto front = groups_of(text.substr(0, gap));
  const auto back = has_gap ? groups_of(text.substr(gap + 2)) : std::vector<std::uint16_t>();
  GidWords words{};
  if (!front || !back) {
    return std::nullopt;
  }
  const std::size_t count = front->size() + back->size();
  if (has_gap ? count >= words.size() : count != words.size()) {
    return std::nullopt;
  }
  std::ranges::copy(*front, words.begin());
  std::ranges::copy(*back, words.end() - static_cast<std::ptrdiff_t>(back->size()));
  return words;
}

}  // namespace weft::subnet
