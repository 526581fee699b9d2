#include "cli/serve_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "subnet/text_cursor.h"

namespace weft::cli {
namespace {

using subnet::PortPlace;
using subnet::ServedSubnet;

constexpr std::string_view kHelp =
    "unlink NODE[PORT]  pull the cable of the port; without [PORT] all of the node's\n"
    "relink NODE[PORT]  put it back\n"
    "dump [NODE]        ports with their states, LIDs and cables\n"
    "attached           programs that are attached\n"
    "help               this\n"
    "quit               end\n";

constexpr std::array<std::string_view, 11> kStates = {"-", "Down", "Initialize", "Armed", "Active", "?",
                                                      "?", "?",    "?",          "?",     "?"};

std::string_view state_word(std::uint8_t state) { return kStates[std::min<std::size_t>(state, kStates.size() - 1)]; }

/// `NODE`, `NODE[3]` or `"NODE"[3]`.
struct NamedPort {
  std::string node;
  std::optional<std::uint64_t> port{};
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<NamedPort> parse_port(std::string_view text) {
  std::string_view node = trimmed(text);
  NamedPort named;
  if (const std::size_t open = node.rfind('['); open != std::string_view::npos && node.ends_with(']')) {
    subnet::TextCursor cursor(node.substr(open));
    named.port = cursor.take_bracketed();
    if (!named.port) {
      return fail("'{}' is no port; write NODE[3]", node.substr(open));
    }
    node = trimmed(node.substr(0, open));
  }
  if (node.size() >= 2 && node.starts_with('"') && node.ends_with('"')) {
    node = node.substr(1, node.size() - 2);
  }
  if (node.empty()) {
    return fail("name a node: NODE or NODE[3]");
  }
  named.node = node;
  return named;
}

void dump_node(std::string& text, const subnet::Subnet& subnet, const ServedSubnet& served, subnet::NodeIndex index) {
  const subnet::ServedNode& node = served[index];
  fmt::format_to(std::back_inserter(text), "{} \"{}\" GUID 0x{:016x}\n", subnet::to_string(subnet[index].type),
                 subnet[index].id, node.info.node_guid);
  for (std::size_t number = node.is_switch() ? 0 : 1; number < node.ports.size(); ++number) {
    const subnet::ServedPort& port = node.ports[number];
    fmt::format_to(std::back_inserter(text), "  [{}] {}", number, state_word(port.info.port_state));
    if (number == 0 || !node.is_switch()) {
      fmt::format_to(std::back_inserter(text), ", LID {}, LMC {}, manager at LID {}", port.info.lid, port.info.lmc,
                     port.info.sm_lid);
    }
    if (port.cable) {
      fmt::format_to(std::back_inserter(text), ", cable to {}[{}]{}", subnet[port.cable->node].id, port.cable->port,
                     port.is_unplugged ? ", unlinked" : "");
    }
    text += '\n';
  }
}

}  // namespace

ServeConsole::Outcome ServeConsole::take(std::string_view line) {
  static constexpr std::array<std::string_view, 7> kWords = {"unlink", "relink", "dump", "attached",
                                                             "help",   "quit",   "?"};
  line = trimmed(line);
  if (line.empty() || line.front() == '#') {
    return {};
  }
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string word = lower_case(line.substr(0, end));
  const std::string_view rest = line.substr(end);
  if (word == "unlink") {
    return set_cables(rest, ServedSubnet::Cable::kUnplugged);
  }
  if (word == "relink") {
    return set_cables(rest, ServedSubnet::Cable::kPlugged);
  }
  if (word == "dump") {
    return dump(rest);
  }
  if (word == "attached") {
    return attached();
  }
  if (word == "help" || word == "?") {
    return {.text = std::string(kHelp)};
  }
  if (word == "quit") {
    return {.ends = true};
  }
  return {.error = unknown_word({.kind = "command", .word = word, .valid = kWords}).message};
}

ServeConsole::Outcome ServeConsole::set_cables(std::string_view rest, ServedSubnet::Cable cable) {
  const Result<NamedPort> named = parse_port(rest);
  if (!named) {
    return {.error = named.error().message};
  }
  const Result<subnet::NodeIndex> node = subnet::find_node(subnet_, named->node);
  if (!node) {
    return {.error = node.error().message};
  }
  const std::size_t last = served_[*node].ports.size() - 1;
  if (named->port && (*named->port == 0 || *named->port > last)) {
    return {.error = fmt::format("{} has ports 1 to {}", named->node, last)};
  }
  const bool unplug = cable == ServedSubnet::Cable::kUnplugged;
  std::size_t changed = 0;
  for (std::size_t number = named->port.value_or(1); number <= named->port.value_or(last); ++number) {
    const PortPlace at{.node = *node, .port = static_cast<subnet::PortNumber>(number)};
    const Result<void> set = served_.set_cable(at, cable, clock_.now());
    if (!set && named->port) {
      return {.error = set.error().message};
    }
    changed += set ? 1 : 0;
  }
  return {.text = fmt::format("{} of {}: {} {}\n", unplug ? "unlinked" : "relinked", named->node, changed,
                              changed == 1 ? "cable" : "cables")};
}

ServeConsole::Outcome ServeConsole::dump(std::string_view rest) const {
  Outcome outcome;
  if (trimmed(rest).empty()) {
    for (std::size_t i = 0; i < subnet_.nodes.size(); ++i) {
      dump_node(outcome.text, subnet_, served_, subnet::NodeIndex(static_cast<std::uint32_t>(i)));
    }
    return outcome;
  }
  const Result<NamedPort> named = parse_port(rest);
  const Result<subnet::NodeIndex> node =
      named ? subnet::find_node(subnet_, named->node) : Result<subnet::NodeIndex>(tl::unexpected(named.error()));
  if (!node) {
    return {.error = node.error().message};
  }
  dump_node(outcome.text, subnet_, served_, *node);
  return outcome;
}

ServeConsole::Outcome ServeConsole::attached() const {
  Outcome outcome;
  for (const auto& [id, client] : service_.clients()) {
    fmt::format_to(std::back_inserter(outcome.text), "client {}: process {} at {}[{}]{}\n", id, client.process,
                   subnet_[client.at.node].id, client.at.port, client.is_sm ? ", subnet manager" : "");
  }
  if (outcome.text.empty()) {
    outcome.text = "no program is attached\n";
  }
  return outcome;
}

}  // namespace weft::cli
