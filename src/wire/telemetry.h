// What data packets gather on their way and acknowledgements bring back: when the packet left, how many switches it
// passed, and with in-band telemetry what each of their egress ports looked like.
//
// The form of a hop is that of HPCC's header (Li et al., SIGCOMM 2019, figure 7): the port's speed as a code of 4 bits,
// a timestamp of 24 bits in nanoseconds, the bytes sent so far (20 bits, 128 bytes each) and the queue (16 bits, 80
// bytes each). The last three wrap or saturate as they would on the wire. Captures leave these bytes out: neither
// publication fixes where they stand in a RoCEv2 packet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::wire {

/// Which telemetry a packet carries.
enum class TelemetryKind : std::uint8_t { kNone, kTimestamp, kInBand };

/// Room that a packet has for switches; later ones on a longer path are not recorded.
inline constexpr std::size_t kTelemetryHops = 5;

/// What telemetry adds to a packet: a timestamp of 4 bytes, or HPCC's header, which always has room for five hops.
[[nodiscard]] constexpr std::uint16_t telemetry_bytes(TelemetryKind kind) {
  switch (kind) {
    case TelemetryKind::kNone:
      break;
    case TelemetryKind::kTimestamp:
      return 4;
    case TelemetryKind::kInBand:
      return 2 + 8 * kTelemetryHops;
  }
  return 0;
}

/// Speeds of ports that have a code.
inline constexpr std::array<std::int64_t, 15> kTelemetrySpeeds = {
    1'000'000'000,   2'500'000'000,   5'000'000'000,     10'000'000'000,    20'000'000'000,
    25'000'000'000,  40'000'000'000,  50'000'000'000,    100'000'000'000,   200'000'000'000,
    400'000'000'000, 800'000'000'000, 1'600'000'000'000, 3'200'000'000'000, 6'400'000'000'000};
/// None: the speed has no code.
[[nodiscard]] constexpr std::optional<std::uint8_t> telemetry_code(Rate rate) {
  for (std::size_t i = 0; i < kTelemetrySpeeds.size(); ++i) {
    if (kTelemetrySpeeds[i] == rate.bits_per_second()) {
      return static_cast<std::uint8_t>(i);
    }
  }
  return std::nullopt;
}

/// One egress port as a packet left it.
class TelemetryHop {
 public:
  static constexpr unsigned kTimeBits = 24;
  static constexpr unsigned kSentBits = 20;
  static constexpr unsigned kQueueBits = 16;
  static constexpr std::int64_t kSentUnit = 128;
  static constexpr std::int64_t kQueueUnit = 80;

  struct Fields {
    std::uint8_t speed_code = 0;
    Time time;                 // when the packet began to leave
    std::uint64_t sent = 0;    // bytes that the port has sent before it
    std::uint32_t queued = 0;  // bytes that stay behind it
  };

  constexpr TelemetryHop() = default;
  constexpr explicit TelemetryHop(const Fields& fields)
      : bits_(std::uint64_t{fields.speed_code} << (kTimeBits + kSentBits + kQueueBits) |
              ((static_cast<std::uint64_t>(fields.time.picoseconds()) / 1'000) & low(kTimeBits))
                  << (kSentBits + kQueueBits) |
              ((fields.sent / kSentUnit) & low(kSentBits)) << kQueueBits |
              std::uint64_t{fields.queued / kQueueUnit > low(kQueueBits) ? low(kQueueBits)
                                                                         : fields.queued / kQueueUnit}) {}

  [[nodiscard]] constexpr Rate speed() const {
    return Rate::bits_per_second(kTelemetrySpeeds[bits_ >> (kTimeBits + kSentBits + kQueueBits)]);
  }
  [[nodiscard]] constexpr Bytes queued() const {
    return Bytes(static_cast<std::int64_t>(bits_ & low(kQueueBits)) * kQueueUnit);
  }
  /// Of the same port, later: what passed in between, unless the fields have wrapped.
  [[nodiscard]] constexpr Duration since(TelemetryHop earlier) const {
    const std::uint64_t nanoseconds = (time_field() - earlier.time_field()) & low(kTimeBits);
    return Duration::nanoseconds(static_cast<std::int64_t>(nanoseconds));
  }
  [[nodiscard]] constexpr Bytes sent_since(TelemetryHop earlier) const {
    const std::uint64_t units = (sent_field() - earlier.sent_field()) & low(kSentBits);
    return Bytes(static_cast<std::int64_t>(units) * kSentUnit);
  }

 private:
  [[nodiscard]] static constexpr std::uint64_t low(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }
  [[nodiscard]] constexpr std::uint64_t time_field() const {
    return (bits_ >> (kSentBits + kQueueBits)) & low(kTimeBits);
  }
  [[nodiscard]] constexpr std::uint64_t sent_field() const { return (bits_ >> kQueueBits) & low(kSentBits); }

  std::uint64_t bits_ = 0;
};

/// 48 bytes.
struct Telemetry {
  static constexpr unsigned kDepartureBits = 46;
  static constexpr std::uint64_t kDepartureMask = (std::uint64_t{1} << kDepartureBits) - 1;

  std::uint64_t departure : kDepartureBits = 0;  // in picoseconds, of the sender's clock; wraps after 70 s
  std::uint64_t path : 12 = 0;                   // exclusive or over the egress ports: tells that the path is another
  std::uint64_t switches : 4 = 0;                // passed so far, at most 15
  std::uint64_t in_band : 1 = 0;                 // switches record their ports
  std::array<TelemetryHop, kTelemetryHops> hops{};

  void depart(TelemetryKind kind, Time now) {
    departure = static_cast<std::uint64_t>(now.picoseconds()) & kDepartureMask;
    in_band = kind == TelemetryKind::kInBand ? 1 : 0;
  }
  [[nodiscard]] TelemetryKind kind() const { return in_band != 0 ? TelemetryKind::kInBand : TelemetryKind::kTimestamp; }
  /// From the departure to `now`.
  [[nodiscard]] Duration age(Time now) const {
    const std::uint64_t wrapped = static_cast<std::uint64_t>(now.picoseconds()) - departure;
    return Duration::picoseconds(static_cast<std::int64_t>(wrapped & kDepartureMask));
  }
  /// A switch sends the packet on by its port `port_hash`.
  void pass(std::uint64_t port_hash, TelemetryHop hop) {
    if (in_band != 0 && switches < kTelemetryHops) {
      hops[switches] = hop;
    }
    path = (path ^ port_hash) & 0xFFFU;
    if (switches < 15) {
      switches = (switches + 1U) & 0xFU;
    }
  }
  [[nodiscard]] std::size_t recorded() const { return switches < kTelemetryHops ? switches : kTelemetryHops; }
};
static_assert(sizeof(Telemetry) == 48);

}  // namespace weft::wire
