#include "subnet/agent/link_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/int128.h"

namespace weft::subnet {
namespace {

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> kWidths{
    {{"1x", 1}, {"2x", 16}, {"4x", 2}, {"8x", 4}, {"12x", 8}}};  // the narrowest first

struct NamedSpeed {
  std::string_view name;
  std::uint8_t speed;
  std::uint8_t speed_ext;
};
constexpr std::array kSpeeds{NamedSpeed{"SDR", 1, 0},   NamedSpeed{"DDR", 2, 0}, NamedSpeed{"QDR", 4, 0},
                             NamedSpeed{"FDR10", 4, 0}, NamedSpeed{"FDR", 4, 1}, NamedSpeed{"EDR", 4, 2},
                             NamedSpeed{"HDR", 4, 4},   NamedSpeed{"NDR", 4, 8}, NamedSpeed{"XDR", 4, 8}};

/// The bit and all that are lower.
constexpr std::uint8_t up_to(std::uint8_t bit) {
  return bit == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(bit | (bit - 1));
}

constexpr std::uint8_t highest(std::uint8_t bits) {
  std::uint8_t bit = 0x80;
  while (bit != 0 && (bits & bit) == 0) {
    bit = static_cast<std::uint8_t>(bit >> 1U);
  }
  return bit;
}

/// Of one lane, in units of 0.5 Gbps.
struct NominalSpeed {
  std::string_view name;
  std::int64_t rate;
};
constexpr std::array kNominalSpeeds{NominalSpeed{"SDR", 5},   NominalSpeed{"DDR", 10}, NominalSpeed{"QDR", 20},
                                    NominalSpeed{"FDR", 28},  NominalSpeed{"EDR", 50}, NominalSpeed{"HDR", 100},
                                    NominalSpeed{"NDR", 200}, NominalSpeed{"XDR", 400}};
constexpr std::int64_t kNominalUnit = 500'000'000;

struct NominalWidth {
  std::string_view name;
  std::int64_t lanes;
};
constexpr std::array kNominalWidths{NominalWidth{"4x", 4}, NominalWidth{"1x", 1}, NominalWidth{"2x", 2},
                                    NominalWidth{"8x", 8}, NominalWidth{"12x", 12}};

/// Whether a is nearer to the rate than b by their ratios.
bool is_nearer(std::int64_t a, std::int64_t b, std::int64_t rate) {
  const Int128 a_high = std::max(a, rate);
  const Int128 b_high = std::max(b, rate);
  return a_high * std::min(b, rate) < b_high * std::min(a, rate);
}

}  // namespace

std::string nearest_link(Rate rate) {
  std::int64_t best = 0;
  std::string name;
  for (const NominalWidth& width : kNominalWidths) {
    for (const NominalSpeed& speed : kNominalSpeeds) {
      const std::int64_t nominal = width.lanes * speed.rate * kNominalUnit;
      if (name.empty() || is_nearer(nominal, best, rate.bits_per_second())) {
        best = nominal;
        name = fmt::format("{}{}", width.name, speed.name);
      }
    }
  }
  return name;
}

std::optional<LinkRate> parse_link_rate(std::string_view text) {
  for (const auto& [width_name, width] : kWidths) {
    if (!text.starts_with(width_name)) {
      continue;
    }
    for (const NamedSpeed& speed : kSpeeds) {
      if (text.substr(width_name.size()) == speed.name) {
        return LinkRate{.width = width, .speed = speed.speed, .speed_ext = speed.speed_ext};
      }
    }
  }
  return std::nullopt;
}

void support_rate(wire::PortInfo& port, const LinkRate& rate) {
  port.width_supported = static_cast<std::uint8_t>(rate.width | 1U);
  port.width_enabled = port.width_supported;
  port.speed_supported = up_to(rate.speed);
  port.speed_enabled = port.speed_supported;
  port.speed_ext_supported = up_to(rate.speed_ext);
  port.speed_ext_enabled = port.speed_ext_supported;
}

Rate data_rate(const wire::PortInfo& port) {
  struct Code {
    std::uint8_t bit;
    std::int64_t value;
  };
  constexpr std::array kLanes{Code{1, 1}, Code{2, 4}, Code{4, 8}, Code{8, 12}, Code{16, 2}};
  constexpr std::array kMbps{Code{1, 2'000}, Code{2, 4'000}, Code{4, 8'000}};
  constexpr std::array kExtendedMbps{Code{1, 13'636}, Code{2, 25'000}, Code{4, 50'000}, Code{8, 100'000}};
  std::int64_t lanes = 1;
  std::int64_t mbps = kMbps[0].value;
  for (const Code& code : kLanes) {
    lanes = port.width_active == code.bit ? code.value : lanes;
  }
  for (const Code& code : kMbps) {
    mbps = port.speed_active == code.bit ? code.value : mbps;
  }
  for (const Code& code : kExtendedMbps) {
    mbps = port.speed_ext_active == code.bit ? code.value : mbps;
  }
  return 1_mbps * (lanes * mbps);
}

bool negotiate(wire::PortInfo& a, wire::PortInfo& b) {
  std::uint8_t width = 0;
  for (const auto& [name, bit] : kWidths) {
    width = (a.width_enabled & b.width_enabled & bit) != 0 ? bit : width;
  }
  const std::uint8_t speed = highest(a.speed_enabled & b.speed_enabled);
  const std::uint8_t speed_ext = highest(a.speed_ext_enabled & b.speed_ext_enabled);
  if (width == 0 || speed == 0) {
    return false;
  }
  for (wire::PortInfo* port : {&a, &b}) {
    port->width_active = width;
    port->speed_active = speed;
    port->speed_ext_active = speed_ext;
  }
  return true;
}

}  // namespace weft::subnet
