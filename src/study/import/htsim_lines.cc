#include "study/import/htsim_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/printable.h"

namespace weft::study::import {

bool HtsimLines::next() {
  constexpr std::string_view kBlank = " \t\r";
  while (!rest_.empty()) {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    columns_ = line.size() + 1;
    words_.clear();
    for (std::size_t at = line.find_first_not_of(kBlank); at < line.size();) {
      const std::size_t stop = std::min(line.find_first_of(kBlank, at), line.size());
      const std::string_view word = line.substr(at, stop - at);
      if (word.front() == '#') {
        break;
      }
      words_.push_back({.text = word, .column = at + 1});
      at = std::min(line.find_first_not_of(kBlank, stop), line.size());
    }
    if (!words_.empty()) {
      return true;
    }
  }
  return false;
}

Result<std::uint64_t> HtsimLines::number(std::size_t word, std::string_view what, const HtsimRange& range) const {
  return number_in(word < words_.size() ? words_[word].text : std::string_view{}, word, what, range);
}

Result<std::uint64_t> HtsimLines::number_in(std::string_view text, std::size_t word, std::string_view what,
                                            const HtsimRange& range) const {
  if (text.empty()) {
    return fault(
        word, {fmt::format("{} is missing; it must be a whole number from {} to {}", what, range.least, range.most)});
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < range.least || value > range.most) {
    return fault(word, {fmt::format("{} is '{}'; it must be a whole number from {} to {}", what, excerpt(text),
                                    range.least, range.most)});
  }
  return value;
}

tl::unexpected<Error> HtsimLines::fault(std::size_t word, Error error) const {
  const std::size_t column = word < words_.size() ? words_[word].column : columns_;
  return tl::unexpected<Error>(std::move(error).at(fmt::format("{}:{}:{}", name_, line_, column)));
}

std::string HtsimLines::place(std::size_t line) const { return fmt::format("{}:{}", name_, line); }

}  // namespace weft::study::import
