#include "study/devices/sonic_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/printable.h"

namespace weft::study::devices {
namespace {

using Json = nlohmann::ordered_json;

/// Where the quoted strings of a JSON text begin that are keys of that name, and not values. Escapes in keys, which
/// configurations have none of, are compared as they stand.
std::vector<std::size_t> key_places(std::string_view text, std::string_view key) {
  std::vector<std::size_t> places;
  std::size_t at = text.find('"');
  while (at != std::string_view::npos) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') {
      end += text[end] == '\\' ? 2 : 1;
    }
    if (end >= text.size()) {
      break;
    }
    const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
    if (next != std::string_view::npos && text[next] == ':' && text.substr(at + 1, end - at - 1) == key) {
      places.push_back(at);
    }
    at = text.find('"', end + 1);
  }
  return places;
}

/// JSON without keys that stand twice. Errors: "name:line:column: ...".
Result<Json> parse_json(const ConfigText& source) {
  std::vector<std::set<std::string>> keys;
  std::map<std::string, std::size_t> seen;  // in all objects
  std::string twice;
  std::size_t place = 0;  // of the second one among all keys of that name
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end && !keys.empty()) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key && !keys.empty()) {
      const std::string key = value.get<std::string>();
      const std::size_t before = seen[key]++;
      if (!keys.back().insert(key).second && twice.empty()) {
        twice = key;
        place = before;
      }
    }
    return true;
  };
  try {
    Json json = Json::parse(source.text.begin(), source.text.end(), watch);
    if (!twice.empty()) {
      const std::vector<std::size_t> places = key_places(source.text, twice);
      const std::size_t at = place < places.size() ? places[place] : 0;
      const auto line = std::count(source.text.begin(), source.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return fail("{}:{}: key '{}' stands twice in one object; remove one of them", source.name, line + 1,
                  excerpt(twice));
    }
    if (!json.is_object()) {
      return fail("{}:1: no object of tables, as config_db.json is", source.name);
    }
    return json;
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, source.text.size());
    const auto begin = source.text.begin();
    const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t line_begin = at == 0 ? std::string_view::npos : source.text.rfind('\n', at - 1);
    const std::string_view reason = error.what();
    const bool ends = reason.find("end of input") != std::string_view::npos ||
                      reason.find("missing closing quote") != std::string_view::npos;
    const std::size_t column = line_begin == std::string_view::npos ? at + 1 : at - line_begin;
    return fail("{}:{}:{}: {}", source.name, line + 1, column,
                ends ? "the JSON ends before it is complete" : "this is no JSON");
  }
}

/// Values of tables, and the first fault among them.
class SonicTables {
 public:
  SonicTables(const Json& json, std::string_view file) : json_(json), file_(file) {}

  [[nodiscard]] std::string place(const std::string& path) const { return fmt::format("{}: {}", file_, path); }

  void refuse(const std::string& path, const std::string& message) {
    if (!fault_) {
      fault_ = Error{fmt::format("{}: {}: {}", file_, path, message)};
    }
  }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

  /// What stands at this path has been read.
  void take(const std::string& path) { read_.insert(path); }

  /// Tables, rows and fields that nothing has read, each without what is in it.
  [[nodiscard]] std::vector<UnreadLine> unread() const {
    std::vector<UnreadLine> made;
    const auto add = [&](const std::string& path, const auto& inside) {
      const bool known = read_.contains(path);
      if (!known) {
        made.push_back({.place = place(path)});
      }
      return known && inside.is_object();
    };
    const Json none = Json::object();
    for (const auto& [name, table] : json_.items()) {
      const Json& rows = add(name, table) ? table : none;
      for (const auto& [key, row] : rows.items()) {
        const std::string path = name + "|" + key;
        const Json& fields = add(path, row) ? row : none;
        for (const auto& [field, value] : fields.items()) {
          static_cast<void>(add(path + "|" + field, value));
        }
      }
    }
    return made;
  }

  /// A table or a row; null if it is not there. An error where it is no object.
  const Json* object(const Json& in, const std::string& key, const std::string& path) {
    const auto found = in.find(key);
    if (found == in.end()) {
      return nullptr;
    }
    take(path);
    if (!found->is_object()) {
      refuse(path, "must be an object");
      return nullptr;
    }
    return &*found;
  }
  const Json* table(const std::string& name) { return object(json_, name, name); }
  /// A table, or an empty one.
  const Json& rows(const std::string& name) {
    static const Json kNone = Json::object();
    const Json* found = table(name);
    return found == nullptr ? kNone : *found;
  }
  const Json* row(const std::string& table_name, const std::string& key) {
    const Json* in = table(table_name);
    return in == nullptr ? nullptr : object(*in, key, table_name + "|" + key);
  }

  std::optional<std::string> text(const Json& row, const std::string& key, const std::string& path) {
    const auto found = row.find(key);
    if (found == row.end()) {
      return std::nullopt;
    }
    take(path + "|" + key);
    if (found->is_number_integer() || found->is_boolean()) {
      return found->dump();
    }
    if (!found->is_string()) {
      refuse(path + "|" + key, "must be a text");
      return std::nullopt;
    }
    return found->get<std::string>();
  }

  std::optional<std::uint64_t> number(const Json& row, const std::string& key, const std::string& path,
                                      const Span& span) {
    const std::optional<std::string> said = text(row, key, path);
    if (!said) {
      return std::nullopt;
    }
    const Result<std::uint64_t> found = number_of(*said, span);
    if (!found) {
      refuse(path + "|" + key, found.error().message);
      return std::nullopt;
    }
    return *found;
  }

  /// One of a few words; the first if it is not given.
  std::string word(const Json& row, const std::string& key, const std::string& path,
                   std::initializer_list<std::string_view> words) {
    const std::string said = text(row, key, path).value_or(std::string(*words.begin()));
    if (std::ranges::find(words, said) == words.end()) {
      refuse(path + "|" + key, fmt::format("'{}' is none of {}", excerpt(said), fmt::join(words, ", ")));
    }
    return said;
  }

 private:
  const Json& json_;
  std::string file_;
  std::optional<Error> fault_;
  std::set<std::string> read_;  // paths
};

using IndexMap = std::map<std::uint64_t, std::uint64_t>;

class SonicReader {
 public:
  SonicReader(const Json& json, std::string_view file) : tables_(json, file) {
    device_.syntax = Syntax::kSonic;
    device_.file = file;
  }

  Result<DeviceConfig> read() {
    metadata();
    ports();
    pools();
    watchdog();
    routing();
    if (tables_.fault()) {
      return tl::unexpected<Error>(*tables_.fault());
    }
    device_.unread = tables_.unread();
    return std::move(device_);
  }

 private:
  /// A field that has no member in the model, as it stands; none where it is not given.
  void native(const std::string& item, const Json& row, const std::string& key, const std::string& path) {
    if (auto said = tables_.text(row, key, path)) {
      device_.native[item] = {.value = std::move(*said), .place = tables_.place(path + "|" + key)};
    }
  }
  /// The same of one whose value the model has, and that something else may stand for if it is not given.
  void given(const std::string& item, const Json& row, std::initializer_list<const char*> keys,
             const std::string& path) {
    if (std::ranges::any_of(keys, [&](const char* key) { return row.contains(key); })) {
      device_.native[item] = {.value = "given", .place = tables_.place(path)};
    }
  }

  void metadata() {
    const Json* host = tables_.row("DEVICE_METADATA", "localhost");
    const auto name = host == nullptr ? std::nullopt : tables_.text(*host, "hostname", "DEVICE_METADATA|localhost");
    if (!name || name->empty()) {
      tables_.refuse("DEVICE_METADATA|localhost|hostname", "is not given; it says which device this is");
      return;
    }
    device_.name = *name;
    for (const char* key : {"bgp_asn", "docker_routing_config_mode", "frr_mgmt_framework_config"}) {
      native(fmt::format("bgp.{}", key), *host, key, "DEVICE_METADATA|localhost");
    }
  }

  IndexMap index_map(const std::string& table, const std::string& name, std::uint64_t most_key, std::uint64_t most) {
    IndexMap made;
    const std::string path = table + "|" + name;
    const Json* row = tables_.row(table, name);
    if (row == nullptr) {
      tables_.refuse(path, "is not there");
      return made;
    }
    for (const auto& [key, value] : row->items()) {
      const Result<std::uint64_t> index = number_of(key, {.most = most_key});
      if (!index) {
        tables_.refuse(path, index.error().message);
        return made;
      }
      if (const auto found = tables_.number(*row, key, path, {.most = most})) {
        made[*index] = *found;
      }
    }
    return made;
  }

  void ports() {
    const Json* table = tables_.table("PORT");
    if (table == nullptr) {
      tables_.refuse("PORT", "is not there");
      return;
    }
    SwitchSetting& own = device_.bridge;
    for (const auto& [name, row] : table->items()) {
      const std::string path = "PORT|" + name;
      tables_.take(path);
      if (!row.is_object()) {
        tables_.refuse(path, "must be an object");
        return;
      }
      PortSetting port{.name = name};
      port.speed = tables_.number(row, "speed", path, {.least = 1, .most = 1'600'000}).value_or(0);
      port.mtu = tables_.number(row, "mtu", path, {.least = 68, .most = 9'216});
      own.ports.push_back(std::move(port));
    }
    number_ports(own.ports, Syntax::kSonic);
    for (PortSetting& port : own.ports) {
      const std::string item = fmt::format("port.{}", port.number);
      device_.places[item] = tables_.place("PORT|" + port.name);
      device_.places[item + ".mtu"] = tables_.place("PORT|" + port.name + "|mtu");
      native(item + ".admin_status", tables_.rows("PORT").at(port.name), "admin_status", "PORT|" + port.name);
      cable(port);
      maps(port);
    }
  }

  void cable(PortSetting& port) {
    for (const auto& [profile, list] : tables_.rows("CABLE_LENGTH").items()) {
      const auto found = list.is_object() ? list.find(port.name) : list.end();
      if (found == list.end()) {
        continue;
      }
      tables_.take("CABLE_LENGTH|" + profile);
      tables_.take("CABLE_LENGTH|" + profile + "|" + port.name);
      device_.places[fmt::format("port.{}.metres", port.number)] =
          tables_.place("CABLE_LENGTH|" + profile + "|" + port.name);
      std::string said = found->is_string() ? found->get<std::string>() : found->dump();
      const bool metres = said.ends_with('m');
      const Result<std::uint64_t> number = number_of(metres ? said.substr(0, said.size() - 1) : said, {});
      if (!number || !metres) {
        tables_.refuse("CABLE_LENGTH|" + port.name, fmt::format("'{}' is no length such as 40m", excerpt(said)));
        return;
      }
      port.metres = *number;
    }
    if (const Json* near = tables_.row("DEVICE_NEIGHBOR", port.name)) {
      const std::string path = "DEVICE_NEIGHBOR|" + port.name;
      port.peer = tables_.text(*near, "name", path).value_or("");
      port.peer_port = tables_.text(*near, "port", path).value_or("");
      device_.places[fmt::format("port.{}.peer", port.number)] = tables_.place(path);
    }
  }

  /// A map that a port names, or that all ports have; identity where none is named.
  IndexMap map_of(const PortSetting& port, const char* key, const char* table, std::uint64_t most) {
    for (const std::string& row : {port.name, std::string("global")}) {
      const std::string path = "PORT_QOS_MAP|" + row;
      const Json* own = tables_.row("PORT_QOS_MAP", row);
      const auto name = own == nullptr ? std::nullopt : tables_.text(*own, key, path);
      if (name) {
        IndexMap made = index_map(table, *name, 15, most);
        device_.native[fmt::format("port.{}.map.{}", port.number, key)] = {
            .value = text_of_map(made), .place = tables_.place(fmt::format("{}|{}", table, *name))};
        return made;
      }
    }
    IndexMap identity;
    for (std::uint64_t i = 0; i < kClasses; ++i) {
      identity[i] = i;
    }
    return identity;
  }

  /// "3 to 4" of the classes that change; "each to its own".
  static std::string text_of_map(const IndexMap& map) {
    std::string text;
    for (std::uint64_t i = 0; i < kClasses; ++i) {
      if (at(map, i) != i || !map.contains(i)) {
        text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", i,
                            map.contains(i) ? fmt::to_string(at(map, i)) : "none");
      }
    }
    return text.empty() ? "each to its own" : text;
  }

  static std::uint64_t at(const IndexMap& map, std::uint64_t key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }

  std::set<std::uint64_t> priorities(const Json* own, const char* key, const std::string& path) {
    std::set<std::uint64_t> made;
    const std::string said = own == nullptr ? "" : tables_.text(*own, key, path).value_or("");
    for (std::size_t begin = 0; begin < said.size();) {
      const std::size_t end = std::min(said.find(',', begin), said.size());
      const Result<std::uint64_t> one = number_of(said.substr(begin, end - begin), {.most = 7});
      if (!one) {
        tables_.refuse(path + "|" + key, one.error().message);
        return made;
      }
      made.insert(*one);
      begin = end + 1;
    }
    return made;
  }

  void maps(PortSetting& port) {
    const std::string path = "PORT_QOS_MAP|" + port.name;
    const Json* own = tables_.row("PORT_QOS_MAP", port.name);
    const Json* all = tables_.row("PORT_QOS_MAP", "global");
    const bool its_own = own != nullptr && own->contains("dscp_to_tc_map");
    const Json* with_dscp = its_own ? own : all;
    if (const auto name = with_dscp == nullptr ? std::nullopt
                                               : tables_.text(*with_dscp, "dscp_to_tc_map",
                                                              its_own ? path : std::string("PORT_QOS_MAP|global"))) {
      device_.native[fmt::format("port.{}.map.dscp_to_tc_map", port.number)] = {.value = "given",
                                                                                .place = tables_.place(path)};
      IndexMap dscp = index_map("DSCP_TO_TC_MAP", *name, 63, 15);
      if (device_.places.contains("dscp") && dscp != device_.bridge.dscp_class) {
        device_.places.emplace("dscp.mixed", tables_.place(path + "|dscp_to_tc_map"));
      } else {
        device_.bridge.dscp_class = std::move(dscp);
        device_.places["dscp"] = tables_.place("DSCP_TO_TC_MAP|" + *name);
      }
    }
    const IndexMap queue = map_of(port, "tc_to_queue_map", "TC_TO_QUEUE_MAP", 15);
    const IndexMap group = map_of(port, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", 7);
    const IndexMap paused = map_of(port, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", 7);
    static_cast<void>(map_of(port, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", 7));
    const std::set<std::uint64_t> pfc = priorities(own, "pfc_enable", path);
    const std::set<std::uint64_t> watched = priorities(own, "pfcwd_sw_enable", path);
    for (std::size_t tc = 0; tc < kClasses; ++tc) {
      ClassSetting& one = port.classes[tc];
      const auto names_queue = [&](std::uint64_t priority) { return at(paused, priority) == at(queue, tc); };
      one.pfc = std::ranges::any_of(pfc, names_queue);
      one.watchdog = std::ranges::any_of(watched, names_queue);
      device_.places[item_of(port, tc, "pfc")] = tables_.place(path + "|pfc_enable");
      of_queue(port, tc, at(queue, tc));
      of_group(port, tc, at(group, tc));
    }
  }

  /// The row "Ethernet0|3" or "Ethernet0|3-4" of a table.
  std::pair<const Json*, std::string> ranged(const char* table, const std::string& port, std::uint64_t index) {
    const Json* rows = tables_.table(table);
    const std::string exact = fmt::format("{}|{}", port, index);
    if (rows == nullptr) {
      return {nullptr, ""};
    }
    if (rows->contains(exact)) {
      return {tables_.object(*rows, exact, fmt::format("{}|{}", table, exact)), fmt::format("{}|{}", table, exact)};
    }
    for (std::uint64_t first = 0; first <= index; ++first) {
      for (std::uint64_t last = index; last < 16; ++last) {
        const std::string key = fmt::format("{}|{}-{}", port, first, last);
        if (rows->contains(key)) {
          return {tables_.object(*rows, key, fmt::format("{}|{}", table, key)), fmt::format("{}|{}", table, key)};
        }
      }
    }
    return {nullptr, ""};
  }

  static std::string native_item(const PortSetting& port, std::size_t tc, std::string_view what) {
    return fmt::format("port.{}.class.{}.{}", port.number, tc, what);
  }

  void of_queue(PortSetting& port, std::size_t tc, std::uint64_t queue) {
    const auto [row, path] = ranged("QUEUE", port.name, queue);
    if (row == nullptr) {
      return;
    }
    device_.places[item_of(port, tc, "mark")] = tables_.place(path);
    if (const auto name = tables_.text(*row, "scheduler", path)) {
      const std::string at_row = "SCHEDULER|" + *name;
      if (const Json* scheduler = tables_.row("SCHEDULER", *name)) {
        const std::string type = tables_.word(*scheduler, "type", at_row, {"WRR", "DWRR", "STRICT"});
        const auto weight = tables_.number(*scheduler, "weight", at_row, {.least = 1, .most = 100});
        port.classes[tc].weight = type == "STRICT" ? 0 : weight.value_or(1);
        native(native_item(port, tc, "weight.type"), *scheduler, "type", at_row);
        given(native_item(port, tc, "weight.weight"), *scheduler, {"weight"}, at_row);
        device_.places[item_of(port, tc, "weight")] = tables_.place(at_row);
      } else {
        tables_.refuse(path + "|scheduler", fmt::format("there is no SCHEDULER '{}'", excerpt(*name)));
      }
    }
    if (const auto name = tables_.text(*row, "wred_profile", path)) {
      if (const Json* wred = tables_.row("WRED_PROFILE", *name)) {
        of_wred(port, tc, *wred, "WRED_PROFILE|" + *name);
      } else {
        tables_.refuse(path + "|wred_profile", fmt::format("there is no WRED_PROFILE '{}'", excerpt(*name)));
      }
    }
  }

  void of_wred(PortSetting& port, std::size_t tc, const Json& row, const std::string& path) {
    const std::string ecn = tables_.word(row, "ecn", path,
                                         {"ecn_none", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow",
                                          "ecn_green_red", "ecn_yellow_red", "ecn_all"});
    std::array<MarkSetting, 3> marks;
    std::array<std::string, 3> enabled;
    constexpr std::array<const char*, 3> kColours = {"green", "yellow", "red"};
    for (std::size_t i = 0; i < kColours.size(); ++i) {
      const std::string colour = kColours[i];
      marks[i].kmin = tables_.number(row, colour + "_min_threshold", path, {}).value_or(0);
      marks[i].kmax = tables_.number(row, colour + "_max_threshold", path, {}).value_or(0);
      marks[i].percent = tables_.number(row, colour + "_drop_probability", path, {.most = 100}).value_or(100);
      if (marks[i].kmax < marks[i].kmin) {
        tables_.refuse(path + "|" + colour + "_max_threshold",
                       fmt::format("{} is below the minimum, {}", marks[i].kmax, marks[i].kmin));
      }
      enabled[i] = tables_.word(row, fmt::format("wred_{}_enable", colour), path, {"false", "true"});
    }
    device_.places[item_of(port, tc, "mark")] = tables_.place(path + "|green_min_threshold");
    if ((ecn != "ecn_all" && !ecn.starts_with("ecn_green")) || enabled[0] != "true") {
      device_.places[item_of(port, tc, "mark")] =
          tables_.place(path + (enabled[0] == "true" ? "|ecn" : "|wred_green_enable"));
      return;
    }
    port.classes[tc].mark = marks[0];
    native(native_item(port, tc, "mark.ecn"), row, "ecn", path);
    given(native_item(port, tc, "mark.green_drop_probability"), row, {"green_drop_probability"}, path);
    for (std::size_t i = 1; i < kColours.size(); ++i) {
      for (const char* what : {"wred_{}_enable", "{}_min_threshold", "{}_max_threshold", "{}_drop_probability"}) {
        const std::string key = fmt::format(fmt::runtime(what), kColours[i]);
        native(native_item(port, tc, "mark." + key), row, key, path);
      }
    }
  }

  void of_group(PortSetting& port, std::size_t tc, std::uint64_t group) {
    const auto [row, path] = ranged("BUFFER_PG", port.name, group);
    for (const char* what : {"buffer", "headroom"}) {
      device_.places[item_of(port, tc, what)] =
          tables_.place(path.empty() ? fmt::format("BUFFER_PG|{}|{}", port.name, group) : path);
    }
    const auto name = row == nullptr ? std::nullopt : tables_.text(*row, "profile", path);
    if (!name || *name == "NULL") {
      return;
    }
    const std::string at_row = "BUFFER_PROFILE|" + *name;
    const Json* profile = tables_.row("BUFFER_PROFILE", *name);
    if (profile == nullptr) {
      tables_.refuse(path + "|profile", fmt::format("there is no BUFFER_PROFILE '{}'", excerpt(*name)));
      return;
    }
    BufferSetting buffer;
    buffer.reserve = tables_.number(*profile, "size", at_row, {}).value_or(0);
    buffer.xon_offset = tables_.number(*profile, "xon_offset", at_row, {}).value_or(0);
    buffer.headroom = tables_.number(*profile, "xoff", at_row, {});
    buffer.limit = tables_.number(*profile, "static_th", at_row, {});
    if (std::optional<std::string> said = tables_.text(*profile, "dynamic_th", at_row)) {
      const bool negative = said->starts_with('-');
      const Result<std::uint64_t> size =
          number_of(negative ? said->substr(1) : *said, {.most = negative ? std::uint64_t{8} : 7});
      if (!size) {
        tables_.refuse(at_row + "|dynamic_th", fmt::format("'{}' is not a whole number from -8 to 7", excerpt(*said)));
        return;
      }
      buffer.exponent = negative ? -static_cast<std::int64_t>(*size) : static_cast<std::int64_t>(*size);
    }
    device_.places[item_of(port, tc, "buffer")] = tables_.place(at_row);
    device_.places[item_of(port, tc, "headroom")] = tables_.place(at_row + "|xoff");
    native(native_item(port, tc, "buffer.pool"), *profile, "pool", at_row);
    given(native_item(port, tc, "buffer.size"), *profile, {"size"}, at_row);
    given(native_item(port, tc, "buffer.xon_offset"), *profile, {"xon_offset"}, at_row);
    given(native_item(port, tc, "buffer.dynamic_th"), *profile, {"dynamic_th", "static_th"}, at_row);
    port.classes[tc].buffer = buffer;
  }

  void pools() {
    const std::string path = "BUFFER_POOL|ingress_lossless_pool";
    if (const Json* row = tables_.row("BUFFER_POOL", "ingress_lossless_pool")) {
      tables_.word(*row, "type", path, {"ingress", "egress", "both"});
      tables_.word(*row, "mode", path, {"dynamic", "static"});
      for (const char* key : {"type", "mode"}) {
        native(fmt::format("pool.{}", key), *row, key, path);
      }
      device_.bridge.pool = tables_.number(*row, "size", path, {});
      device_.bridge.pool_headroom = tables_.number(*row, "xoff", path, {});
      device_.places["pool"] = tables_.place(path);
    }
  }

  void watchdog() {
    SwitchSetting& own = device_.bridge;
    for (const PortSetting& port : own.ports) {
      const std::string path = "PFC_WD|" + port.name;
      if (const Json* row = tables_.row("PFC_WD", port.name)) {
        WatchdogSetting read;
        read.drops = tables_.word(*row, "action", path, {"drop", "forward", "alert"}) == "drop";
        read.detect = tables_.number(*row, "detection_time", path, {.least = 100, .most = 5'000}).value_or(0);
        read.restore = tables_.number(*row, "restoration_time", path, {.least = 100, .most = 60'000}).value_or(0);
        own.watchdog = own.watchdog.value_or(read);
        // What the first port has is the device's; of others only what differs counts.
        const std::string item = fmt::format("port.{}.watchdog.PFC_WD", port.number);
        const std::string action = tables_.text(*row, "action", path).value_or("no action");
        const bool same = read == *own.watchdog && (action == "drop" || action == "forward");
        device_.native[item] = {
            .value = same ? "as the device's" : fmt::format("{}, {} ms, {} ms", action, read.detect, read.restore),
            .place = tables_.place(path)};
        device_.places.emplace("watchdog", tables_.place(path));
      }
    }
    if (const Json* row = tables_.row("SWITCH_TRIMMING", "GLOBAL")) {
      const std::string path = "SWITCH_TRIMMING|GLOBAL";
      device_.places["trimming"] = tables_.place(path);
      own.trimming = TrimSetting{.size = tables_.number(*row, "size", path, {.most = UINT32_MAX}).value_or(0),
                                 .dscp = tables_.number(*row, "dscp_value", path, {.most = 63}).value_or(0),
                                 .queue = tables_.number(*row, "queue_index", path, {.most = 255}).value_or(0)};
    }
  }

  void addresses() {
    for (const auto& [key, row] : tables_.rows("INTERFACE").items()) {
      const std::size_t bar = key.find('|');
      const auto port = std::ranges::find(device_.bridge.ports, key.substr(0, bar), &PortSetting::name);
      if (port == device_.bridge.ports.end()) {
        continue;
      }
      tables_.take("INTERFACE|" + key);
      const std::string item = fmt::format("port.{}", port->number);
      if (bar != std::string::npos) {
        port->address = key.substr(bar + 1);
        device_.places[item + ".address"] = tables_.place("INTERFACE|" + key);
      } else {
        device_.native[item + ".INTERFACE"] = {.value = "given", .place = tables_.place("INTERFACE|" + key)};
      }
    }
    for (const auto& [key, row] : tables_.rows("LOOPBACK_INTERFACE").items()) {
      const std::string path = "LOOPBACK_INTERFACE|" + key;
      if (key == "Loopback0") {
        tables_.take(path);
        device_.native["loopback.Loopback0"] = {.value = "given", .place = tables_.place(path)};
      } else if (key.starts_with("Loopback0|")) {
        tables_.take(path);
        device_.native["loopback.address"] = {.value = key.substr(key.find('|') + 1), .place = tables_.place(path)};
      }
    }
  }

  void routing() {
    SwitchSetting& own = device_.bridge;
    constexpr Span kAs{.least = 1, .most = UINT32_MAX};
    addresses();
    if (const Json* row = tables_.row("BGP_GLOBALS", "default")) {
      own.as_number = tables_.number(*row, "local_asn", "BGP_GLOBALS|default", kAs).value_or(0);
      own.router_id = tables_.text(*row, "router_id", "BGP_GLOBALS|default").value_or("");
      device_.places["as"] = tables_.place("BGP_GLOBALS|default|local_asn");
      for (const char* key : {"load_balance_mp_relax", "default_ipv4_unicast"}) {
        native(fmt::format("bgp.{}", key), *row, key, "BGP_GLOBALS|default");
      }
    } else if (const Json* host = tables_.row("DEVICE_METADATA", "localhost")) {
      own.as_number = tables_.number(*host, "bgp_asn", "DEVICE_METADATA|localhost", kAs).value_or(0);
      device_.places["as"] = tables_.place("DEVICE_METADATA|localhost|bgp_asn");
    }
    if (const Json* row = tables_.row("BGP_GLOBALS_AF", "default|ipv4_unicast")) {
      own.paths =
          tables_.number(*row, "max_ebgp_paths", "BGP_GLOBALS_AF|default|ipv4_unicast", {.least = 1, .most = 256})
              .value_or(0);
    }
    for (const auto& [key, row] : tables_.rows("BGP_NEIGHBOR").items()) {
      const std::string path = "BGP_NEIGHBOR|" + key;
      tables_.take(path);
      if (!row.is_object()) {
        tables_.refuse(path, "must be an object");
        return;
      }
      NeighbourSetting one{.address = key.substr(key.find('|') == std::string::npos ? 0 : key.find('|') + 1)};
      one.as_number = tables_.number(row, "asn", path, kAs).value_or(0);
      one.name = tables_.text(row, "name", path).value_or("");
      one.keepalive = tables_.number(row, "keepalive", path, {.most = 65'535}).value_or(0);
      one.hold = tables_.number(row, "holdtime", path, {.most = 65'535}).value_or(0);
      one.mrai = tables_.number(row, "min_adv_interval", path, {.most = 600}).value_or(0);
      protection(one, row, path);
      device_.places["bgp." + one.address] = tables_.place(path);
      own.neighbours.push_back(std::move(one));
    }
    std::ranges::stable_sort(own.neighbours, {}, &NeighbourSetting::address);
  }

  void protection(NeighbourSetting& one, const Json& row, const std::string& path) {
    constexpr Span kMilliseconds{.least = 50, .most = 60'000};
    one.bfd = tables_.word(row, "bfd", path, {"false", "true"}) == "true";
    one.bfd_interval =
        tables_.number(row, "desired_minimum_tx_interval", path, kMilliseconds).value_or(one.bfd_interval);
    one.bfd_receive = tables_.number(row, "required_minimum_receive", path, kMilliseconds).value_or(one.bfd_receive);
    one.bfd_multiplier =
        tables_.number(row, "detection_multiplier", path, {.least = 2, .most = 255}).value_or(one.bfd_multiplier);
    one.password = tables_.text(row, "auth_password", path).value_or("");
    one.ttl_hops = tables_.number(row, "ttl_security_hops", path, {.least = 1, .most = 254});
  }

  SonicTables tables_;
  DeviceConfig device_;
};

}  // namespace

Result<DeviceConfig> read_sonic(const ConfigText& source) {
  const Result<Json> json = parse_json(source);
  return json ? SonicReader(*json, source.name).read() : tl::unexpected<Error>(json.error());
}

}  // namespace weft::study::devices
