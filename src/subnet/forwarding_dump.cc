#include "subnet/forwarding_dump.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

void write_table(std::string& text, const Subnet& subnet, const RoutingView& view, const ForwardingTable& table) {
  for (std::size_t lid = 0; lid < table.size(); ++lid) {
    if (table[lid] == kNoRoute) {
      continue;
    }
    fmt::format_to(std::back_inserter(text), "0x{:04x} {:03} # ", lid, table[lid]);
    if (view.by_lid[lid].is_valid()) {
      const EndPort& end = view[view.by_lid[lid]];
      fmt::format_to(std::back_inserter(text), "{} portguid 0x{:016x}: '{}'\n", to_string(end.type), end.guid.value,
                     subnet[end.place.node].description);
    } else {
      text += "unknown node and type\n";
    }
  }
}

class DumpReader {
 public:
  DumpReader(const TopologyText& source, const RoutingView& view)
      : rest_(source.text), name_(source.name), view_(view), tables_(empty_tables(view)), seen_(tables_.size(), false) {
    for (std::size_t i = 0; i < view.switches.size(); ++i) {
      by_guid_[view.switches[i].guid.value] = i;
    }
  }

  Result<ForwardingTables> read() {
    while (const std::optional<std::string_view> text = take_line(rest_)) {
      ++line_;
      if (Result<void> taken = take(*text); !taken) {
        return tl::unexpected(std::move(taken.error()).at(fmt::format("{}:{}", name_, line_)));
      }
    }
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) {
        return fail("{}: no table of the switch with GUID 0x{:016x}; the dump is of another subnet", name_,
                    view_.switches[i].guid.value);
      }
    }
    return std::move(tables_);
  }

 private:
  Result<void> take(std::string_view text) {
    if (text.starts_with("Unicast lids")) {
      return take_switch(text);
    }
    if (text.starts_with("0x")) {
      return take_entry(TextCursor(text));
    }
    if (text.empty() || text.starts_with('#') || text.ends_with("lids dumped")) {
      return {};
    }
    return fail("expected 'Unicast lids [0-N] of switch Lid L guid 0x...' or '0xLID PORT'");
  }

  Result<void> take_switch(std::string_view text) {
    constexpr std::string_view kGuid = " guid ";
    const std::size_t at = text.find(kGuid);
    TextCursor cursor(at == std::string_view::npos ? std::string_view() : text.substr(at + kGuid.size()));
    const std::optional<std::uint64_t> guid = cursor.take_hex();
    if (!guid) {
      return fail("expected the GUID of the switch: guid 0x0002c90000000001");
    }
    const auto known = by_guid_.find(*guid);
    if (known == by_guid_.end()) {
      return fail("no switch of the subnet has the GUID 0x{:016x}", *guid);
    }
    at_ = known->second;
    seen_[*at_] = true;
    return {};
  }

  Result<void> take_entry(TextCursor cursor) {
    if (!at_) {
      return fail("an entry before the line of its switch");
    }
    const std::uint64_t lid = cursor.take_hex().value_or(0);
    const std::optional<std::uint64_t> port = cursor.take_number();
    ForwardingTable& table = tables_[*at_];
    if (lid == 0 || lid >= table.size()) {
      return fail("LID {:#x} is not in the subnet, whose LIDs are 0x1 to {:#x}", lid, table.size() - 1);
    }
    const std::size_t ports = view_.switches[*at_].ports.size();
    if (!port || *port >= ports) {
      return fail("expected a port from 0 to {} after the LID", ports - 1);
    }
    table[lid] = static_cast<PortNumber>(*port);
    return {};
  }

  std::string_view rest_;
  std::string_view name_;
  const RoutingView& view_;
  ForwardingTables tables_;
  std::vector<bool> seen_;  // per switch
  std::map<std::uint64_t, std::size_t> by_guid_;
  std::optional<std::size_t> at_;
  std::size_t line_ = 0;
};

}  // namespace

std::string write_lfts(const Subnet& subnet, const RoutingView& view, const ForwardingTables& tables) {
  std::string text;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    const RoutedSwitch& routed = view.switches[i];
    fmt::format_to(std::back_inserter(text), "Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n",
                   view.last_lid(), routed.lid, routed.guid.value, subnet[routed.node].description);
    write_table(text, subnet, view, tables[i]);
    fmt::format_to(std::back_inserter(text), "{} lids dumped\n", view.last_lid());
  }
  return text;
}

Result<ForwardingTables> parse_lfts(const TopologyText& source, const RoutingView& view) {
  return DumpReader(source, view).read();
}

}  // namespace weft::subnet
