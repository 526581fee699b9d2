#include "live/side_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace weft::live {
namespace {

constexpr std::uint64_t kMax24 = (1U << 24) - 1;
constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  return word;
}

/// The fields of one line, taken by name; what is left over at the end is a fault.
class Fields {
 public:
  static Result<Fields> parse(std::string_view text) {
    Fields fields;
    while (!text.empty()) {
      const std::string_view word = take_word(text);
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos || equals == 0)
        return fail("'{}' is not of the form name=value", word);
      const std::string_view name = word.substr(0, equals);
      if (fields.find(name) != nullptr)
        return fail("field '{}' is given twice", name);
      fields.fields_.push_back({name, word.substr(equals + 1)});
    }
    return fields;
  }

  struct Range {
    std::uint64_t low = 0;
    std::uint64_t high = kMax64;
  };
  template <class Integer>
  void take(std::string_view name, Range range, Integer& out) {
    const std::optional<std::string_view> text = take_text(name);
    if (!text)
      return;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size() || value < range.low || value > range.high)
      return complain(fmt::format("field '{}' is '{}'; allowed: {} to {}", name, *text, range.low, range.high));
    out = static_cast<Integer>(value);
  }
  template <class Enum>
  void take_word_of(std::string_view name, std::span<const std::string_view> words, Enum& out) {
    const std::optional<std::string_view> text = take_text(name);
    if (!text)
      return;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end())
      return complain(fmt::format("field '{}' is '{}'; allowed: {}", name, *text, fmt::join(words, ", ")));
    out = static_cast<Enum>(found - words.begin());
  }

  /// The message, if every field was there and right.
  Result<SideMessage> finish(SideMessage message) {
    for (const Field& field : fields_) {
      if (!field.taken)
        complain(fmt::format("field '{}' does not belong here", field.name));
    }
    if (!complaint_.empty())
      return fail("{}", complaint_);
    return message;
  }

 private:
  struct Field {
    std::string_view name;
    std::string_view value;
    bool taken = false;
  };

  Field* find(std::string_view name) {
    const auto found = std::ranges::find(fields_, name, &Field::name);
    return found == fields_.end() ? nullptr : &*found;
  }
  std::optional<std::string_view> take_text(std::string_view name) {
    Field* const field = find(name);
    if (field == nullptr) {
      complain(fmt::format("field '{}' is missing", name));
      return std::nullopt;
    }
    field->taken = true;
    return field->value;
  }
  void complain(std::string text) {
    if (complaint_.empty())
      complaint_ = std::move(text);
  }

  std::vector<Field> fields_;
  std::string complaint_;  // the first
};

void take_peer(Fields& fields, PeerParameters& peer) {
  fields.take("qpn", {0, kMax24}, peer.qpn);
  fields.take("psn", {0, kMax24}, peer.psn);
  fields.take("mtu", {256, 4096}, peer.mtu);
  fields.take("rkey", {0, kMax32}, peer.rkey);
  fields.take("address", {0, kMax64}, peer.address);
  fields.take("length", {0, kMax64}, peer.length);
  fields.take("udp_port", {1, 65'535}, peer.udp_port);
  fields.take("window", {1, kMax32}, peer.window);
  fields.take("tss_source", {0, kMax32}, peer.tss_source);
  fields.take("tss_epoch", {0, 65'535}, peer.tss_epoch);
}

std::string format_peer(const PeerParameters& peer) {
  return fmt::format(
      "qpn={} psn={} mtu={} rkey={} address={} length={} udp_port={} window={} tss_source={} tss_epoch={}", peer.qpn,
      peer.psn, peer.mtu, peer.rkey, peer.address, peer.length, peer.udp_port, peer.window, peer.tss_source,
      peer.tss_epoch);
}

Result<void> check_mtu(const PeerParameters& peer) {
  Result<verbs::PathMtu> mtu = verbs::path_mtu_from(Bytes(peer.mtu));
  if (!mtu)
    return pass_on(mtu);
  return {};
}

Result<SideMessage> finish_peer(Fields& fields, const PeerParameters& peer, SideMessage message) {
  Result<SideMessage> finished = fields.finish(std::move(message));
  if (!finished)
    return finished;
  if (Result<void> right = check_mtu(peer); !right)
    return pass_on(right);
  return finished;
}

Result<SideMessage> parse_hello(Fields& fields) {
  Hello hello;
  fields.take_word_of("op", kPerfOps, hello.plan.op);
  fields.take_word_of("test", kPerfTests, hello.plan.test);
  fields.take("size", {1, PerfLimits::kMaxSize}, hello.plan.size);
  fields.take("depth", {1, PerfLimits::kMaxDepth}, hello.plan.depth);
  fields.take_word_of("transport", kPerfTransports, hello.plan.transport);
  fields.take_word_of("security", kPerfSecurities, hello.plan.security);
  take_peer(fields, hello.peer);
  return finish_peer(fields, hello.peer, hello);
}

Result<SideMessage> parse_welcome(Fields& fields) {
  Welcome welcome;
  take_peer(fields, welcome.peer);
  return finish_peer(fields, welcome.peer, welcome);
}

Result<SideMessage> parse_start(Fields& fields) {
  Start start;
  fields.take("size", {1, PerfLimits::kMaxSize}, start.size);
  fields.take("iterations", {1, PerfLimits::kMaxIterations}, start.iterations);
  return fields.finish(start);
}

Result<SideMessage> parse_verdict(Fields& fields) {
  Verdict verdict;
  fields.take("wrong", {0, kMax64}, verdict.wrong);
  return fields.finish(verdict);
}

struct Formatter {
  std::string operator()(const Hello& hello) const {
    const PerfPlan& plan = hello.plan;
    return fmt::format("hello version={} op={} test={} size={} depth={} transport={} security={} {}", kSideVersion,
                       to_string(plan.op), to_string(plan.test), plan.size, plan.depth, to_string(plan.transport),
                       to_string(plan.security), format_peer(hello.peer));
  }
  std::string operator()(const Welcome& welcome) const {
    return fmt::format("welcome version={} {}", kSideVersion, format_peer(welcome.peer));
  }
  std::string operator()(const Refuse& refuse) const {
    return fmt::format("refuse {}", refuse.reason).substr(0, kMaxSideLine - 1);
  }
  std::string operator()(const Start& start) const {
    return fmt::format("start size={} iterations={}", start.size, start.iterations);
  }
  std::string operator()(const Ready&) const { return "ready"; }
  std::string operator()(const Done&) const { return "done"; }
  std::string operator()(const Verdict& verdict) const { return fmt::format("verdict wrong={}", verdict.wrong); }
  std::string operator()(const Bye&) const { return "bye"; }
};

Result<SideMessage> parse_fields(std::string_view verb, Fields& fields) {
  if (verb == "hello" || verb == "welcome") {
    std::uint32_t version = 0;
    fields.take("version", {kSideVersion, kSideVersion}, version);
    return verb == "hello" ? parse_hello(fields) : parse_welcome(fields);
  }
  if (verb == "start")
    return parse_start(fields);
  if (verb == "ready")
    return fields.finish(Ready{});
  if (verb == "done")
    return fields.finish(Done{});
  if (verb == "verdict")
    return parse_verdict(fields);
  if (verb == "bye")
    return fields.finish(Bye{});
  return fail("'{}' is no message of weft perf", verb);
}

}  // namespace

std::string format_side_message(const SideMessage& message) { return std::visit(Formatter{}, message); }

Result<SideMessage> parse_side_message(std::string_view line) {
  if (line.size() >= kMaxSideLine)
    return fail("a line of {} bytes; at most {}", line.size(), kMaxSideLine - 1);
  if (!is_printable(line))
    return fail("bytes that are not printable text");
  const std::string_view verb = take_word(line);
  if (verb == "refuse")
    return SideMessage(Refuse{.reason = std::string(line)});
  Result<Fields> fields = Fields::parse(line);
  if (!fields)
    return pass_on(fields);
  return parse_fields(verb, *fields);
}

}  // namespace weft::live
