#include "base/nearest_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/printable.h"

namespace weft {
namespace {

// Costs are doubled so that a difference of case can be half an edit.
constexpr std::size_t kEdit = 2;
constexpr std::size_t kCaseOnly = 1;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::size_t substitution(char a, char b) {
  if (a == b) {
    return 0;
  }
  // The number of a product or a protocol is no slip of the finger.
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return lower(a) == lower(b) ? kCaseOnly : is_digit(a) && is_digit(b) ? 2 * kEdit : kEdit;
}

std::size_t distance(std::string_view a, std::string_view b) {
  // Three rows of the edit matrix: a swap looks two rows back.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    previous[j] = j * kEdit;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i * kEdit;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] =
          std::min({previous[j] + kEdit, current[j - 1] + kEdit, previous[j - 1] + substitution(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + kEdit);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word, std::span<const std::string_view> valid) {
  constexpr std::size_t kLongest = 256;  // of a word that somebody may have misspelt
  std::optional<std::string_view> nearest;
  std::size_t least = 0;
  if (word.size() > kLongest) {
    return nearest;
  }
  for (const std::string_view candidate : valid) {
    const std::size_t cost = distance(word, candidate);
    // In doubled costs, half the longer word is its whole length.
    const bool near = cost <= std::max(word.size(), candidate.size());
    if (near && (!nearest || cost < least)) {
      nearest = candidate;
      least = cost;
    }
  }
  return nearest;
}

Error unknown_word(const UnknownWord& unknown) {
  const auto nearest = nearest_word(unknown.word, unknown.valid);
  const auto question = nearest ? fmt::format(" did you mean '{}'?", *nearest) : std::string();
  return Error{fmt::format("unknown {} '{}';{} one of {}", unknown.kind, excerpt(unknown.word), question,
                           fmt::join(unknown.listed, ", "))};
}

}  // namespace weft
