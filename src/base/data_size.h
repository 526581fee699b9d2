// Amounts of data: Bytes and Packets, signed 64-bit so that differences are representable.
//
// kB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB powers of 1024. Bytes and Packets do not convert into each
// other: that needs an MTU, and the place that knows it.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>

#include "base/assert.h"

namespace weft {

class Packets;

/// An amount of data in bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::int64_t count) : count_(count) {}
  static constexpr Bytes zero() { return Bytes(0); }
  static constexpr Bytes max() { return Bytes(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  /// Below 2^60 bytes.
  [[nodiscard]] constexpr std::int64_t bits() const { return count_ * 8; }

  /// Packets of at most `mtu` (> 0) that carry this amount (>= 0); an empty message still takes one packet.
  [[nodiscard]] constexpr Packets packets_of(Bytes mtu) const;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.count_ - b.count_); }
  friend constexpr Bytes operator-(Bytes a) { return Bytes(-a.count_); }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes(a.count_ * n); }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }
  /// Rounds towards zero.
  friend constexpr Bytes operator/(Bytes a, std::int64_t n) { return Bytes(a.count_ / n); }
  /// How many whole `b` fit into `a`.
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }
  friend constexpr Bytes operator%(Bytes a, Bytes b) { return Bytes(a.count_ % b.count_); }
  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }
  constexpr Bytes& operator-=(Bytes other) { return *this = *this - other; }

 private:
  std::int64_t count_ = 0;
};

/// A number of packets.
class Packets {
 public:
  constexpr Packets() = default;
  explicit constexpr Packets(std::int64_t count) : count_(count) {}
  static constexpr Packets zero() { return Packets(0); }
  static constexpr Packets max() { return Packets(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(Packets, Packets) = default;
  friend constexpr Packets operator+(Packets a, Packets b) { return Packets(a.count_ + b.count_); }
  friend constexpr Packets operator-(Packets a, Packets b) { return Packets(a.count_ - b.count_); }
  friend constexpr Packets operator*(Packets a, std::int64_t n) { return Packets(a.count_ * n); }
  friend constexpr Packets operator*(std::int64_t n, Packets a) { return a * n; }
  constexpr Packets& operator+=(Packets other) { return *this = *this + other; }
  constexpr Packets& operator-=(Packets other) { return *this = *this - other; }

 private:
  std::int64_t count_ = 0;
};

constexpr Packets Bytes::packets_of(Bytes mtu) const {
  WEFT_DCHECK(count_ >= 0 && mtu.count_ > 0);
  return count_ == 0 ? Packets(1) : Packets((count_ - 1) / mtu.count_ + 1);
}

/// The text of base/format_quantity.h, so that a failed test prints it.
std::ostream& operator<<(std::ostream& out, Bytes value);
std::ostream& operator<<(std::ostream& out, Packets value);

inline namespace literals {
constexpr Bytes operator""_bytes(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_kb(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) * 1'000); }
constexpr Bytes operator""_mb(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) * 1'000'000); }
constexpr Bytes operator""_gb(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) * 1'000'000'000); }
constexpr Bytes operator""_tb(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) * 1'000'000'000'000); }
constexpr Bytes operator""_kib(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 10); }
constexpr Bytes operator""_mib(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 20); }
constexpr Bytes operator""_gib(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 30); }
constexpr Bytes operator""_tib(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 40); }
constexpr Packets operator""_packets(unsigned long long n) { return Packets(static_cast<std::int64_t>(n)); }
}  // namespace literals

}  // namespace weft
