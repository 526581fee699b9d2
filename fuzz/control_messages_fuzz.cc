// Any bytes as messages of the control plane: BGP, BFD, LLDP by the first byte. Never a crash, and what is accepted
// says the same when written and read again. A session that is told any bytes answers, or ends, and never grows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "fabric/control/bgp_session.h"
#include "wire/bfd.h"
#include "wire/bgp.h"
#include "wire/lldp.h"
#include "wire/packet.h"

namespace {

using namespace weft;

void try_bgp(std::span<const std::byte> bytes) {
  const auto parsed = wire::parse_bgp(bytes);
  if (!parsed) {
    WEFT_ASSERT(!parsed.error().message.empty());
    return;
  }
  std::vector<std::byte> again;
  wire::emit_bgp(*parsed, again);
  const auto reparsed = wire::parse_bgp(again);
  WEFT_ASSERT(reparsed.has_value() && *reparsed == *parsed);
}

void try_bfd(std::span<const std::byte> bytes) {
  if (const auto parsed = wire::BfdControl::parse(bytes)) {
    std::vector<std::byte> again(wire::BfdControl::kSize);
    parsed->emit(again);
    WEFT_ASSERT(*wire::BfdControl::parse(again) == *parsed);
  }
}

void try_lldp(std::span<const std::byte> bytes) {
  if (const auto parsed = wire::LldpUnit::parse(bytes)) {
    std::vector<std::byte> again;
    parsed->emit(again);
    WEFT_ASSERT(*wire::LldpUnit::parse(again) == *parsed);
  }
}

/// As the stream of a session that waits for a connection.
void try_session(std::span<const std::byte> bytes) {
  Time now = Time::zero();
  fabric::BgpSession session({.as_number = 1, .identifier = 1, .opens = false}, RandomStream(1, "fuzz"));
  session.start(now);
  session.on_segment({.sequence = 0, .flags = wire::kTcpSyn}, now);
  std::uint32_t first = 0;
  while (const auto segment = session.poll(now)) {
    first = segment->sequence + 1;
  }
  session.on_segment({.sequence = 1, .acknowledgement = first, .flags = wire::kTcpAck}, now);
  std::uint32_t sequence = 1;
  std::size_t said = 0;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + std::to_integer<std::size_t>(bytes.front()));
    fabric::Segment segment{.sequence = sequence, .acknowledgement = first, .flags = wire::kTcpAck};
    segment.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
    sequence += static_cast<std::uint32_t>(size);
    session.on_segment(segment, now);
    (void)session.take_updates();
    while (session.poll(now)) {
      ++said;
    }
    now = now + Duration::milliseconds(1);
    if (session.next_timeout() <= now) {
      session.on_timeout(now);
    }
  }
  WEFT_ASSERT(said <= 64 + sequence);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 4) {
    case 0:
      try_bgp(bytes);
      break;
    case 1:
      try_bfd(bytes);
      break;
    case 2:
      try_lldp(bytes);
      break;
    default:
      try_session(bytes);
      break;
  }
  return 0;
}
