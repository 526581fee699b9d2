#include "live/socket_faults.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/assert.h"
#include "base/parse_quantity.h"

namespace weft::live {
namespace {

constexpr Duration kLongestDelay = Duration::seconds(10);

Result<void> set_probability(Probability& out, std::string_view value) {
  Result<Probability> parsed = parse_probability(value);
  if (!parsed)
    return pass_on(parsed);
  out = *parsed;
  return {};
}

Result<void> set_delay(Duration& out, std::string_view value) {
  Result<Duration> parsed = parse_duration(value);
  if (!parsed)
    return pass_on(parsed);
  if (*parsed <= Duration::zero() || *parsed > kLongestDelay)
    return fail("'{}' is not above 0 and at most 10 s", value);
  out = *parsed;
  return {};
}

Result<void> set_seed(std::uint64_t& out, std::string_view value) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error != std::errc{} || end != value.data() + value.size() || value.empty())
    return fail("'{}' is not a number from 0 to 2^64 - 1", value);
  return {};
}

Result<void> set_one(FaultOptions& options, std::string_view name, std::string_view value) {
  if (name == "loss")
    return set_probability(options.loss, value);
  if (name == "dup")
    return set_probability(options.duplicate, value);
  if (name == "reorder")
    return set_probability(options.reorder, value);
  if (name == "delay")
    return set_delay(options.delay, value);
  if (name == "seed")
    return set_seed(options.seed, value);
  return fail("unknown fault '{}'; allowed: loss, dup, reorder, delay, seed", name);
}

}  // namespace

Result<FaultOptions> parse_faults(std::string_view text) {
  FaultOptions options;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      return fail("'{}' has no '='; an example: loss=1%,dup=1%,reorder=2%,seed=7", word);
    const std::string_view name = word.substr(0, equals);
    if (Result<void> set = set_one(options, name, word.substr(equals + 1)); !set)
      return tl::unexpected<Error>(std::move(set.error()).at(name));
  }
  return options;
}

SocketFaults::SocketFaults(DatagramSocket& socket, const FaultOptions& options)
    : socket_(socket), options_(options), random_(options.seed, "socket faults") {
  WEFT_ASSERT(options.delay > Duration::zero());
}

// Each datagram draws the same count of random numbers whatever happens to it.
std::size_t SocketFaults::send(std::span<const OutgoingDatagram> datagrams, Time now) {
  release(now);
  for (OutgoingDatagram datagram : datagrams) {
    datagram.segment = 0;
    const bool lost = random_.bernoulli(options_.loss);
    const bool duplicated = random_.bernoulli(options_.duplicate);
    const bool delayed = random_.bernoulli(options_.reorder);
    const auto span = static_cast<std::uint64_t>(options_.delay.picoseconds());
    const Duration delay = Duration::picoseconds(static_cast<std::int64_t>(random_.uniform(span)) + 1);
    counters_.lost += lost ? 1 : 0;
    if (lost)
      continue;
    if (duplicated) {
      ++counters_.duplicated;
      hold(datagram, now + delay);
    }
    if (delayed) {
      ++counters_.delayed;
      hold(datagram, now + delay);
    } else if (socket_.send({&datagram, 1}, now) == 0) {
      // No room now: a later attempt instead of drawing again for the same datagram.
      hold(datagram, now + delay);
    }
  }
  return datagrams.size();
}

void SocketFaults::hold(const OutgoingDatagram& datagram, Time when) {
  delayed_.emplace(when, Delayed{.to = *datagram.to, .bytes = {datagram.bytes.begin(), datagram.bytes.end()}});
}

void SocketFaults::release(Time now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const Delayed& first = delayed_.begin()->second;
    const OutgoingDatagram datagram{.to = &first.to, .bytes = first.bytes};
    if (socket_.send({&datagram, 1}, now) == 0)
      return;
    delayed_.erase(delayed_.begin());
  }
}

std::span<const IncomingDatagram> SocketFaults::receive(Time now) {
  release(now);
  return socket_.receive(now);
}

Time SocketFaults::next_event() const { return delayed_.empty() ? Time::never() : delayed_.begin()->first; }

}  // namespace weft::live
