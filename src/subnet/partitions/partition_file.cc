#include "subnet/partitions/partition_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <span>

#include "base/nearest_word.h"
#include "subnet/partitions/group_id.h"
#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

constexpr std::array<std::string_view, 5> kKindWords = {"ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"};
constexpr std::array<std::string_view, 3> kMembershipWords = {"full", "both", "limited"};
constexpr std::array<std::string_view, 7> kGroupWords = {"mtu", "rate", "scope", "Q_Key", "TClass", "sl", "FlowLabel"};
constexpr std::array<std::string_view, 2> kPartitionWords = {"ipoib", "defmember"};
constexpr std::string_view kIndex0 = "indx0";
constexpr std::size_t kLongestLine = 4'094;  // OpenSM reads into 4096 bytes, and goes on within the line
constexpr std::uint8_t kDefaultRate = 3;     // 10 Gbps
constexpr std::uint8_t kDefaultMtu = 4;      // 2048 bytes

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? text.substr(text.size())
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

constexpr bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

/// What C's strtoul reads at the beginning of a text: 0 where no number is.
struct LeadingNumber {
  std::uint64_t value = 0;  // the largest where the number has more than 64 bits
  std::string_view rest;    // the whole text where no number is
};

/// Digits of that base; none: there is none.
std::optional<LeadingNumber> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ptr == text.data()) {
    return std::nullopt;
  }
  const bool fits = read.ec == std::errc();
  return LeadingNumber{.value = fits ? value : std::numeric_limits<std::uint64_t>::max(),
                       .rest = text.substr(static_cast<std::size_t>(read.ptr - text.data()))};
}

/// As C writes integers: hexadecimal after "0x", octal after "0", else decimal, with a sign or without.
LeadingNumber leading_number(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && is_space(rest.front())) {
    rest.remove_prefix(1);
  }
  const bool negative = rest.starts_with('-');
  rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
  std::optional<LeadingNumber> found;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    found = digits(rest.substr(2), 16);
  }
  if (!found) {
    found = digits(rest, rest.starts_with('0') ? 8 : 10);
  }
  if (!found) {
    return {.rest = text};
  }
  if (negative && found->value != std::numeric_limits<std::uint64_t>::max()) {
    found->value = 0 - found->value;
  }
  return *found;
}

/// None: the text is not a number from its first to its last character.
std::optional<std::uint64_t> integer(std::string_view text) {
  const LeadingNumber number = leading_number(text);
  return number.rest.empty() && !text.empty() ? std::optional(number.value) : std::nullopt;
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
      if (Result<void> taken = take_text(line_text_.substr(0, line_text_.find('#'))); !taken) {
        return pass_on(taken);
      }
    }
    if (file_.rules.empty()) {
      return fail("{}: no partition, which OpenSM refuses; expected at least one: NAME[=P_KEY] : MEMBERS ;", name_);
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
    return fail("{}:{}:{}: {}{}", name_, line_, column_of(part), fmt::format(format, std::forward<Args>(args)...),
                carriage_return());
  }
  template <class... Args>
  void warn(std::string_view part, fmt::format_string<Args...> format, Args&&... args) {
    file_.warnings.push_back(fmt::format("{}:{}:{}: {}{}", name_, line_, column_of(part),
                                         fmt::format(format, std::forward<Args>(args)...), carriage_return()));
  }
  /// What may be the reason for all that is wrong in the line.
  [[nodiscard]] std::string_view carriage_return() const {
    return line_text_.ends_with('\r') ? "; the line ends with a carriage return, which OpenSM takes for a part of what "
                                        "is before it"
                                      : "";
  }

  Result<void> take_text(std::string_view code) {
    if (line_text_.size() > kLongestLine) {
      return fail_at(line_text_,
                     "a line of {} bytes, of which OpenSM reads {} and takes the rest for another; break it",
                     line_text_.size(), kLongestLine);
    }
    if (const std::size_t at = code.find('\0'); at != std::string_view::npos) {
      return fail_at(code.substr(at), "a zero byte, where OpenSM ends the line; leave it out");
    }
    return take_line(code);
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
      if (Result<void> taken = take_properties(line.substr(0, end), end != std::string_view::npos); !taken) {
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
    std::string& name = file_.rules.back().name;
    name = item.name;
    if (item.name.size() > kKnownOfName) {
      name.resize(kKnownOfName);
      name += '~';  // of the rest, OpenSM sees that there is one
      warn(item.name, "a name of {} characters, of which OpenSM keeps {} and does not find the partition by its name",
           item.name.size(), kKnownOfName);
    }
    if (!item.value) {
      return {};
    }
    const std::optional<std::uint64_t> key = integer(*item.value);
    if (!key) {
      return fail_at(*item.value, "'{}' is no P_Key; a number such as 0x80", *item.value);
    }
    constexpr std::uint64_t kKeyBits = 0x7FFF;
    if (*key > (kKeyBits | kFullMember)) {
      warn(*item.value, "{} does not fit in 16 bits; OpenSM takes the P_Key {:#06x}", *item.value, *key & kKeyBits);
    }
    file_.rules.back().p_key = static_cast<std::uint16_t>(*key & kKeyBits);
    return {};
  }

  /// The word that the name is, or the first that begins like it, which OpenSM takes it for.
  template <std::size_t Count>
  std::optional<std::size_t> word_of(std::string_view name, const std::array<std::string_view, Count>& words) {
    const auto exact = std::ranges::find(words, name);
    if (exact != words.end()) {
      return static_cast<std::size_t>(exact - words.begin());
    }
    for (std::size_t i = 0; i < Count; ++i) {
      if (words[i].starts_with(name)) {
        warn(name, "'{}' is taken for '{}'; write it out", name, words[i]);
        return i;
      }
    }
    return std::nullopt;
  }

  void take_flag(const Item& item) {
    PartitionRule& rule = file_.rules.back();
    if (take_group_flag(item, rule.flags)) {
      return;
    }
    const std::optional<std::size_t> word = word_of(item.name, kPartitionWords);
    if (word && *word == 0) {
      rule.ipoib = true;
    } else if (word) {
      take_default_membership(item);
    } else if (item.name == kIndex0) {
      rule.index0 = true;
    } else {
      constexpr std::array<std::string_view, 10> kAll = {"indx0", "ipoib", "defmember", "rate",   "mtu",
                                                         "sl",    "scope", "Q_Key",     "TClass", "FlowLabel"};
      warn_unknown(item.name, kAll);
    }
  }

  void warn_unknown(std::string_view flag, std::span<const std::string_view> words) {
    const auto nearest = nearest_word(flag, words);
    warn(flag, "unknown flag '{}' is passed over{}", flag,
         nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
  }

  void take_default_membership(const Item& item) {
    const bool known = item.value && std::ranges::any_of(kMembershipWords, [&](std::string_view word) {
                         return word.starts_with(*item.value);
                       });
    if (known) {
      file_.rules.back().default_member = membership(*item.value);
    } else {
      warn(item.value.value_or(item.name), "defmember without full, limited or both is passed over");
    }
  }

  /// False: it is none of a group.
  bool take_group_flag(const Item& item, GroupFlags& flags) {
    const std::optional<std::size_t> word = word_of(item.name, kGroupWords);
    if (word) {
      if (const std::optional<std::uint64_t> value = flag_value(item, *word)) {
        set_group_flag(*word, *value, flags);
      }
    }
    return word.has_value();
  }

  /// None: the flag is passed over.
  std::optional<std::uint64_t> flag_value(const Item& item, std::size_t word) {
    constexpr std::array<std::uint64_t, 7> kLeast = {0, 0, 1, 0, 0, 0, 0};
    constexpr std::array<std::uint64_t, 7> kMost = {5, 63, 15, 0xFFFFFFFF, 0xFF, 15, 0xFFFFF};
    constexpr std::size_t kFirstExact = 5;  // OpenSM reads the rest as far as it is a number
    const LeadingNumber number = item.value ? leading_number(*item.value) : LeadingNumber{};
    const bool exact = word >= kFirstExact;
    const bool has_number =
        item.value && (!exact || (!item.value->empty() && (number.rest.empty() || is_space(number.rest.front()))));
    if (!has_number || number.value < kLeast[word] || number.value > kMost[word]) {
      warn(item.value.value_or(item.name), "{} needs a number from {} to {}; it is passed over", kGroupWords[word],
           kLeast[word], kMost[word]);
      return std::nullopt;
    }
    if (!number.rest.empty() || item.value->empty()) {
      warn(*item.value, "{}: OpenSM reads '{}' as {}", kGroupWords[word], *item.value, number.value);
    }
    return number.value;
  }

  static void set_group_flag(std::size_t word, std::uint64_t value, GroupFlags& flags) {
    const auto byte = static_cast<std::uint8_t>(value);
    switch (word) {
      case 0:
        flags.mtu = byte;
        return;
      case 1:
        flags.rate = byte;
        return;
      case 2:
        if (std::ranges::find(flags.scopes, byte) == flags.scopes.end()) {
          flags.scopes.push_back(byte);
        }
        return;
      case 3:
        flags.q_key = static_cast<std::uint32_t>(value);
        return;
      case 4:
        flags.traffic_class = byte;
        return;
      case 5:
        flags.sl = byte;
        return;
      default:
        flags.flow_label = static_cast<std::uint32_t>(value);
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
    return *known == 2 ? Membership::kLimited : Membership::kFull;
  }

  /// What stands between ":" and ";" in one line, or before the end of the line. The rest behind an mgid is of its
  /// group.
  Result<void> take_properties(std::string_view text, bool ends) {
    while (true) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const Item item = item_of(text.substr(0, comma));
      if (item.name == "mgid") {
        return take_group(item, text.substr(comma), ends);
      }
      if (!item.name.empty()) {
        if (Result<void> taken = take_member(item); !taken) {
          return taken;
        }
      } else if (item.value) {
        warn(*item.value, "a membership of nobody is passed over");
      }
      if (comma == text.size()) {
        return {};
      }
      text.remove_prefix(comma + 1);
    }
  }

  /// `flags`: empty, or from a comma on. `ends`: with ";".
  Result<void> take_group(const Item& item, std::string_view flags, bool ends) {
    const std::optional<GidWords> gid = item.value ? parse_gid(*item.value) : std::nullopt;
    if (!item.value) {
      return fail_at(item.name, "mgid without a GID; mgid=ff12:401b::16");
    }
    if (!gid || !is_multicast(*gid)) {
      constexpr std::string_view kNone = "is no multicast GID, such as ff12:401b::16 with a first byte of ff";
      if (ends && !flags.empty()) {
        return fail_at(*item.value, "'{}' {}; OpenSM takes its flags for a partition", *item.value, kNone);
      }
      warn(*item.value, "'{}' {}; OpenSM leaves the group out", *item.value, kNone);
      return {};
    }
    if (flags.empty() && ends) {
      return fail_at(*item.value, "mgid without a flag before ';', behind which OpenSM reads on; mgid={},sl=0 ;",
                     *item.value);
    }
    if (flags.empty()) {
      warn(*item.value, "mgid without a flag, for which OpenSM reads on behind the line; mgid={},sl=0", *item.value);
    }
    MulticastRule group{.mgid = std::string(*item.value), .flags = {}, .line = line_, .column = column_of(*item.value)};
    while (!flags.empty()) {
      flags.remove_prefix(1);
      const std::size_t comma = std::min(flags.find(','), flags.size());
      const Item flag = item_of(flags.substr(0, comma));
      if ((!flag.name.empty() || flag.value) && !take_group_flag(flag, group.flags)) {
        warn_unknown(flag.name, kGroupWords);
      }
      flags.remove_prefix(comma);
    }
    if (is_of_ip(*gid) && !fits_partition(*item.value, group.flags)) {
      return {};
    }
    file_.rules.back().groups.push_back(std::move(group));
    return {};
  }

  /// Whether OpenSM makes a group of IP multicast with these flags.
  bool fits_partition(std::string_view mgid, const GroupFlags& flags) {
    const GroupFlags& own = file_.rules.back().flags;
    const std::uint8_t rate = own.rate.value_or(kDefaultRate);
    const std::uint8_t mtu = own.mtu.value_or(kDefaultMtu);
    if (flags.rate.value_or(rate) != rate) {
      warn(mgid, "an IP group with rate={} in a partition with rate={}; OpenSM leaves it out", *flags.rate, rate);
      return false;
    }
    if (flags.mtu.value_or(mtu) != mtu) {
      warn(mgid, "an IP group with mtu={} in a partition with mtu={}; OpenSM leaves it out", *flags.mtu, mtu);
      return false;
    }
    return true;
  }

  Result<void> take_member(const Item& item) {
    constexpr std::string_view kNone = "NONE";
    PartitionRule& rule = file_.rules.back();
    if (kNone.starts_with(item.name)) {
      return {};
    }
    MemberRule member{.membership = rule.default_member, .line = line_, .column = column_of(item.name)};
    if (const std::optional<std::size_t> kind = word_of(item.name, kKindWords)) {
      member.kind = static_cast<MemberKind>(*kind + 1);
    } else if (const std::uint64_t guid = integer(item.name).value_or(0); guid != 0) {
      member.port = {guid};
    } else {
      return fail_at(item.name,
                     "'{}' is no member; the GUID of a port (0x0002c90000000001), ALL, ALL_CAS, ALL_SWITCHES, "
                     "ALL_ROUTERS, SELF or NONE",
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
    GroupFlags flags = group.flags;
    if (flags == GroupFlags{}) {
      flags.sl = rule.flags.sl.value_or(0);  // its own: OpenSM needs some flag behind an mgid
    }
    write_flags(text, flags);
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
