#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kCabling = {
    Key{.name = "copper_reach",
        .binding = bind<&CablingSettings::copper_reach>(),
        .fallback = "3 m",
        .about = "Up to this length a link is one direct attach copper cable, without optics.",
        .range = kLength,
        .use = KeyUse::kCost},
    Key{.name = "copper_price",
        .binding = bind<&CablingSettings::copper_price>(),
        .fallback = "0 USD",
        .about = "Of one copper cable.",
        .range = kMoney,
        .use = KeyUse::kCost},
    Key{.name = "multimode_reach",
        .binding = bind<&CablingSettings::multimode_reach>(),
        .fallback = "50 m",
        .about = "Up to this length a link has multimode optics at its ends, beyond it single-mode ones.",
        .range = kLength,
        .use = KeyUse::kCost},
    Key{.name = "multimode_price",
        .binding = bind<&CablingSettings::multimode_price>(),
        .fallback = "0 USD",
        .about = "Of one multimode optic.",
        .range = kMoney,
        .use = KeyUse::kCost},
    Key{.name = "multimode_power",
        .binding = bind<&CablingSettings::multimode_power>(),
        .fallback = "0 W",
        .about = "Of one multimode optic.",
        .range = kPower,
        .use = KeyUse::kCost},
    Key{.name = "single_mode_price",
        .binding = bind<&CablingSettings::single_mode_price>(),
        .fallback = "0 USD",
        .about = "Of one single-mode optic.",
        .range = kMoney,
        .use = KeyUse::kCost},
    Key{.name = "single_mode_power",
        .binding = bind<&CablingSettings::single_mode_power>(),
        .fallback = "0 W",
        .about = "Of one single-mode optic.",
        .range = kPower,
        .use = KeyUse::kCost},
    Key{.name = "fibre_price",
        .binding = bind<&CablingSettings::fibre_price>(),
        .fallback = "0 USD",
        .about = "Of one fibre cable with its connectors, whatever its length.",
        .range = kMoney,
        .use = KeyUse::kCost},
    Key{.name = "fibre_metre_price",
        .binding = bind<&CablingSettings::fibre_metre_price>(),
        .fallback = "0 USD",
        .about = "Price per metre, in addition to `fibre_price`.",
        .range = kMoney,
        .use = KeyUse::kCost},
};

constexpr std::array kGpu = {
    Key{.name = "price",
        .binding = bind<&GpuSettings::price>(),
        .fallback = "none",
        .about = "Of one GPU; `none`: what the catalogue says of the GPU that the first job computes with.",
        .range = kMoney,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "power",
        .binding = bind<&GpuSettings::power>(),
        .fallback = "none",
        .about = "Of one GPU at full load; `none`: likewise.",
        .range = kPower,
        .empty_word = "none",
        .use = KeyUse::kCost},
};

constexpr KeyRange kPerYear = {.low = 0, .high = 100'000'000};

constexpr std::array kCost = {
    Key{.name = "owned",
        .binding = bind<&CostSettings::owned>(),
        .fallback = "[]",
        .about = "Equipment already owned: no purchase cost, but its power counts.",
        .use = KeyUse::kCost},
    Key{.name = "years",
        .binding = bind<&CostSettings::years>(),
        .fallback = "none",
        .about = "How long the cluster runs; without it energy, upkeep and staff are not counted, and the verdict of a "
                 "comparison assumes four years.",
        .range = {.low = 1, .high = 100},
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "energy_price",
        .binding = bind<&CostSettings::energy_price>(),
        .fallback = "none",
        .about = "Price of energy, cooling included if the price includes it. A bill counts that of the network's own "
                 "parts, the verdict of a comparison that of hosts and GPUs too.",
        .range = kMoney,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "upkeep_per_year",
        .binding = bind<&CostSettings::upkeep_per_year>(),
        .fallback = "none",
        .about = "Licences, support contracts and spares.",
        .range = kMoney,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "staff_hours_per_year",
        .binding = bind<&CostSettings::staff_hours_per_year>(),
        .fallback = "none",
        .about = "Hours of work for the network per year; a case may give its own value.",
        .range = kPerYear,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "staff_hour_price",
        .binding = bind<&CostSettings::staff_hour_price>(),
        .fallback = "none",
        .about = "Of one such hour.",
        .range = kMoney,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "other",
        .binding = bind<&CostSettings::other>(),
        .fallback = "none",
        .about =
            "What this network needs beside its own parts, such as a gateway or a second network for other traffic; "
            "a case may give its own value.",
        .range = kMoney,
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "downtime_hours_per_year",
        .binding = bind<&CostSettings::downtime_hours_per_year>(),
        .fallback = "none",
        .about = "Hours per year in which the cluster does no work; a case may give its own value.",
        .range = {.low = 0, .high = 8'759},
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "misconfiguration_probability",
        .binding = bind<&CostSettings::misconfiguration_probability>(),
        .fallback = "none",
        .about = "How likely each setting that the network needs is wrong; a comparison then counts so often what one "
                 "mistake in each costs together. `none`: they stay a separate line.",
        .empty_word = "none",
        .use = KeyUse::kCost},
    Key{.name = "price_uncertainty",
        .binding = bind<&CostSettings::price_uncertainty>(),
        .fallback = "20%",
        .about =
            "How far prices of the catalogue may be off, up or down; prices that the scenario gives are exact. The "
            "verdict of a comparison is clear only if it holds at both ends.",
        .use = KeyUse::kCost},
};

}  // namespace

std::span<const Key> cabling_keys() { return kCabling; }
std::span<const Key> gpu_keys() { return kGpu; }
std::span<const Key> cost_keys() { return kCost; }

}  // namespace weft::study::scenario::key_tables
