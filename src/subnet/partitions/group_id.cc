#include "subnet/partitions/group_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
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

/// The last two words as four decimal numbers, in the form of groups: "1.2.3.4" is "102:304". None: it is none of this.
std::optional<std::string> groups_of_decimals(std::string_view text) {
  constexpr std::size_t kMostDigits = 3;
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_last = i + 1 == bytes.size();
    const std::size_t end = is_last ? text.size() : std::min(text.find('.'), text.size());
    const std::from_chars_result read = std::from_chars(text.data(), text.data() + end, bytes[i]);
    const bool has_zeros = end > 1 && text.front() == '0';
    if (end == 0 || end > kMostDigits || has_zeros || read.ec != std::errc() || read.ptr != text.data() + end ||
        (!is_last && end == text.size())) {
      return std::nullopt;
    }
    text.remove_prefix(is_last ? end : end + 1);
  }
  return fmt::format("{:x}:{:x}", bytes[0] << 8U | bytes[1], bytes[2] << 8U | bytes[3]);
}

}  // namespace

std::optional<GidWords> parse_gid(std::string_view text) {
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos && text.find('.') > colon) {
    if (const auto groups = groups_of_decimals(text.substr(colon + 1))) {
      return parse_gid(std::string(text.substr(0, colon + 1)) + *groups);
    }
  }
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
