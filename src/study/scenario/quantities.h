// Quantities that only scenarios and the catalogue know: length, power, money, the price of energy, two kinds of ratio.
//
// All exact integers. Texts: "5 m", "1.5 km"; "450 W", "1.2 kW"; "12000 USD"; "0.12 USD/kWh"; "1/8", "4"; "2:1".
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace weft::study::scenario {

/// A number of thousandths of a unit; `Tag` says which unit, so that the kinds do not mix.
template <class Tag>
struct Milli {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(Milli, Milli) = default;
};

using Length = Milli<struct LengthTag>;            // millimetres
using Power = Milli<struct PowerTag>;              // milliwatts
using Money = Milli<struct MoneyTag>;              // thousandths of a US dollar
using EnergyPrice = Milli<struct EnergyPriceTag>;  // thousandths of a US dollar per kilowatt-hour

/// The time light needs in fibre or a signal in copper: 5 ns per metre, length >= 0.
[[nodiscard]] constexpr Duration propagation_of(Length length) { return Duration::picoseconds(length.count * 5); }

/// 2^exponent: the alpha of dynamic buffer thresholds.
struct PowerOfTwo {
  std::int8_t exponent = 0;
  friend constexpr auto operator<=>(PowerOfTwo, PowerOfTwo) = default;
};

/// Down to up capacity of a switch tier, "2:1". Both > 0.
struct Oversubscription {
  std::int32_t down = 1;
  std::int32_t up = 1;
  friend constexpr bool operator==(Oversubscription, Oversubscription) = default;
};

/// Units m, km.
[[nodiscard]] Result<Length> parse_length(std::string_view text);
/// Units W, kW.
[[nodiscard]] Result<Power> parse_power(std::string_view text);
/// Unit USD.
[[nodiscard]] Result<Money> parse_money(std::string_view text);
/// Unit USD/kWh.
[[nodiscard]] Result<EnergyPrice> parse_energy_price(std::string_view text);
/// "1/128" to "128".
[[nodiscard]] Result<PowerOfTwo> parse_power_of_two(std::string_view text);
/// "N:M" with both from 1 to 1024.
[[nodiscard]] Result<Oversubscription> parse_oversubscription(std::string_view text);

/// Texts that the functions above understand again.
[[nodiscard]] std::string to_string(Length value);
[[nodiscard]] std::string to_string(Power value);
[[nodiscard]] std::string to_string(Money value);
[[nodiscard]] std::string to_string(EnergyPrice value);
[[nodiscard]] std::string to_string(PowerOfTwo value);
[[nodiscard]] std::string to_string(Oversubscription value);

}  // namespace weft::study::scenario
