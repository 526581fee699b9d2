// What a scenario says of money: the parts of its cables, what is already there, and what running the network costs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/probability.h"
#include "base/rate.h"
#include "study/scenario/quantities.h"

namespace weft::study::scenario {

/// [cabling.X]: the parts of a cable of up to one rate. Prices are of one piece.
struct CablingSettings {
  Length copper_reach;  // direct attach copper up to here, without optics
  Money copper_price;
  Length multimode_reach;  // multimode optics up to here, single-mode ones beyond
  Money multimode_price;
  Power multimode_power;
  Money single_mode_price;
  Power single_mode_power;
  Money fibre_price;  // with its connectors
  Money fibre_metre_price;
};

/// Rates that parts are made for; a link takes those of the next one, and above the last several in parallel.
inline constexpr std::array<std::string_view, 7> kCablingNames = {"10g", "25g", "40g", "100g", "200g", "400g", "800g"};
inline constexpr std::array<Rate, kCablingNames.size()> kCablingRates = {
    Rate::bits_per_second(10'000'000'000),  Rate::bits_per_second(25'000'000'000),
    Rate::bits_per_second(40'000'000'000),  Rate::bits_per_second(100'000'000'000),
    Rate::bits_per_second(200'000'000'000), Rate::bits_per_second(400'000'000'000),
    Rate::bits_per_second(800'000'000'000)};

/// Which of them a link of that rate takes.
[[nodiscard]] constexpr std::size_t cabling_class(Rate rate) {
  std::size_t index = 0;
  while (index + 1 < kCablingRates.size() && kCablingRates[index] < rate) {
    ++index;
  }
  return index;
}

/// [gpu]: what a GPU costs and takes; not given: what the catalogue says of the GPU that the first job computes with.
struct GpuSettings {
  std::optional<Money> price;
  std::optional<Power> power;  // at full load
};

enum class BillPart : std::uint8_t { kSwitch, kNic, kOptic, kCable };

/// [cost]: inputs of the user. What is not given is not counted.
struct CostSettings {
  std::vector<BillPart> owned;
  std::optional<Money> upkeep_per_year;
  std::optional<std::int64_t> staff_hours_per_year;
  std::optional<Money> staff_hour_price;
  std::optional<EnergyPrice> energy_price;
  std::optional<std::int64_t> years;
  std::optional<Money> other;                           // what this network needs beside its own parts
  std::optional<std::int64_t> downtime_hours_per_year;  // without any work done
  std::optional<Probability> misconfiguration_probability;
  Probability price_uncertainty;  // of prices that the scenario does not give
};

}  // namespace weft::study::scenario
