#include "subnet/dumped_lids.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "subnet/lids.h"
#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

/// In the comments of entries and in the lines of switches.
class LidReader {
 public:
  LidReader(const TopologyText& source, Subnet& subnet) : rest_(source.text), name_(source.name), subnet_(subnet) {
    for (const PortPlace& place : end_ports(subnet)) {
      place_of_[subnet.port(place).guid.value] = place;
      if (subnet[place.node].type == NodeType::kSwitch) {
        switch_of_[subnet[place.node].guid.value] = place;
      }
    }
  }

  Result<std::optional<std::uint8_t>> read() {
    while (const std::optional<std::string_view> text = take_line(rest_)) {
      ++line_;
      Result<void> taken = text->starts_with("Unicast lids") ? take_switch(*text) : take_entry(*text);
      if (!taken) {
        return tl::unexpected(std::move(taken.error()).at(fmt::format("{}:{}", name_, line_)));
      }
    }
    for (const auto& [place, range] : range_of_) {
      if (Result<void> given = give(place, range); !given) {
        return tl::unexpected(std::move(given.error()).at(fmt::format("{}:{}", name_, range.line)));
      }
    }
    clear_taken();
    return lmc_;
  }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::size_t line = 0;     // of the last one
    std::uint32_t count = 0;  // that are named
  };

  static std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word, bool hex) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    TextCursor cursor(text.substr(at + word.size()));
    return hex ? cursor.take_hex() : cursor.take_number();
  }

  // Names in apostrophes may contain anything.
  static std::string_view without_name(std::string_view text, char quote) { return text.substr(0, text.find(quote)); }

  Result<void> take_switch(std::string_view text) {
    text = without_name(text, '(');
    const std::optional<std::uint64_t> lid = number_after(text, " Lid ", false);
    const std::optional<std::uint64_t> guid = number_after(text, " guid ", true);
    if (!lid || !guid) {
      return {};  // forwarding_dump.cc says what is missing
    }
    const auto known = switch_of_.find(*guid);
    return known == switch_of_.end()
               ? fail("no switch of the subnet has the GUID 0x{:016x}; the dump is of another subnet", *guid)
               : note(*lid, known->second);
  }

  Result<void> take_entry(std::string_view text) {
    text = without_name(text, '\'');
    TextCursor cursor(text);
    const std::optional<std::uint64_t> lid = text.starts_with("0x") ? cursor.take_hex() : std::nullopt;
    const std::optional<std::uint64_t> guid = number_after(text, " portguid ", true);
    if (!lid || !guid) {
      return {};
    }
    const auto known = place_of_.find(*guid);
    return known == place_of_.end()
               ? fail("no port of the subnet has the GUID 0x{:016x}; the dump is of another subnet", *guid)
               : note(*lid, known->second);
  }

  Result<void> note(std::uint64_t number, PortPlace place) {
    if (number == 0 || number > kLastUnicastLid) {
      return fail("LID {:#x} is no unicast LID; they are 0x1 to {:#x}", number, kLastUnicastLid);
    }
    const auto lid = static_cast<std::uint32_t>(number);
    const auto [owner, is_new] = owner_of_.try_emplace(lid, place);
    if (owner->second != place) {
      return fail(
          "LID {:#x} is of the port with GUID 0x{:016x} here, and of 0x{:016x} before; a LID belongs to one port", lid,
          subnet_.port(place).guid.value, subnet_.port(owner->second).guid.value);
    }
    if (is_new) {
      Range& range = range_of_.try_emplace(place, Range{.first = lid, .last = lid}).first->second;
      range = {.first = std::min(range.first, lid),
               .last = std::max(range.last, lid),
               .line = line_,
               .count = range.count + 1};
    }
    return {};
  }

  Result<void> give(PortPlace place, const Range& range) {
    const std::uint64_t guid = subnet_.port(place).guid.value;
    if (range.last - range.first + 1 != range.count || !std::has_single_bit(range.count) ||
        range.first % range.count != 0 || range.count > 1U << kMostLmc) {
      return fail(
          "the port with GUID 0x{:016x} has {} LIDs from {:#x} to {:#x}; an LMC gives a port 1, 2, 4 to 128 LIDs "
          "in a row, the first a multiple of their number",
          guid, range.count, range.first, range.last);
    }
    const auto lmc = static_cast<std::uint8_t>(std::countr_zero(range.count));
    if (subnet_[place.node].type != NodeType::kSwitch) {
      if (lmc_ && *lmc_ != lmc) {
        return fail("the port with GUID 0x{:016x} has an LMC of {}, and others of {}; all adapters have the same", guid,
                    lmc, *lmc_);
      }
      lmc_ = lmc;
    }
    subnet_.port(place).lid = static_cast<Lid>(range.first);
    subnet_.port(place).lmc = lmc;
    return {};
  }

  /// Ports that the dump does not name lose LIDs that it gives to others.
  void clear_taken() {
    for (const auto& [guid, place] : place_of_) {
      Port& port = subnet_.port(place);
      if (range_of_.contains(place) || port.lid == 0) {
        continue;
      }
      const bool is_switch = subnet_[place.node].type == NodeType::kSwitch;
      const std::uint8_t lmc = is_switch ? port.lmc : std::max(port.lmc, lmc_.value_or(0));
      const auto taken = owner_of_.lower_bound(port.lid);
      if (taken != owner_of_.end() && taken->first < port.lid + (1U << lmc)) {
        port.lid = 0;
        port.lmc = 0;
      }
    }
  }

  std::string_view rest_;
  std::string_view name_;
  Subnet& subnet_;
  std::map<std::uint64_t, PortPlace> place_of_;   // by the GUID of an end port
  std::map<std::uint64_t, PortPlace> switch_of_;  // by that of a switch
  std::map<std::uint32_t, PortPlace> owner_of_;   // per LID
  std::map<PortPlace, Range> range_of_;
  std::optional<std::uint8_t> lmc_;
  std::size_t line_ = 0;
};

}  // namespace

Result<std::optional<std::uint8_t>> adopt_lids(const TopologyText& source, Subnet& subnet) {
  return LidReader(source, subnet).read();
}

}  // namespace weft::subnet
