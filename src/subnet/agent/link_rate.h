// Width and speed of a link as PortInfo encodes them, and as tools of OpenFabrics write them: "4xNDR".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/rate.h"
#include "wire/subnet_attributes.h"

namespace weft::subnet {

struct LinkRate {
  std::uint8_t width = 0;      // one bit: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x
  std::uint8_t speed = 0;      // one bit: 1 SDR, 2 DDR, 4 QDR
  std::uint8_t speed_ext = 0;  // one bit: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0: `speed` is all

  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

/// None: neither of such words. FDR10 counts as QDR, whose code it has, and XDR as NDR, the fastest that there is a
/// code for.
[[nodiscard]] std::optional<LinkRate> parse_link_rate(std::string_view text);

/// The width and speed, as tools write them, whose nominal rate is nearest by its ratio; of equals 4x, then the
/// narrowest. Nominal are the sums of the lanes: 2.5 Gbps SDR, 5 DDR, 10 QDR, 14 FDR, 25 EDR, 50 HDR, 100 NDR, 200 XDR.
[[nodiscard]] std::string nearest_link(Rate rate);

/// Of ports of which nothing is known: 4x SDR, as in ibsim.
inline constexpr LinkRate kDefaultLinkRate{.width = 2, .speed = 1};

/// What the port supports and has enabled: the rate and everything below it.
void support_rate(wire::PortInfo& port, const LinkRate& rate);

/// What the link that is active at a port carries: its lanes after their encoding (8b/10b up to QDR, 64b/66b for FDR).
/// Of no active link: that of 1x SDR.
[[nodiscard]] Rate data_rate(const wire::PortInfo& port);

/// The fastest that both ends have enabled becomes active at both. False: they have no width or no speed in common.
bool negotiate(wire::PortInfo& a, wire::PortInfo& b);

}  // namespace weft::subnet
