#include "study/scenario/flow_file.h"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/parse_quantity.h"
#include "base/printable.h"
#include "workload/flow_sizes.h"

namespace weft::study::scenario {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) {
      return fields;
    }
    line = line.substr(end + 1);
  }
}

/// Calls take(line, place) for every line that means something, until it gives an error.
template <class Take>
Result<void> for_each_line(const std::string& path, Take take) {
  const Result<std::string> text = read_file(path, {.bytes = kLargestTrafficFile});
  if (!text) {
    return tl::unexpected<Error>(text.error());
  }
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (Result<void> taken = take(line, fmt::format("{}:{}", path, number)); !taken) {
      return taken;
    }
  }
  return {};
}

Result<FlowLine> parse_flow(std::string_view line, const std::string& place) {
  const std::vector<std::string_view> fields = fields_of(line, ',');
  if (fields.size() < 3 || fields.size() > 4 || fields[0].empty() || fields[1].empty()) {
    return fail("{}: '{}' is no flow; expected 'source, destination, size[, start]'", place, excerpt(line));
  }
  Result<Bytes> size = parse_bytes(fields[2]);
  if (!size) {
    return fail("{}: size: {}", place, size.error().message);
  }
  Result<Duration> start = fields.size() == 4 ? parse_duration(fields[3]) : Result<Duration>(Duration::zero());
  if (!start) {
    return fail("{}: start: {}", place, start.error().message);
  }
  if (*start < Duration::zero()) {
    return fail("{}: start: {} is before the start of the run", place, excerpt(fields[3]));
  }
  return FlowLine{.source = std::string(fields[0]),
                  .destination = std::string(fields[1]),
                  .size = *size,
                  .start = *start,
                  .place = place};
}

Result<CdfTable> read_table(const std::string& path) {
  std::vector<CdfPoint> points;
  Result<void> read = for_each_line(path, [&](std::string_view line, const std::string& place) -> Result<void> {
    const std::size_t gap = line.find_first_of(" \t,");
    const std::string_view first = line.substr(0, gap);
    const std::string_view second = gap == std::string_view::npos ? "" : trimmed(line.substr(gap + 1));
    Result<Bytes> value = parse_bytes(std::string(first) + " B");
    Result<Probability> share = parse_probability(std::string(second) + "%");
    if (!value || !share) {
      return fail("{}: '{}' is no point; expected 'bytes percent', such as '10000 15'", place, excerpt(line));
    }
    points.push_back({value->count(), *share});
    return {};
  });
  if (!read) {
    return pass_on(read);
  }
  Result<CdfTable> table = CdfTable::make(std::move(points));
  return table ? std::move(table) : fail("{}: {}", path, table.error().message);
}

}  // namespace

Result<std::vector<FlowLine>> read_flow_file(const std::string& path) {
  std::vector<FlowLine> flows;
  Result<void> read = for_each_line(path, [&](std::string_view line, const std::string& place) -> Result<void> {
    Result<FlowLine> flow = parse_flow(line, place);
    if (!flow) {
      return pass_on(flow);
    }
    flows.push_back(std::move(*flow));
    return {};
  });
  if (!read) {
    return pass_on(read);
  }
  if (flows.empty()) {
    return fail("{}: the file contains no flow", path);
  }
  return flows;
}

Result<CdfTable> size_table(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
      {{"websearch", "WebSearch"}, {"fb-hadoop", "FB_Hadoop"}, {"alistorage", "AliStorage"}}};
  for (const auto& [word, published] : kNames) {
    if (name == word) {
      return workload::flow_sizes(published);
    }
  }
  return read_table(name);
}

}  // namespace weft::study::scenario
