#include "study/import/connection_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "base/printable.h"

namespace weft::study::import {
namespace {

constexpr std::uint64_t kMostNodes = 1'000'000;
constexpr HtsimRange kIds{.least = 1, .most = std::numeric_limits<std::int32_t>::max()};

/// A decimal number of microseconds or picoseconds.
struct StartValue {
  Duration time{};
  bool was_cut = false;
};

class MatrixParser {
 public:
  MatrixParser(const HtsimText& source, HtsimStart start) : lines_(source), start_(start) {}

  Result<ConnectionMatrix> parse() && {
    while (lines_.next()) {
      if (Result<void> taken = take_line(); !taken) {
        return pass_on(taken);
      }
    }
    if (Result<void> checked = check_counts(); !checked) {
      return pass_on(checked);
    }
    if (Result<void> checked = check_triggers(); !checked) {
      return pass_on(checked);
    }
    return std::move(matrix_);
  }

 private:
  struct Header {
    std::string_view word;
    std::optional<std::uint64_t> count{};
    std::uint64_t most = 0;
  };

  Result<void> take_line() {
    const std::string_view first = lines_.words()[0].text;
    if (const auto header = std::ranges::find(headers_, first, &Header::word); header != headers_.end()) {
      return take_header(*header);
    }
    if (first.find("->") != std::string_view::npos) {
      return take_connection();
    }
    if (first == "trigger") {
      return take_trigger();
    }
    if (first == "failure") {
      return take_failure();
    }
    static constexpr std::array<std::string_view, 7> kWords{"Nodes",   "Connections", "Triggers",           "Failures",
                                                            "trigger", "failure",     "SOURCE->DESTINATION"};
    const std::string shown = excerpt(first);
    return lines_.fault(0, unknown_word({.kind = "line", .word = shown, .valid = kWords}));
  }

  Result<void> take_header(Header& header) {
    if (has_body_) {
      return lines_.fault(0, {fmt::format("'{}' must stand before the first connection", header.word)});
    }
    if (header.count) {
      return lines_.fault(0, {fmt::format("'{}' is given twice", header.word)});
    }
    if (lines_.words().size() > 2) {
      return lines_.fault(2, {fmt::format("'{}' has one number", header.word)});
    }
    Result<std::uint64_t> count = lines_.number(1, header.word, {.least = 0, .most = header.most});
    if (!count) {
      return pass_on(count);
    }
    header.count = *count;
    return {};
  }

  Result<void> take_connection() {
    has_body_ = true;
    if (!headers_[kNodes].count || *headers_[kNodes].count < 2) {
      return lines_.fault(0, {"a connection needs 'Nodes N' above it, with at least 2 nodes"});
    }
    MatrixConnection connection{.line = lines_.line()};
    if (Result<void> taken = take_ends(connection); !taken) {
      return taken;
    }
    bool has_start = false;
    bool has_size = false;
    const auto words = lines_.words();
    for (std::size_t i = 1; i < words.size();) {
      const std::string_view word = words[i].text;
      if (word == "start") {
        Result<StartValue> start = take_start(i + 1);
        if (!start) {
          return pass_on(start);
        }
        connection.start = start->time;
        matrix_.cut_starts += start->was_cut ? 1 : 0;
        has_start = true;
      } else if (word == "size") {
        Result<std::uint64_t> size =
            lines_.number(i + 1, "size", {.least = 1, .most = std::numeric_limits<std::int32_t>::max()});
        if (!size) {
          return pass_on(size);
        }
        connection.size = Bytes(static_cast<std::int64_t>(*size));
        has_size = true;
      } else if (word == "msg") {
        // Its number may be left out.
        ++matrix_.messages;
        const bool has_number =
            i + 1 < words.size() && words[i + 1].text.find_first_not_of("0123456789") == std::string_view::npos;
        i += has_number ? 2 : 1;
        continue;
      } else if (word == "prio") {
        Result<std::uint64_t> priority =
            lines_.number(i + 1, "prio", {.least = 0, .most = std::numeric_limits<std::int32_t>::max()});
        if (!priority) {
          return pass_on(priority);
        }
        ++matrix_.priorities;
      } else if (Result<void> taken = take_id(i, connection); !taken) {
        return taken;
      }
      i += 2;
    }
    return add(connection, has_size, has_start);
  }

  Result<void> take_ends(MatrixConnection& connection) {
    const std::string_view text = lines_.words()[0].text;
    const std::size_t arrow = text.find("->");
    const HtsimRange nodes{.least = 0, .most = *headers_[kNodes].count - 1};
    Result<std::uint64_t> source = lines_.number_in(text.substr(0, arrow), 0, "the source", nodes);
    if (!source) {
      return pass_on(source);
    }
    Result<std::uint64_t> destination = lines_.number_in(text.substr(arrow + 2), 0, "the destination", nodes);
    if (!destination) {
      return pass_on(destination);
    }
    if (*source == *destination) {
      return lines_.fault(0, {fmt::format("node {} sends to itself", *source)});
    }
    connection.source = static_cast<std::uint32_t>(*source);
    connection.destination = static_cast<std::uint32_t>(*destination);
    return {};
  }

  Result<void> take_id(std::size_t word, MatrixConnection& connection) {
    static constexpr std::array<std::string_view, 8> kWords{
        "id", "start", "trigger", "size", "send_done_trigger", "recv_done_trigger", "prio", "msg"};
    const std::string_view key = lines_.words()[word].text;
    std::optional<std::uint32_t>* member = key == "id"                  ? &connection.id
                                           : key == "trigger"           ? &connection.trigger
                                           : key == "send_done_trigger" ? &connection.send_done_trigger
                                           : key == "recv_done_trigger" ? &connection.recv_done_trigger
                                                                        : nullptr;
    if (member == nullptr) {
      const std::string shown = excerpt(key);
      return lines_.fault(word, unknown_word({.kind = "word", .word = shown, .valid = kWords}));
    }
    if (*member) {
      return lines_.fault(word, {fmt::format("'{}' is given twice", key)});
    }
    Result<std::uint64_t> number = lines_.number(word + 1, key, kIds);
    if (!number) {
      return pass_on(number);
    }
    *member = static_cast<std::uint32_t>(*number);
    return {};
  }

  Result<void> add(const MatrixConnection& connection, bool has_size, bool has_start) {
    if (!has_size) {
      return lines_.fault(lines_.words().size(), {"the connection has no size"});
    }
    if (has_start == connection.trigger.has_value()) {
      return lines_.fault(0, {has_start ? "the connection has both a start and a trigger; it begins by one of them"
                                        : "the connection has neither 'start TIME' nor 'trigger ID'"});
    }
    if (connection.id && !ids_.emplace(*connection.id, connection.line).second && matrix_.messages == 0) {
      return lines_.fault(0, {fmt::format("id {} is that of the connection in line {} already", *connection.id,
                                          ids_.at(*connection.id))});
    }
    if (matrix_.connections.size() == kMostConnections) {
      return lines_.fault(0, {fmt::format("more than {} connections", kMostConnections)});
    }
    matrix_.connections.push_back(connection);
    return {};
  }

  Result<StartValue> take_start(std::size_t word) const {
    const bool in_us = start_ == HtsimStart::kMicroseconds;
    // An hour in microseconds, as much in picoseconds.
    const std::uint64_t most = in_us ? 3'600'000'000 : 3'600'000'000'000'000;
    const std::string_view text = word < lines_.words().size() ? lines_.words()[word].text : std::string_view{};
    const std::size_t point = text.find('.');
    const std::string_view decimals = point == std::string_view::npos ? "" : text.substr(point + 1);
    if (decimals.find_first_not_of("0123456789") != std::string_view::npos ||
        (point != std::string_view::npos && decimals.empty() && point == 0)) {
      return lines_.fault(word, {fmt::format("start is '{}'; it must be a decimal number of {}", excerpt(text),
                                             in_us ? "microseconds" : "picoseconds")});
    }
    Result<std::uint64_t> whole = lines_.number_in(text.substr(0, point), word, "start", {.least = 0, .most = most});
    if (!whole) {
      return pass_on(whole);
    }
    const auto count = static_cast<std::int64_t>(*whole);
    return StartValue{.time = in_us ? Duration::microseconds(count) : Duration::picoseconds(count),
                      .was_cut = decimals.find_first_not_of('0') != std::string_view::npos};
  }

  Result<void> take_trigger() {
    has_body_ = true;
    MatrixTrigger trigger{.line = lines_.line()};
    std::optional<workload::TriggerKind> kind;
    bool has_count = false;
    const auto words = lines_.words();
    for (std::size_t i = 1; i < words.size();) {
      const std::string_view word = words[i].text;
      if (word == "id" || word == "count") {
        Result<std::uint64_t> number = lines_.number(i + 1, word, kIds);
        if (!number) {
          return pass_on(number);
        }
        (word == "id" ? trigger.id : trigger.count) = static_cast<std::uint32_t>(*number);
        has_count |= word == "count";
        i += 2;
        continue;
      }
      Result<workload::TriggerKind> found = workload::parse_trigger_kind(word);
      if (!found) {
        return lines_.fault(i, std::move(found.error()));
      }
      if (kind) {
        return lines_.fault(i, {"the trigger has two kinds"});
      }
      kind = *found;
      ++i;
    }
    if (trigger.id == 0 || !kind) {
      return lines_.fault(words.size(), {"a trigger needs 'id NUMBER', and oneshot, multishot or barrier"});
    }
    if ((*kind == workload::TriggerKind::kBarrier) != has_count) {
      return lines_.fault(words.size(), {has_count ? "only a barrier has a count" : "a barrier needs 'count NUMBER'"});
    }
    trigger.kind = *kind;
    if (!triggers_.emplace(trigger.id, static_cast<std::uint32_t>(matrix_.triggers.size())).second) {
      return lines_.fault(0, {fmt::format("trigger {} is defined in line {} already", trigger.id,
                                          matrix_.triggers[triggers_.at(trigger.id)].line)});
    }
    matrix_.triggers.push_back(trigger);
    return {};
  }

  Result<void> take_failure() {
    has_body_ = true;
    MatrixFailure failure{.line = lines_.line()};
    const auto words = lines_.words();
    std::array<bool, 3> given{};
    static constexpr std::array<std::string_view, 3> kWords{"switch_type", "switch_id", "link_id"};
    for (std::size_t i = 1; i < words.size(); i += 2) {
      const auto word = std::ranges::find(kWords, words[i].text);
      if (word == kWords.end()) {
        const std::string shown = excerpt(words[i].text);
        return lines_.fault(i, unknown_word({.kind = "word of a failure", .word = shown, .valid = kWords}));
      }
      const auto which = static_cast<std::size_t>(word - kWords.begin());
      if (std::exchange(given[which], true)) {
        return lines_.fault(i, {fmt::format("'{}' is given twice", *word)});
      }
      if (which == 0) {
        if (i + 1 == words.size() || words[i + 1].text != "AGG") {
          return lines_.fault(i + 1, {"the switch type of a failure is AGG: the reference fails no other links"});
        }
        continue;
      }
      Result<std::uint64_t> number = lines_.number(i + 1, *word, {.least = 0, .most = kMostNodes});
      if (!number) {
        return pass_on(number);
      }
      (which == 1 ? failure.switch_id : failure.link_id) = static_cast<std::uint32_t>(*number);
    }
    if (!std::ranges::all_of(given, [](bool is) { return is; })) {
      return lines_.fault(words.size(), {"a failure is 'failure switch_type AGG switch_id NUMBER link_id NUMBER'"});
    }
    matrix_.failures.push_back(failure);
    return {};
  }

  Result<void> check_counts() {
    const std::array<std::size_t, 4> found{0, matrix_.connections.size(), matrix_.triggers.size(),
                                           matrix_.failures.size()};
    if (!headers_[kNodes].count || matrix_.connections.empty()) {
      return fail(
          "{}: no connection; the file begins with 'Nodes N' and 'Connections N', and a line "
          "'SOURCE->DESTINATION start TIME size BYTES' for each",
          lines_.name());
    }
    for (std::size_t i = 1; i < headers_.size(); ++i) {
      if (headers_[i].count.value_or(0) != found[i]) {
        return fail("{}: the header says '{} {}', the file has {}", lines_.name(), headers_[i].word,
                    headers_[i].count.value_or(0), found[i]);
      }
    }
    matrix_.nodes = static_cast<std::uint32_t>(*headers_[kNodes].count);
    return {};
  }

  Result<void> check_triggers() {
    std::vector<workload::ListedFlow> flows;
    std::vector<workload::Trigger> triggers;
    std::vector<std::string> names;
    for (const MatrixTrigger& trigger : matrix_.triggers) {
      triggers.push_back({.name = fmt::format("{}", trigger.id), .kind = trigger.kind, .count = trigger.count});
    }
    for (const MatrixConnection& connection : matrix_.connections) {
      workload::ListedFlow flow{.shape = {.operation = workload::Operation::kWriteWithImm}};
      const std::array<std::pair<std::optional<std::uint32_t>, std::vector<workload::TriggerId>*>, 3> lists{
          {{connection.trigger, &flow.triggers.after},
           {connection.send_done_trigger, &flow.triggers.sent},
           {connection.recv_done_trigger, &flow.triggers.received}}};
      for (const auto& [id, list] : lists) {
        if (!id) {
          continue;
        }
        const auto found = triggers_.find(*id);
        if (found == triggers_.end()) {
          return fail("{}: no line 'trigger id {} ...' defines the trigger", lines_.place(connection.line), *id);
        }
        list->emplace_back(found->second);
      }
      flows.push_back(std::move(flow));
      names.push_back(fmt::format("line {}", connection.line));
    }
    if (triggers.empty()) {
      return {};
    }
    if (auto fault = workload::find_trigger_fault(flows, triggers, names)) {
      const std::size_t line =
          fault->flow ? matrix_.connections[*fault->flow].line : matrix_.triggers[fault->trigger->value()].line;
      return tl::unexpected<Error>(std::move(fault->error).at(lines_.place(line)));
    }
    return {};
  }

  static constexpr std::size_t kNodes = 0;

  HtsimLines lines_;
  HtsimStart start_;
  std::array<Header, 4> headers_{{{.word = "Nodes", .most = kMostNodes},
                                  {.word = "Connections", .most = kMostConnections},
                                  {.word = "Triggers", .most = kMostConnections},
                                  {.word = "Failures", .most = kMostNodes}}};
  bool has_body_ = false;
  ConnectionMatrix matrix_;
  std::map<std::uint32_t, std::size_t> ids_;         // lines
  std::map<std::uint32_t, std::uint32_t> triggers_;  // places in the list
};

}  // namespace

bool ConnectionMatrix::fires_on_arrival() const {
  return std::ranges::any_of(connections,
                             [](const MatrixConnection& own) { return own.recv_done_trigger.has_value(); });
}

Result<ConnectionMatrix> parse_connection_matrix(const HtsimText& source, HtsimStart start) {
  return MatrixParser(source, start).parse();
}

std::string flow_list_text(const ConnectionMatrix& matrix) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const MatrixTrigger& trigger : matrix.triggers) {
    fmt::format_to(out, "trigger, t{}, {}", trigger.id, workload::to_string(trigger.kind));
    if (trigger.kind == workload::TriggerKind::kBarrier) {
      fmt::format_to(out, ", {}", trigger.count);
    }
    fmt::format_to(out, "\n");
  }
  for (const MatrixConnection& connection : matrix.connections) {
    fmt::format_to(out, "host{}, host{}, {} B", connection.source, connection.destination, connection.size.count());
    if (connection.trigger) {
      fmt::format_to(out, ", after t{}", *connection.trigger);
    } else {
      fmt::format_to(out, ", {} ps", connection.start.picoseconds());
    }
    if (connection.send_done_trigger) {
      fmt::format_to(out, ", sent t{}", *connection.send_done_trigger);
    }
    if (connection.recv_done_trigger) {
      fmt::format_to(out, ", received t{}", *connection.recv_done_trigger);
    }
    fmt::format_to(out, "\n");
  }
  return fmt::to_string(text);
}

}  // namespace weft::study::import
