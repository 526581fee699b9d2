// The units of each quantity, in one place for parsing and formatting.
//
// A table lists its canonical units in ascending order first, then the aliases, which are understood but never written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

/// A unit and how many of the quantity's smallest steps (picosecond, byte, bit per second, packet) it is.
struct Unit {
  std::string_view name;
  std::uint64_t scale = 1;
};

inline constexpr std::array kDurationUnits = {
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
    Unit{"\u00B5s", 1'000'000},  // the micro sign
    Unit{"\u03BCs", 1'000'000},  // the Greek letter
};
inline constexpr std::size_t kCanonicalDurationUnits = 5;

inline constexpr std::array kBytesUnits = {
    Unit{"B", 1},
    Unit{"kB", 1'000},
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"MB", 1'000'000},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"GB", 1'000'000'000},
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"TB", 1'000'000'000'000},
    Unit{"TiB", std::uint64_t{1} << 40},
};

/// Bits per second first; the rates of memory and PCIe are usually given in bytes per second.
inline constexpr std::array kRateUnits = {
    Unit{"bps", 1},
    Unit{"kbps", 1'000},
    Unit{"Mbps", 1'000'000},
    Unit{"Gbps", 1'000'000'000},
    Unit{"Tbps", 1'000'000'000'000},
    Unit{"b/s", 1},
    Unit{"kb/s", 1'000},
    Unit{"Mb/s", 1'000'000},
    Unit{"Gb/s", 1'000'000'000},
    Unit{"Tb/s", 1'000'000'000'000},
    Unit{"bit/s", 1},
    Unit{"kbit/s", 1'000},
    Unit{"Mbit/s", 1'000'000},
    Unit{"Gbit/s", 1'000'000'000},
    Unit{"Tbit/s", 1'000'000'000'000},
    Unit{"B/s", 8},
    Unit{"kB/s", 8'000},
    Unit{"MB/s", 8'000'000},
    Unit{"GB/s", 8'000'000'000},
    Unit{"TB/s", 8'000'000'000'000},
};
inline constexpr std::size_t kCanonicalRateUnits = 5;

inline constexpr std::array kPacketsUnits = {Unit{"packets", 1}, Unit{"packet", 1}};
inline constexpr std::size_t kCanonicalPacketsUnits = 1;

/// The units that formatting uses and that messages list.
inline constexpr std::span<const Unit> kCanonicalDurations = std::span(kDurationUnits).first<kCanonicalDurationUnits>();
inline constexpr std::span<const Unit> kCanonicalRates = std::span(kRateUnits).first<kCanonicalRateUnits>();

}  // namespace weft
