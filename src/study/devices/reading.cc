#include "study/devices/reading.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/printable.h"
#include "base/text_lines.h"

namespace weft::study::devices {

Result<std::uint64_t> number_of(std::string_view text, const Span& span) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < span.least || number > span.most) {
    return fail("'{}' is not a whole number from {} to {}", excerpt(text), span.least, span.most);
  }
  return number;
}

std::vector<ConfigLine> lines_of(std::string_view text, std::string_view comments) {
  std::vector<ConfigLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ConfigLine line{.words = {}, .number = ++number};
    constexpr std::string_view kBlanks = " \t\r";
    for (std::size_t at = rest.find_first_not_of(kBlanks); at != std::string_view::npos;
         at = rest.find_first_not_of(kBlanks)) {
      line.indent = line.words.empty() ? at : line.indent;
      if (comments.find(rest[at]) != std::string_view::npos) {
        break;
      }
      const std::size_t stop = std::min(rest.find_first_of(kBlanks, at), rest.size());
      line.words.push_back(rest.substr(at, stop - at));
      rest.remove_prefix(stop);
    }
    if (!line.words.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string place_of(std::string_view file, const ConfigLine& line) { return fmt::format("{}:{}", file, line.number); }

Result<std::vector<std::size_t>> classes_of(std::string_view range, std::size_t most) {
  const std::size_t dash = range.find('-');
  const auto first = number_of(range.substr(0, dash), {.least = 0, .most = most});
  if (!first) {
    return tl::unexpected<Error>(first.error());
  }
  const auto last = dash == std::string_view::npos ? first : number_of(range.substr(dash + 1), {.most = most});
  if (!last || *last < *first) {
    return fail("'{}' is not a range of numbers from 0 to {}, as in 3-4", excerpt(range), most);
  }
  std::vector<std::size_t> classes(*last - *first + 1);
  std::iota(classes.begin(), classes.end(), static_cast<std::size_t>(*first));
  return classes;
}

void number_ports(std::vector<PortSetting>& ports, Syntax syntax) {
  std::vector<std::uint64_t> found;
  for (const PortSetting& port : ports) {
    std::string_view name = port.name;
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
      name = name.substr(0, slash);
    }
    constexpr std::string_view kNvue = "swp";
    if (name.starts_with(kNvue)) {
      name = name.substr(0, name.find('s', kNvue.size()));  // "swp5s1" is a lane of "swp5"
    }
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    std::uint64_t number = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    found.push_back(syntax != Syntax::kSonic && number > 0 ? number - 1 : number);
  }
  std::uint64_t stride = 0;
  for (const std::uint64_t number : found) {
    stride = std::gcd(stride, number);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i].number = syntax == Syntax::kSonic && stride > 0 ? found[i] / stride : found[i];
  }
  std::ranges::stable_sort(ports, {}, &PortSetting::number);
}

}  // namespace weft::study::devices
