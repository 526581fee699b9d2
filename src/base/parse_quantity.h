// Quantities from text: a decimal number and a required unit, with or without spaces between and around them.
//
// "500ns", "1.5 us", "4KiB", "4 kB", "400Gbps", "400 Gb/s", "50 GB/s", "64 packets". Decimals are exact, in integer
// arithmetic: "1.5 ps" is an error, not a rounding. No sign, exponent or digit separator; units are case-sensitive.
// Every error quotes what was found and says what is allowed; the caller adds the place with Error::at.
#pragma once

#include <string_view>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"

namespace weft {

/// Units ps, ns, us, ms, s.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// Units B; kB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB (powers of 1024).
[[nodiscard]] Result<Bytes> parse_bytes(std::string_view text);

/// Units bps to Tbps, also written b/s or bit/s with the same prefixes, and B/s to TB/s (8 bits each).
[[nodiscard]] Result<Rate> parse_rate(std::string_view text);

/// Unit packets (or packet).
[[nodiscard]] Result<Packets> parse_packets(std::string_view text);

/// "1%", "0.5 %" or "0.01"; from 0 to 1, rounded to the nearest 2^-63.
[[nodiscard]] Result<Probability> parse_probability(std::string_view text);

}  // namespace weft
