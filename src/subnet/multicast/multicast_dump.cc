#include "subnet/multicast/multicast_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

void write_entry(std::string& text, Lid lid, const PortMask& mask) {
  fmt::format_to(std::back_inserter(text), "0x{:04X} :", lid);
  for (std::size_t port = 0; port < mask.size(); ++port) {
    if (mask[port]) {
      fmt::format_to(std::back_inserter(text), " 0x{:03X} ", port);
    }
  }
  text += '\n';
}

class McfdbsReader {
 public:
  McfdbsReader(const TopologyText& source, const RoutingView& view)
      : rest_(source.text), name_(source.name), view_(view), tables_(view.switches.size()) {}

  Result<MulticastTables> read() {
    std::size_t line = 0;
    while (const std::optional<std::string_view> text = take_line(rest_)) {
      ++line;
      if (Result<void> taken = take(*text); !taken) {
        return tl::unexpected(std::move(taken.error()).at(fmt::format("{}:{}", name_, line)));
      }
    }
    return std::move(tables_);
  }

 private:
  Result<void> take(std::string_view text) {
    constexpr std::string_view kSwitch = "Switch ";
    if (text.starts_with(kSwitch)) {
      return take_switch(TextCursor(text.substr(kSwitch.size())));
    }
    if (text.starts_with("0x")) {
      return take_entry(text);
    }
    if (text.empty() || text.starts_with("LID ")) {
      return {};
    }
    return fail("expected 'Switch 0x...' or '0xMLID : 0xPORT ...'");
  }

  Result<void> take_switch(TextCursor cursor) {
    const std::optional<std::uint64_t> guid = cursor.take_hex();
    if (!cursor.at_end()) {
      return fail("expected nothing after the GUID of a switch");
    }
    const auto known = std::ranges::find_if(
        view_.switches, [&](const RoutedSwitch& routed) { return guid && routed.guid.value == *guid; });
    if (known == view_.switches.end()) {
      return fail("no switch of the subnet has the GUID 0x{:016x}", guid.value_or(0));
    }
    at_ = static_cast<std::size_t>(known - view_.switches.begin());
    return {};
  }

  Result<void> take_entry(std::string_view text) {
    if (!at_) {
      return fail("an entry before the line of its switch");
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    TextCursor lid_text(text.substr(0, colon));
    const std::uint64_t lid = lid_text.take_hex().value_or(0);
    lid_text.skip_blanks();
    if (!lid_text.at_end() || lid < kFirstMulticastLid || lid > kLastMulticastLid || colon == text.size()) {
      return fail("expected a multicast LID from 0xC000 to 0xFFFE and ' :' before its ports");
    }
    PortMask& mask = tables_[*at_][static_cast<Lid>(lid)];
    text.remove_prefix(colon + 1);
    for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos; at = text.find_first_not_of(' ')) {
      text.remove_prefix(at);
      const std::size_t end = std::min(text.find(' '), text.size());
      TextCursor port_text(text.substr(0, end));
      const std::optional<std::uint64_t> port = port_text.take_hex();
      if (!port || !port_text.at_end() || *port >= view_.switches[*at_].ports.size()) {
        return fail("expected ports from 0x000 to 0x{:03X}", view_.switches[*at_].ports.size() - 1);
      }
      mask.set(*port);
      text.remove_prefix(end);
    }
    return {};
  }

  std::string_view rest_;
  std::string_view name_;
  const RoutingView& view_;
  MulticastTables tables_;
  std::optional<std::size_t> at_;
};

}  // namespace

std::string write_mcfdbs(const RoutingView& view, const MulticastTables& tables) {
  std::string text;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const bool has_entry = std::ranges::any_of(tables[i], [](const auto& entry) { return entry.second.any(); });
    if (!has_entry) {
      continue;
    }
    fmt::format_to(std::back_inserter(text), "\nSwitch 0x{:016x}\nLID    : Out Port(s)\n", view.switches[i].guid.value);
    for (const auto& [lid, mask] : tables[i]) {
      if (mask.any()) {
        write_entry(text, lid, mask);
      }
    }
  }
  return text;
}

Result<MulticastTables> parse_mcfdbs(const TopologyText& source, const RoutingView& view) {
  return McfdbsReader(source, view).read();
}

}  // namespace weft::subnet
