#include "study/scenario/flow_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/nearest_word.h"
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

/// Which list of a flow a field is, and the names in it.
using TriggerNames = std::array<std::vector<std::string>, 3>;
constexpr std::array<std::string_view, 3> kTriggerWords{"after", "sent", "received"};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view rest = trimmed(text); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest = trimmed(rest.substr(end));
  }
  return words;
}

class FlowFileReader {
 public:
  Result<void> take(std::string_view line, const std::string& place) {
    const std::vector<std::string_view> fields = fields_of(line, ',');
    const bool has_size = fields.size() > 2 && !fields[2].empty() && fields[2][0] >= '0' && fields[2][0] <= '9';
    return fields[0] == "trigger" && !has_size ? take_trigger(fields, line, place) : take_flow(fields, line, place);
  }

  /// The names that flows gave become places in the list of triggers.
  Result<FlowFile> finish() && {
    std::vector<std::string_view> known;
    for (const workload::Trigger& trigger : file_.triggers) {
      known.push_back(trigger.name);
    }
    for (std::size_t i = 0; i < file_.flows.size(); ++i) {
      FlowLine& flow = file_.flows[i];
      const std::array<std::vector<workload::TriggerId>*, 3> lists{&flow.triggers.after, &flow.triggers.sent,
                                                                   &flow.triggers.received};
      for (std::size_t list = 0; list < lists.size() && !names_[i].empty(); ++list) {
        for (const std::string& name : names_[i][list]) {
          const auto found = ids_.find(name);
          if (found == ids_.end()) {
            const std::string shown = excerpt(name);
            return tl::unexpected<Error>(unknown_trigger(shown, known).at(flow.place));
          }
          lists[list]->push_back(found->second);
        }
      }
      if (!flow.triggers.after.empty()) {
        flow.triggers.delay = std::exchange(flow.start, Duration::zero());
      }
    }
    return std::move(file_);
  }

 private:
  static Error unknown_trigger(const std::string& name, const std::vector<std::string_view>& known) {
    const auto nearest = nearest_word(name, known);
    return {fmt::format("no line defines the trigger '{}'; {}", name,
                        nearest ? fmt::format("did you mean '{}'?", excerpt(*nearest))
                                : fmt::format("add 'trigger, {}, oneshot'", name))};
  }

  Result<void> take_trigger(const std::vector<std::string_view>& fields, std::string_view line,
                            const std::string& place) {
    if (fields.size() < 3 || fields.size() > 4 || words_of(fields[1]).size() != 1) {
      return fail(
          "{}: '{}' is no trigger; expected 'trigger, NAME, oneshot', 'trigger, NAME, multishot' or "
          "'trigger, NAME, barrier, COUNT'",
          place, excerpt(line));
    }
    Result<workload::TriggerKind> kind = workload::parse_trigger_kind(fields[2]);
    if (!kind) {
      return fail("{}: {}", place, kind.error().message);
    }
    workload::Trigger trigger{.name = std::string(fields[1]), .kind = *kind};
    const bool is_barrier = *kind == workload::TriggerKind::kBarrier;
    if (is_barrier != (fields.size() == 4)) {
      return fail("{}: {}", place,
                  is_barrier ? "a barrier needs the number of firings that it waits for"
                             : "only a barrier has a number of firings");
    }
    if (is_barrier) {
      const std::string_view text = fields[3];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), trigger.count);
      if (error != std::errc() || end != text.data() + text.size() || trigger.count == 0) {
        return fail("{}: '{}' is no number of firings; it must be at least 1", place, excerpt(text));
      }
    }
    const auto id = static_cast<std::uint32_t>(file_.triggers.size());
    if (!ids_.emplace(trigger.name, workload::TriggerId(id)).second) {
      return fail("{}: a trigger named {} is already defined", place, excerpt(trigger.name));
    }
    file_.triggers.push_back(std::move(trigger));
    file_.trigger_places.push_back(place);
    return {};
  }

  Result<void> take_flow(const std::vector<std::string_view>& fields, std::string_view line, const std::string& place) {
    if (fields.size() < 3 || fields[0].empty() || fields[1].empty()) {
      return no_flow(line, place);
    }
    Result<Bytes> size = parse_bytes(fields[2]);
    if (!size) {
      return fail("{}: size: {}", place, size.error().message);
    }
    FlowLine flow{
        .source = std::string(fields[0]), .destination = std::string(fields[1]), .size = *size, .place = place};
    TriggerNames names;
    bool has_names = false;
    for (std::size_t i = 3; i < fields.size(); ++i) {
      std::vector<std::string> words = words_of(fields[i]);
      const auto word = std::ranges::find(kTriggerWords, words.empty() ? "" : std::string_view(words.front()));
      if (word == kTriggerWords.end()) {
        if (i != 3) {
          return no_flow(line, place);
        }
        if (Result<void> taken = take_start(fields[i], flow); !taken) {
          return taken;
        }
        continue;
      }
      std::vector<std::string>& own = names[static_cast<std::size_t>(word - kTriggerWords.begin())];
      if (words.size() < 2 || !own.empty()) {
        return fail("{}: '{}': expected one '{}' with the names of triggers", place, excerpt(fields[i]), *word);
      }
      own.assign(words.begin() + 1, words.end());
      has_names = true;
    }
    file_.flows.push_back(std::move(flow));
    names_.push_back(has_names ? std::vector<std::vector<std::string>>(names.begin(), names.end())
                               : std::vector<std::vector<std::string>>{});
    return {};
  }

  static Result<void> no_flow(std::string_view line, const std::string& place) {
    return fail(
        "{}: '{}' is no flow; expected 'source, destination, size[, start][, after NAME ...][, sent NAME ...]"
        "[, received NAME ...]'",
        place, excerpt(line));
  }

  static Result<void> take_start(std::string_view field, FlowLine& flow) {
    Result<Duration> start = parse_duration(field);
    if (!start) {
      return fail("{}: start: {}", flow.place, start.error().message);
    }
    if (*start < Duration::zero()) {
      return fail("{}: start: {} is before the start of the run", flow.place, excerpt(field));
    }
    flow.start = *start;
    return {};
  }

  FlowFile file_;
  std::vector<std::vector<std::vector<std::string>>> names_;  // of each flow, by kTriggerWords; empty: none
  std::map<std::string, workload::TriggerId, std::less<>> ids_;
};

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

Result<FlowFile> read_flow_file(const std::string& path) {
  FlowFileReader reader;
  Result<void> read =
      for_each_line(path, [&](std::string_view line, const std::string& place) { return reader.take(line, place); });
  if (!read) {
    return pass_on(read);
  }
  Result<FlowFile> file = std::move(reader).finish();
  if (file && file->flows.empty()) {
    return fail("{}: the file contains no flow", path);
  }
  return file;
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
