#include "subnet/partitions/partition_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "base/nearest_word.h"
#include "subnet/partitions/group_id.h"
#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

constexpr std::array<std::string_view, 5> kKindWords = {"ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"};
constexpr std::array<std::string_view, 3> kMembershipWords = {"full", "limited", "both"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? text.substr(text.size())
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// As C writes integers: hexadecimal after "0x", octal after "0", else decimal. None: it is no such number.
std::optional<std::uint64_t> integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "name=value", without the blanks around both.
struct Item {
  std::string_view name;
  std::optional<std::string_view> value{};
};

Item item_of(std::string_view text) {
  const std::size_t at = text.find('=');
  return at == std::string_view::npos
             ? Item{.name = trimmed(text)}
             : Item{.name = trimmed(text.substr(0, at)), .value = trimmed(text.substr(at + 1))};
}

class FileReader {
 public:
  explicit FileReader(const TopologyText& source) : rest_(source.text), name_(source.name) {}

  Result<PartitionFile> read() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_text_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (const std::size_t at = line_text_.find('\r'); at != std::string_view::npos) {
        return fail_at(line_text_.substr(at),
                       "a carriage return, which OpenSM takes for a part of what is before it; end "
                       "lines with a line feed alone");
      }
      if (Result<void> taken = take_line(line_text_.substr(0, line_text_.find('#'))); !taken) {
        return pass_on(taken);
      }
    }
    return std::move(file_);
  }

 private:
  /// Where `part` of the line stands.
  [[nodiscard]] std::size_t column_of(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - line_text_.data()) + 1;
  }
  template <class... Args>
  [[nodiscard]] tl::unexpected<Error> fail_at(std::string_view part, fmt::format_string<Args...> format,
                                              Args&&... args) const {
    return fail("{}:{}:{}: {}", name_, line_, column_of(part), fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warn(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
    file_.warnings.push_back(
        fmt::format("{}:{}:{}: {}", name_, line_, column_of(part), fmt::format(format, std::forward<Args>(args)...)));
  }

  /// A line without its comment: definitions, members, the beginning or the end of either.
  Result<void> take_line(std::string_view line) {
    if (inside_ && trimmed(line).starts_with(';')) {
      return fail_at(trimmed(line),
                     "a line that begins with ';', which OpenSM refuses; put it at the end of the line "
                     "before");
    }
    while (!trimmed(line).empty()) {
      if (!inside_) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
          return fail_at(trimmed(line),
                         "expected a partition: NAME[=P_KEY][, FLAG...] : MEMBERS ; with its ':' in this "
                         "line");
        }
        if (Result<void> taken = take_definition(line.substr(0, colon)); !taken) {
          return taken;
        }
        inside_ = true;
        line.remove_prefix(colon + 1);
      }
      const std::size_t end = line.find(';');
      if (Result<void> taken = take_properties(line.substr(0, end)); !taken) {
        return taken;
      }
      if (end == std::string_view::npos) {
        return {};
      }
      inside_ = false;
      line.remove_prefix(end + 1);
    }
    return {};
  }

  Result<void> take_definition(std::string_view text) {
    if (text.find(';') != std::string_view::npos) {
      return fail_at(text.substr(text.find(';')), "';' before the ':' of a partition; leave it out");
    }
    file_.rules.emplace_back();
    std::size_t comma = std::min(text.find(','), text.size());
    if (Result<void> named = take_name(item_of(text.substr(0, comma))); !named) {
      return named;
    }
    while (comma < text.size()) {
      text.remove_prefix(comma + 1);
      comma = std::min(text.find(','), text.size());
      if (const Item item = item_of(text.substr(0, comma)); !item.name.empty() || item.value) {
        take_flag(item);
      }
    }
    return {};
  }

  // A number without a name is the P_Key.
  Result<void> take_name(Item item) {
    if (!item.value && !item.name.empty() && item.name.front() >= '0' && item.name.front() <= '9') {
      item = {.name = item.name.substr(0, 0), .value = item.name};
    }
    file_.rules.back().name = item.name;
    if (!item.value) {
      return {};
    }
    const std::optional<std::uint64_t> key = integer(*item.value);
    if (!key) {
      return fail_at(*item.value, "'{}' is no P_Key; a number such as 0x80", *item.value);
    }
    constexpr std::uint64_t kKeyBits = 0x7FFF;
    if (*key > (kKeyBits | kFullMember)) {
      warn(*item.value, "{} is more than 16 bits; OpenSM takes the P_Key {:#06x}", *item.value, *key & kKeyBits);
    }
    file_.rules.back().p_key = static_cast<std::uint16_t>(*key & kKeyBits);
    return {};
  }

  /// The word that the name is, or begins like, which OpenSM takes for it.
  template <std::size_t Count>
  std::optional<std::size_t> word_of(std::string_view name, const std::array<std::string_view, Count>& words) {
    const auto exact = std::ranges::find(words, name);
    if (exact != words.end()) {
      return static_cast<std::size_t>(exact - words.begin());
    }
    for (std::size_t i = 0; i < Count; ++i) {
      if (!name.empty() && words[i].starts_with(name)) {
        warn(name, "'{}' is taken for '{}'; write it out", name, words[i]);
        return i;
      }
    }
    return std::nullopt;
  }

  void take_flag(const Item& item) {
    constexpr std::array<std::string_view, 3> kWords = {"indx0", "ipoib", "defmember"};
    PartitionRule& rule = file_.rules.back();
    const std::optional<std::size_t> word = word_of(item.name, kWords);
    if (!word) {
      return take_group_flag(item, rule.flags);
    }
    switch (*word) {
      case 0:
        rule.index0 = true;
        return;
      case 1:
        rule.ipoib = true;
        return;
      default:
        if (item.value) {
          rule.default_member = membership(*item.value);
        } else {
          warn(item.name, "defmember without full, limited or both is passed over");
        }
    }
  }

  void take_group_flag(const Item& item, GroupFlags& flags) {
    constexpr std::array<std::string_view, 7> kWords = {"rate", "mtu", "sl", "scope", "Q_Key", "TClass", "FlowLabel"};
    constexpr std::array<std::uint64_t, 7> kLeast = {0, 1, 0, 0, 0, 0, 0};
    constexpr std::array<std::uint64_t, 7> kMost = {63, 5, 15, 15, 0xFFFFFFFF, 0xFF, 0xFFFFF};
    const std::optional<std::size_t> word = word_of(item.name, kWords);
    if (!word) {
      const std::array<std::string_view, 10> all = {"indx0", "ipoib", "defmember", "rate",   "mtu",
                                                    "sl",    "scope", "Q_Key",     "TClass", "FlowLabel"};
      const auto nearest = nearest_word(item.name, all);
      warn(item.name, "unknown flag '{}' is passed over{}", item.name,
           nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
      return;
    }
    const std::optional<std::uint64_t> value = item.value ? integer(*item.value) : std::nullopt;
    if (!value || *value < kLeast[*word] || *value > kMost[*word]) {
      warn(item.value.value_or(item.name), "{} needs a number from {} to {}; it is passed over", kWords[*word],
           kLeast[*word], kMost[*word]);
      return;
    }
    const auto byte = static_cast<std::uint8_t>(*value);
    switch (*word) {
      case 0:
        flags.rate = byte;
        return;
      case 1:
        flags.mtu = byte;
        return;
      case 2:
        flags.sl = byte;
        return;
      case 3:
        flags.scopes.push_back(byte);
        return;
      case 4:
        flags.q_key = static_cast<std::uint32_t>(*value);
        return;
      case 5:
        flags.traffic_class = byte;
        return;
      default:
        flags.flow_label = static_cast<std::uint32_t>(*value);
    }
  }

  Membership membership(std::string_view word) {
    if (word.empty()) {
      warn(word, "a membership is missing after '='; OpenSM takes full");
      return Membership::kFull;
    }
    const std::optional<std::size_t> known = word_of(word, kMembershipWords);
    if (!known) {
      warn(word, "membership '{}' is none of full, limited and both; OpenSM takes limited", word);
      return Membership::kLimited;
    }
    // Both at once need OpenSM's option allow_both_pkeys, which is off.
    return *known == 1 ? Membership::kLimited : Membership::kFull;
  }

  /// What stands between ":" and ";" in one line.
  Result<void> take_properties(std::string_view text) {
    if (trimmed(text).starts_with("mgid")) {
      return take_group(trimmed(text));
    }
    while (true) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const Item item = item_of(text.substr(0, comma));
      if (!item.name.empty() || item.value) {
        if (Result<void> taken = take_member(item); !taken) {
          return taken;
        }
      }
      if (comma == text.size()) {
        return {};
      }
      text.remove_prefix(comma + 1);
    }
  }

  Result<void> take_group(std::string_view text) {
    std::size_t comma = std::min(text.find(','), text.size());
    const Item item = item_of(text.substr(0, comma));
    const std::optional<GidWords> gid = item.value ? parse_gid(*item.value) : std::nullopt;
    if (item.name != "mgid" || !gid || !is_multicast(*gid)) {
      return fail_at(item.value.value_or(item.name),
                     "'{}' is no multicast GID; mgid=ff12:401b::16, with a first byte of ff",
                     item.value.value_or(item.name));
    }
    MulticastRule group{.mgid = std::string(*item.value), .flags = {}};
    while (comma < text.size()) {
      text.remove_prefix(comma + 1);
      comma = std::min(text.find(','), text.size());
      if (const Item flag = item_of(text.substr(0, comma)); !flag.name.empty() || flag.value) {
        take_group_flag(flag, group.flags);
      }
    }
    file_.rules.back().groups.push_back(std::move(group));
    return {};
  }

  Result<void> take_member(const Item& item) {
    PartitionRule& rule = file_.rules.back();
    if (item.name == "mgid") {
      return fail_at(item.name, "mgid= has to be the first in its line");
    }
    MemberRule member{.membership = rule.default_member, .line = line_, .column = column_of(item.name)};
    if (const std::optional<std::uint64_t> guid = integer(item.name)) {
      member.port = {*guid};
    } else if (const std::optional<std::size_t> kind = word_of(item.name, kKindWords)) {
      member.kind = static_cast<MemberKind>(*kind + 1);
    } else {
      return fail_at(item.name,
                     "'{}' is no member; the GUID of a port (0x0002c90000000001), ALL, ALL_CAS, ALL_SWITCHES, "
                     "ALL_ROUTERS or SELF",
                     item.name);
    }
    if (item.value) {
      member.membership = membership(*item.value);
    }
    rule.members.push_back(member);
    return {};
  }

  std::string_view rest_;
  std::string_view name_;
  std::string_view line_text_;
  std::size_t line_ = 0;
  bool inside_ = false;  // between ":" and ";"
  PartitionFile file_;
};

void write_flags(std::string& text, const GroupFlags& flags) {
  const auto add = [&](std::string_view name, const auto& value) {
    if (value) {
      fmt::format_to(std::back_inserter(text), ", {}={}", name, *value);
    }
  };
  add("rate", flags.rate);
  add("mtu", flags.mtu);
  add("sl", flags.sl);
  for (const std::uint8_t scope : flags.scopes) {
    fmt::format_to(std::back_inserter(text), ", scope={}", scope);
  }
  add("Q_Key", flags.q_key);
  add("TClass", flags.traffic_class);
  add("FlowLabel", flags.flow_label);
}

void write_rule(std::string& text, const PartitionRule& rule) {
  text += rule.name;
  // A number alone would be the P_Key.
  if (rule.p_key != 0 || (!rule.name.empty() && rule.name.front() >= '0' && rule.name.front() <= '9')) {
    fmt::format_to(std::back_inserter(text), "={:#06x}", rule.p_key);
  }
  if (rule.name.empty() && rule.p_key == 0) {
    text += ',';
  }
  text += rule.index0 ? ", indx0" : "";
  text += rule.ipoib ? ", ipoib" : "";
  write_flags(text, rule.flags);
  text += " :\n";
  for (const MulticastRule& group : rule.groups) {
    text += "    mgid=" + group.mgid;
    write_flags(text, group.flags);
    text += '\n';
  }
  for (std::size_t i = 0; i < rule.members.size(); ++i) {
    const MemberRule& member = rule.members[i];
    const std::string who = member.kind == MemberKind::kPort ? fmt::format("0x{:016x}", member.port.value)
                                                             : std::string(to_string(member.kind));
    fmt::format_to(std::back_inserter(text), "    {}={}{}\n", who,
                   member.membership == Membership::kFull ? "full" : "limited",
                   i + 1 < rule.members.size() ? "," : " ;");
  }
  if (rule.members.empty()) {
    text.insert(text.size() - 1, " ;");
  }
}

}  // namespace

std::string_view to_string(MemberKind kind) {
  return kind == MemberKind::kPort ? std::string_view() : kKindWords[static_cast<std::size_t>(kind) - 1];
}

Result<PartitionFile> parse_partitions(const TopologyText& source) { return FileReader(source).read(); }

std::string write_partitions(const std::vector<PartitionRule>& rules) {
  std::string text;
  for (const PartitionRule& rule : rules) {
    write_rule(text, rule);
  }
  return text;
}

}  // namespace weft::subnet
