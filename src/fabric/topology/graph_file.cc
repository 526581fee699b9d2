#include "fabric/topology/graph_file.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "base/printable.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph_check.h"
#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

struct Token {
  std::string_view text;
  std::size_t column = 1;  // from 1
};

std::vector<Token> tokens_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<Token> tokens;
  for (std::size_t at = line.find_first_not_of(kBlank); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    tokens.push_back({line.substr(at, end - at), at + 1});
    at = std::min(line.find_first_not_of(kBlank, end), line.size());
  }
  return tokens;
}

/// "2.5m": metres, in whole millimetres.
Result<Length> parse_length(std::string_view text) {
  // Metres as seconds, millimetres as milliseconds: the decimals are exact there already.
  if (text.ends_with("m") && text.size() > 1) {
    const Result<Duration> metres = parse_duration(fmt::format("{}ms", text.substr(0, text.size() - 1)));
    if (metres && metres->picoseconds() % 1'000'000 == 0) {
      return Length::millimetres(metres->picoseconds() / 1'000'000);
    }
  }
  return fail("'{}' is no length; write metres with at most three decimals, such as 3m or 2.5m", excerpt(text));
}

class Parser {
 public:
  explicit Parser(const GraphText& source) : source_(source) {}

  Result<Graph> parse() && {
    std::string_view rest = source_.text;
    while (!rest.empty()) {
      ++line_;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (Result<void> done = parse_line(tokens_of(rest.substr(0, end))); !done) {
        return pass_on(done);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    Graph graph = assemble();
    if (auto valid = find_fault(graph); !valid) {
      return tl::unexpected<Error>(std::move(valid.error().error).at(place_of(valid.error())));
    }
    return graph;
  }

 private:
  struct RawNode {
    Node node;
    std::size_t line;
  };
  /// A cable between nodes numbered in the order of the text.
  struct RawLink {
    std::uint32_t a;
    std::uint32_t b;
    Cable cable;
    std::size_t line;
  };

  /// "NAME:LINE" of what the graph's check found; of the graph as a whole, "NAME".
  std::string place_of(const GraphFault& fault) const {
    switch (fault.part) {
      case GraphPart::kWhole:
        break;
      case GraphPart::kNode:
        return fmt::format("{}:{}", source_.name, node_lines_[fault.index]);
      case GraphPart::kLink:
        return fmt::format("{}:{}", source_.name, links_[fault.index].line);
    }
    return std::string(source_.name);
  }

  tl::unexpected<Error> fault(const Token& token, Error error) const {
    return tl::unexpected<Error>(std::move(error).at(fmt::format("{}:{}:{}", source_.name, line_, token.column)));
  }

  Result<void> parse_line(const std::vector<Token>& tokens) {
    if (tokens.empty()) {
      return {};
    }
    if (tokens[0].text == "endpoint") {
      return parse_node(tokens, NodeKind::kEndpoint);
    }
    if (tokens[0].text == "switch") {
      return parse_node(tokens, NodeKind::kSwitch);
    }
    if (tokens[0].text == "link") {
      return parse_link(tokens);
    }
    static constexpr std::array<std::string_view, 3> kWords{"endpoint", "switch", "link"};
    return fault(tokens[0], unknown_word({.kind = "line", .word = tokens[0].text, .valid = kWords}));
  }

  Result<void> parse_node(const std::vector<Token>& tokens, NodeKind kind) {
    if (tokens.size() < 2) {
      return fault(tokens[0], Error{fmt::format("'{}' needs a name", tokens[0].text)});
    }
    if (terminal_text(tokens[1].text) != tokens[1].text) {
      return fault(tokens[1],
                   Error{fmt::format("the name '{}' has characters that are not printable", excerpt(tokens[1].text))});
    }
    Node node{.name = std::string(tokens[1].text), .kind = kind, .tier = kind == NodeKind::kSwitch};
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      if (Result<void> done = parse_attribute(tokens[i], node); !done) {
        return done;
      }
    }
    if (!by_name_.emplace(node.name, static_cast<std::uint32_t>(nodes_.size())).second) {
      return fault(tokens[1], Error{fmt::format("a node named {} is already defined", excerpt(node.name))});
    }
    nodes_.push_back({std::move(node), line_});
    if (nodes_.size() > OptionCheck::kMaxEndpoints) {
      return fault(tokens[0], Error{fmt::format("more than {} nodes", OptionCheck::kMaxEndpoints)});
    }
    return {};
  }

  Result<void> parse_attribute(const Token& token, Node& node) const {
    const std::size_t equals = std::min(token.text.find('='), token.text.size());
    const std::string_view key = token.text.substr(0, equals);
    const std::string_view value = token.text.substr(std::min(equals + 1, token.text.size()));
    if (key == "ports") {
      return parse_port_type(token, value, node);
    }
    if (node.kind == NodeKind::kEndpoint) {
      return fault(token, Error{fmt::format("'{}': an endpoint has a name, and at most 'ports'", excerpt(token.text))});
    }
    static constexpr std::array<std::string_view, 4> kKeys{"tier", "domain", "plane", "ports"};
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      return fault(token, unknown_word({.kind = "attribute", .word = key, .valid = kKeys}));
    }
    const std::uint32_t most =
        key == "tier" ? std::numeric_limits<std::uint8_t>::max() : std::numeric_limits<std::uint16_t>::max();
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || error != std::errc() || end != value.data() + value.size() || number > most) {
      return fault(token,
                   Error{fmt::format("{} is '{}', it must be a number from 0 to {}", key, excerpt(value), most)});
    }
    if (key == "tier") {
      node.tier = static_cast<std::uint8_t>(number);
    } else {
      (key == "domain" ? node.domain : node.plane) = static_cast<std::uint16_t>(number);
    }
    return {};
  }

  Result<void> parse_port_type(const Token& token, std::string_view value, Node& node) const {
    static constexpr std::array<std::string_view, 2> kTypes{"ethernet", "infiniband"};
    if (value != kTypes[0] && value != kTypes[1]) {
      return fault(token, unknown_word({.kind = "kind of ports", .word = value, .valid = kTypes}));
    }
    node.port_type = value == kTypes[0] ? PortType::kEthernet : PortType::kInfiniBand;
    return {};
  }

  Result<void> parse_link(const std::vector<Token>& tokens) {
    if (tokens.size() != 5) {
      return fault(tokens[0], Error{"a link is two names, a rate, and a length or a delay: "
                                    "link host0/nic0 leaf0 rate=400Gbps length=3m"});
    }
    RawLink link{};
    for (const std::size_t i : {1U, 2U}) {
      const auto found = by_name_.find(tokens[i].text);
      if (found == by_name_.end()) {
        return fault(tokens[i],
                     Error{fmt::format("no node named {} is defined above this line", excerpt(tokens[i].text))});
      }
      (i == 1 ? link.a : link.b) = found->second;
    }
    const PortType a = nodes_[link.a].node.port_type;
    const PortType b = nodes_[link.b].node.port_type;
    if (!are_compatible(a, b)) {
      return fault(tokens[0], Error{fmt::format("{} has {} ports and {} has {} ports: these need a gateway, which is "
                                                "not modelled",
                                                tokens[1].text, to_string(a), tokens[2].text, to_string(b))});
    }
    link.cable = {.rate = Rate::zero(), .propagation = Duration::zero()};
    for (const std::size_t i : {3U, 4U}) {
      if (Result<void> done = parse_cable(tokens[i], link.cable); !done) {
        return done;
      }
    }
    if (link.cable.rate == Rate::zero() || link.cable.propagation == Duration::zero()) {
      return fault(tokens[0], Error{"a link has a rate above 0, and a length or a delay above 0"});
    }
    link.line = line_;
    links_.push_back(link);
    return {};
  }

  Result<void> parse_cable(const Token& token, Cable& cable) const {
    const std::size_t equals = std::min(token.text.find('='), token.text.size());
    const std::string_view key = token.text.substr(0, equals);
    const std::string_view value = token.text.substr(std::min(equals + 1, token.text.size()));
    std::optional<Error> error;
    if (key == "rate") {
      parse_rate(value).map([&](Rate rate) { cable.rate = rate; }).or_else([&](Error e) { error = std::move(e); });
    } else if (key == "length") {
      parse_length(value).map([&](Length length) { cable.propagation = length.propagation(); }).or_else([&](Error e) {
        error = std::move(e);
      });
    } else if (key == "delay") {
      parse_duration(value).map([&](Duration delay) { cable.propagation = delay; }).or_else([&](Error e) {
        error = std::move(e);
      });
    } else {
      static constexpr std::array<std::string_view, 3> kKeys{"rate", "length", "delay"};
      error = unknown_word({.kind = "attribute", .word = key, .valid = kKeys});
    }
    if (error) {
      return fault(token, *std::move(error));
    }
    return {};
  }

  /// Endpoints to the front, then ports in the order of links.
  Graph assemble() {
    Graph graph;
    std::vector<NodeIndex> index(nodes_.size());
    for (const NodeKind kind : {NodeKind::kEndpoint, NodeKind::kSwitch}) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].node.kind == kind) {
          index[i] = NodeIndex(static_cast<std::uint32_t>(graph.nodes.size()));
          graph.nodes.push_back(std::move(nodes_[i].node));
          node_lines_.push_back(nodes_[i].line);
        }
      }
      if (kind == NodeKind::kEndpoint) {
        graph.endpoints = static_cast<std::uint32_t>(graph.nodes.size());
      }
    }
    for (const RawLink& raw : links_) {
      const LinkEnd a{index[raw.a], graph[index[raw.a]].ports++};
      const LinkEnd b{index[raw.b], graph[index[raw.b]].ports++};
      graph.links.push_back({a, b, raw.cable.rate, raw.cable.propagation});
      inherit(graph[b.node], graph[a.node]);
      inherit(graph[a.node], graph[b.node]);
    }
    return graph;
  }

  /// An endpoint is where its switch is.
  static void inherit(const Node& from, Node& to) {
    if (to.kind == NodeKind::kEndpoint) {
      to.domain = from.domain;
      to.plane = from.plane;
    }
  }

  GraphText source_;
  std::size_t line_ = 0;
  std::vector<RawNode> nodes_;
  std::vector<std::size_t> node_lines_;  // of the assembled graph's nodes
  std::vector<RawLink> links_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
};

}  // namespace

Result<Graph> parse_graph(const GraphText& source) { return Parser(source).parse(); }

Result<Graph> build_graph(const GraphFileOptions& options) {
  if (options.file.empty()) {
    return fail("graph-file: file is empty, it must name the text of a graph");
  }
  constexpr std::uint64_t kLargest = std::uint64_t{256} << 20;
  const Result<std::string> text = read_file(options.file, {.bytes = kLargest});
  return text ? parse_graph({.text = *text, .name = options.file}) : tl::unexpected<Error>(text.error());
}

}  // namespace weft::fabric
