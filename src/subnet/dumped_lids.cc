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
    for (const auto& [guid, range] : range_of_) {
      if (Result<void> given = give(guid, range); !given) {
        return tl::unexpected(std::move(given.error()).at(fmt::format("{}:{}", name_, range.line)));
      }
    }
    return lmc_;
  }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::size_t line = 0;  // of the last one
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
    return lid && guid ? note(*lid, *guid) : Result<void>();  // forwarding_dump.cc says what is missing
  }

  Result<void> take_entry(std::string_view text) {
    text = without_name(text, '\'');
    TextCursor cursor(text);
    const std::optional<std::uint64_t> lid = text.starts_with("0x") ? cursor.take_hex() : std::nullopt;
    const std::optional<std::uint64_t> guid = number_after(text, " portguid ", true);
    return lid && guid ? note(*lid, *guid) : Result<void>();
  }

  Result<void> note(std::uint64_t lid, std::uint64_t guid) {
    if (lid == 0 || lid > kLastUnicastLid) {
      return fail("LID {:#x} is no unicast LID; they are 0x1 to {:#x}", lid, kLastUnicastLid);
    }
    const auto [owner, is_new] = guid_of_.try_emplace(lid, guid);
    if (owner->second != guid) {
      return fail(
          "LID {:#x} is of the port with GUID 0x{:016x} here, and of 0x{:016x} before; a LID belongs to one port", lid,
          guid, owner->second);
    }
    if (!is_new) {
      return {};
    }
    if (!place_of_.contains(guid)) {
      return fail("no port of the subnet has the GUID 0x{:016x}; the dump is of another subnet", guid);
    }
    const auto number = static_cast<std::uint32_t>(lid);
    Range& range = range_of_.try_emplace(guid, Range{.first = number, .last = number}).first->second;
    range = {.first = std::min(range.first, number), .last = std::max(range.last, number), .line = line_};
    ++lids_of_[guid];
    return {};
  }

  Result<void> give(std::uint64_t guid, const Range& range) {
    const PortPlace place = place_of_.at(guid);
    const std::uint32_t count = lids_of_.at(guid);
    if (range.last - range.first + 1 != count || !std::has_single_bit(count) || range.first % count != 0 ||
        count > 1U << kMostLmc) {
      return fail(
          "the port with GUID 0x{:016x} has {} LIDs from {:#x} to {:#x}; an LMC gives a port 1, 2, 4 to 128 LIDs "
          "in a row, the first a multiple of their number",
          guid, count, range.first, range.last);
    }
    const auto lmc = static_cast<std::uint8_t>(std::countr_zero(count));
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

  std::string_view rest_;
  std::string_view name_;
  Subnet& subnet_;
  std::map<std::uint64_t, PortPlace> place_of_;
  std::map<std::uint64_t, std::uint64_t> guid_of_;  // per LID
  std::map<std::uint64_t, Range> range_of_;         // per GUID
  std::map<std::uint64_t, std::uint32_t> lids_of_;  // per GUID
  std::optional<std::uint8_t> lmc_;
  std::size_t line_ = 0;
};

}  // namespace

Result<std::optional<std::uint8_t>> adopt_lids(const TopologyText& source, Subnet& subnet) {
  return LidReader(source, subnet).read();
}

}  // namespace weft::subnet
