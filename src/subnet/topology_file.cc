#include "subnet/topology_file.h"

#include <array>
#include <map>
#include <string>

#include "base/nearest_word.h"
#include "subnet/text_cursor.h"

namespace weft::subnet {
namespace {

constexpr std::uint64_t kFirstAdapterGuid = 0x100000;
constexpr std::uint64_t kFirstSwitchGuid = 0x200000;

/// A cable as one of its ports names it.
struct NamedCable {
  PortPlace from;
  std::string peer;
  PortNumber peer_port = 1;
  std::size_t line = 0;
};

class TopologyReader {
 public:
  explicit TopologyReader(const TopologyText& source) : rest_(source.text), name_(source.name) {}

  Result<Subnet> read() {
    while (const std::optional<std::string_view> text = take_line(rest_)) {
      ++line_;
      if (Result<void> taken = take(*text); !taken) {
        return tl::unexpected(std::move(taken.error()).at(fmt::format("{}:{}", name_, line_)));
      }
    }
    if (subnet_.nodes.empty()) {
      return fail("{}: no node; a record begins with 'Switch 36 \"name\"' or 'Ca 1 \"name\"'", name_);
    }
    if (Result<void> connected = connect(); !connected) {
      return pass_on(connected);
    }
    find_manager();
    return std::move(subnet_);
  }

 private:
  Result<void> take(std::string_view text) {
    TextCursor cursor(text);
    cursor.skip_blanks();
    if (cursor.at_end()) {
      in_record_ = false;
      return {};
    }
    if (cursor.peek() == '#') {
      return take_comment(text);
    }
    if (cursor.peek() == '[') {
      return take_port(cursor);
    }
    in_record_ = false;
    return take_header(cursor);
  }

  /// "# Initiated from node 0002c90000000000 port 0002c90000000001": where ibnetdiscover ran.
  Result<void> take_comment(std::string_view text) {
    constexpr std::string_view kPort = " port ";
    const std::size_t at = text.find(kPort);
    if (text.find("Initiated from node") != std::string_view::npos && at != std::string_view::npos) {
      TextCursor cursor(text.substr(at + kPort.size()));
      initiator_ = cursor.take_hex();
    }
    return {};
  }

  Result<void> take_header(TextCursor cursor) {
    static constexpr std::array<std::string_view, 12> kWords = {"Switch",     "Ca",     "Hca",      "Rt",
                                                                "switchguid", "caguid", "hcaguids", "rtguid",
                                                                "sysimgguid", "vendid", "devid",    "width"};
    const std::string_view word = cursor.take_word();
    if (word == "Switch") {
      return take_node(cursor, NodeType::kSwitch);
    }
    if (word == "Ca" || word == "Hca") {
      return take_node(cursor, NodeType::kChannelAdapter);
    }
    if (word == "Rt") {
      return take_node(cursor, NodeType::kRouter);
    }
    if (word == "switchguid") {
      return take_guid(cursor, NodeType::kSwitch);
    }
    if (word == "caguid" || word == "hcaguids") {
      return take_guid(cursor, NodeType::kChannelAdapter);
    }
    if (word == "rtguid") {
      return take_guid(cursor, NodeType::kRouter);
    }
    if (word == "sysimgguid") {
      const Result<std::uint64_t> guid = take_value(cursor);
      system_guid_ = guid.value_or(0);
      return guid ? Result<void>() : fail("{}", guid.error().message);
    }
    if (word == "vendid" || word == "devid" || word == "width" || word == "speed" || word == "extspeed") {
      return {};  // nothing here depends on them
    }
    return tl::unexpected(unknown_word({.kind = "record", .word = word, .valid = kWords}));
  }

  static Result<std::uint64_t> take_value(TextCursor& cursor) {
    if (!cursor.take('=')) {
      return fail("expected '=' and a GUID: 0x2c90000000001");
    }
    const std::optional<std::uint64_t> value = cursor.take_number();
    return value ? Result<std::uint64_t>(*value) : fail("expected a GUID after '=': 0x2c90000000001");
  }

  std::uint64_t& next_guid(NodeType type) {
    return type == NodeType::kSwitch ? next_switch_guid_
                                     : (type == NodeType::kRouter ? next_router_guid_ : next_adapter_guid_);
  }

  Result<void> take_guid(TextCursor cursor, NodeType type) {
    const Result<std::uint64_t> guid = take_value(cursor);
    if (!guid) {
      return fail("{}", guid.error().message);
    }
    next_guid(type) = *guid;
    if (cursor.take('(')) {
      port_guid_ = cursor.take_hex();
    }
    return {};
  }

  Result<void> take_node(TextCursor cursor, NodeType type) {
    cursor.skip_blanks();
    const std::optional<std::uint64_t> ports = cursor.take_number();
    if (!ports || *ports == 0 || *ports > kMostPorts) {
      return fail("expected a number of ports from 1 to {} before the name: Switch 36 \"name\"", kMostPorts);
    }
    const std::optional<std::string_view> id = cursor.take_quoted();
    if (!id || id->empty()) {
      return fail("expected a name in quotation marks: Switch 36 \"name\"");
    }
    const NodeIndex index(static_cast<std::uint32_t>(subnet_.nodes.size()));
    if (!by_id_.try_emplace(std::string(*id), index).second) {
      return fail("node \"{}\" stands here for the second time; names are unique", *id);
    }
    Node node{.id = std::string(*id), .description = std::string(*id), .type = type};
    std::uint64_t& next = next_guid(type);
    node.guid.value = next;
    node.system_guid.value = system_guid_.value_or(next);
    node.ports.resize(static_cast<std::size_t>(*ports) + 1);
    for (std::size_t port = 0; port < node.ports.size(); ++port) {
      node.ports[port].guid.value = type == NodeType::kSwitch ? port_guid_.value_or(next) : next + port;
    }
    next += type == NodeType::kSwitch ? 1 : *ports + 1;
    system_guid_.reset();
    port_guid_.reset();
    describe(cursor, node);
    subnet_.nodes.push_back(std::move(node));
    in_record_ = true;
    return {};
  }

  /// `# "leaf 1" enhanced port 0 lid 4 lmc 0`.
  static void describe(TextCursor cursor, Node& node) {
    if (!cursor.skip_to('#')) {
      return;
    }
    if (const std::optional<std::string_view> description = cursor.take_quoted()) {
      node.description = *description;
    }
    node.enhanced_port0 = cursor.rest().find("enhanced port 0") != std::string_view::npos;
    take_lids(cursor.rest(), node.ports[0]);
  }

  static std::uint64_t number_after(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    TextCursor cursor(at == std::string_view::npos ? std::string_view() : text.substr(at + word.size()));
    return cursor.take_number().value_or(0);
  }

  static void take_lids(std::string_view text, Port& port) {
    const std::uint64_t lid = number_after(text, "lid ");
    const std::uint64_t lmc = number_after(text, "lmc ");
    port.lid = lid <= kLastUnicastLid ? static_cast<Lid>(lid) : Lid{0};
    port.lmc = lmc <= kMostLmc ? static_cast<std::uint8_t>(lmc) : std::uint8_t{0};
  }

  Result<void> take_port(TextCursor cursor) {
    if (!in_record_) {
      return fail("a port without a node; ports follow their node's line without an empty line");
    }
    Node& node = subnet_.nodes.back();
    const Result<PortNumber> port = take_port_number(cursor, node);
    if (!port) {
      return fail("{}", port.error().message);
    }
    if (cursor.take('(')) {
      const std::optional<std::uint64_t> guid = cursor.take_hex();
      if (!guid || !cursor.take(')')) {
        return fail("expected the GUID of the port in brackets: [{}](2c90000000002)", *port);
      }
      node.ports[*port].guid.value = *guid;
    }
    const std::optional<std::string_view> peer = cursor.take_quoted();
    if (!peer) {
      return fail("expected the peer's name in quotation marks: [{}] \"name\"[1]", *port);
    }
    NamedCable cable{.from = {.node = NodeIndex(static_cast<std::uint32_t>(subnet_.nodes.size() - 1)), .port = *port},
                     .peer = std::string(*peer),
                     .line = line_};
    if (cursor.peek() == '[') {
      const std::optional<std::uint64_t> peer_port = cursor.take_bracketed();
      if (!peer_port || *peer_port == 0 || *peer_port > kMostPorts) {
        return fail("expected a port of the peer from 1 to {}: [{}] \"{}\"[1]", kMostPorts, *port, *peer);
      }
      cable.peer_port = static_cast<PortNumber>(*peer_port);
    }
    cables_.push_back(std::move(cable));
    take_remark(cursor, node, *port);
    return {};
  }

  static Result<PortNumber> take_port_number(TextCursor& cursor, const Node& node) {
    const std::optional<std::uint64_t> port = cursor.take_bracketed();
    if (!port || *port == 0 || *port >= node.ports.size()) {
      return fail("node \"{}\" has ports 1 to {}; expected [{}] \"peer\"[1]", node.id, node.ports.size() - 1,
                  node.ports.size() - 1);
    }
    return static_cast<PortNumber>(*port);
  }

  /// `# lid 22 lmc 0 "leaf 1" lid 6 4xSDR` of an adapter, `# "host 1" lid 1 4xSDR` of a switch.
  static void take_remark(TextCursor cursor, Node& node, PortNumber port) {
    if (!cursor.skip_to('#')) {
      return;
    }
    const std::string_view remark = cursor.rest();
    if (node.type != NodeType::kSwitch) {
      take_lids(remark.substr(0, remark.find('"')), node.ports[port]);
    }
    std::string_view link = remark.substr(0, remark.find_last_not_of(" \t") + 1);
    link.remove_prefix(link.find_last_of(" \t") + 1);
    if (!link.empty() && link.front() >= '1' && link.front() <= '9' && link.find('x') != std::string_view::npos) {
      node.ports[port].link = link;
    }
  }

  Result<void> connect() {
    for (const NamedCable& cable : cables_) {
      if (Result<void> connected = connect(cable); !connected) {
        return tl::unexpected(std::move(connected.error()).at(fmt::format("{}:{}", name_, cable.line)));
      }
    }
    return check_guids();
  }

  Result<void> connect(const NamedCable& cable) {
    const auto peer = by_id_.find(cable.peer);
    if (peer == by_id_.end()) {
      std::vector<std::string_view> valid;
      for (const auto& [id, node] : by_id_) {
        valid.push_back(id);
      }
      const std::optional<std::string_view> nearest = nearest_word(cable.peer, valid);
      return fail("no node \"{}\" in this file{}", cable.peer,
                  nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : "");
    }
    const PortPlace to{.node = peer->second, .port = cable.peer_port};
    if (to.port >= subnet_[to.node].ports.size()) {
      return fail("node \"{}\" has ports 1 to {}, not {}", cable.peer, subnet_[to.node].ports.size() - 1, to.port);
    }
    if (to == cable.from) {
      return fail("a port is its own peer; name the other end of the cable");
    }
    if (Result<void> ended = end_cable(cable.from, to); !ended) {
      return ended;
    }
    return end_cable(to, cable.from);
  }

  Result<void> end_cable(PortPlace at, PortPlace peer) {
    std::optional<PortPlace>& known = subnet_.port(at).peer;
    if (known && *known != peer) {
      return fail("port {} of \"{}\" has a cable to port {} of \"{}\" already; a port has one cable", at.port,
                  subnet_[at.node].id, known->port, subnet_[known->node].id);
    }
    known = peer;
    return {};
  }

  Result<void> check_guids() const {
    std::map<std::uint64_t, std::string_view> seen;
    for (const Node& node : subnet_.nodes) {
      const auto [entry, added] = seen.try_emplace(node.guid.value, node.id);
      if (!added) {
        return fail("{}: \"{}\" and \"{}\" have the GUID {:#x}; GUIDs are unique", name_, entry->second, node.id,
                    node.guid.value);
      }
    }
    return {};
  }

  void find_manager() {
    for (std::size_t i = 0; initiator_ && i < subnet_.nodes.size(); ++i) {
      const Node& node = subnet_.nodes[i];
      for (std::size_t port = node.type == NodeType::kSwitch ? 0 : 1; port < node.ports.size(); ++port) {
        if (node.ports[port].guid.value == *initiator_) {
          subnet_.manager =
              PortPlace{.node = NodeIndex(static_cast<std::uint32_t>(i)), .port = static_cast<PortNumber>(port)};
          return;
        }
      }
    }
  }

  std::string_view rest_;
  std::string_view name_;
  std::size_t line_ = 0;
  bool in_record_ = false;
  std::uint64_t next_adapter_guid_ = kFirstAdapterGuid;
  std::uint64_t next_switch_guid_ = kFirstSwitchGuid;
  std::uint64_t next_router_guid_ = ~std::uint64_t{0};
  std::optional<std::uint64_t> system_guid_;
  std::optional<std::uint64_t> port_guid_;
  std::optional<std::uint64_t> initiator_;
  std::map<std::string, NodeIndex> by_id_;
  std::vector<NamedCable> cables_;
  Subnet subnet_;
};

}  // namespace

Result<Subnet> parse_topology(const TopologyText& source) { return TopologyReader(source).read(); }

}  // namespace weft::subnet
