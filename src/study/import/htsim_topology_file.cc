#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/format_quantity.h"
#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "base/printable.h"
#include "fabric/topology/option_check.h"
#include "study/import/htsim_topology.h"

namespace weft::study::import {
namespace {

enum class TierKey : std::uint8_t {
  kSpeed,
  kRadixDown,
  kRadixUp,
  kLatency,
  kSwitchLatency,
  kBundle,
  kOversubscribed,
  kQueueUp,
  kQueueDown
};

struct TierKeyRow {
  std::string_view word;  // in lower case
  TierKey key;
  HtsimRange range;
};

constexpr std::uint64_t kMostRadix = 1024;
constexpr std::array<TierKeyRow, 9> kTierKeys{{
    {"downlink_speed_gbps", TierKey::kSpeed, {.least = 1, .most = 10'000}},
    {"radix_down", TierKey::kRadixDown, {.least = 1, .most = kMostRadix}},
    {"radix_up", TierKey::kRadixUp, {.least = 1, .most = kMostRadix}},
    {"downlink_latency_ns", TierKey::kLatency, {.least = 1, .most = 1'000'000'000}},
    {"switch_latency_ns", TierKey::kSwitchLatency, {.least = 0, .most = 1'000'000'000}},
    {"bundle", TierKey::kBundle, {.least = 1, .most = kMostRadix}},
    {"oversubscribed", TierKey::kOversubscribed, {.least = 1, .most = kMostRadix}},
    {"queue_up", TierKey::kQueueUp, {.least = 0, .most = std::numeric_limits<std::int32_t>::max()}},
    {"queue_down", TierKey::kQueueDown, {.least = 0, .most = std::numeric_limits<std::int32_t>::max()}},
}};
constexpr std::array<std::string_view, 3> kHeaderKeys{"nodes", "tiers", "podsize"};

/// A tier as the file has it.
struct TierText {
  std::size_t line = 0;
  std::map<TierKey, std::uint64_t> values;

  [[nodiscard]] std::uint64_t value(TierKey key, std::uint64_t otherwise) const {
    const auto found = values.find(key);
    return found == values.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::uint32_t count(TierKey key) const { return static_cast<std::uint32_t>(value(key, 1)); }
};

class TopologyParser {
 public:
  explicit TopologyParser(const HtsimText& source) : lines_(source) {}

  Result<HtsimTopology> parse() && {
    while (lines_.next()) {
      if (Result<void> taken = take_line(); !taken) {
        return pass_on(taken);
      }
    }
    if (Result<void> complete = check_complete(); !complete) {
      return pass_on(complete);
    }
    return assemble();
  }

 private:
  Result<void> take_line() {
    const std::string word = lower_case(lines_.words()[0].text);
    if (lines_.words().size() > 2) {
      return lines_.fault(2, {fmt::format("'{}' has one number", excerpt(word))});
    }
    if (word == "tier") {
      return take_tier();
    }
    if (const auto header = std::ranges::find(kHeaderKeys, word); header != kHeaderKeys.end()) {
      return take_header(static_cast<std::size_t>(header - kHeaderKeys.begin()));
    }
    const auto row = std::ranges::find(kTierKeys, word, &TierKeyRow::word);
    if (row == kTierKeys.end()) {
      std::vector<std::string_view> known(kHeaderKeys.begin(), kHeaderKeys.end());
      known.emplace_back("tier");
      for (const TierKeyRow& each : kTierKeys) {
        known.push_back(each.word);
      }
      const std::string shown = excerpt(word);
      return lines_.fault(0, unknown_word({.kind = "key", .word = shown, .valid = known}));
    }
    if (!tier_) {
      return lines_.fault(0, {fmt::format("'{}' needs a 'Tier NUMBER' above it", row->word)});
    }
    Result<std::uint64_t> number = lines_.number(1, row->word, row->range);
    if (!number) {
      return pass_on(number);
    }
    if (!tiers_[*tier_].values.emplace(row->key, *number).second) {
      return lines_.fault(0, {fmt::format("'{}' is given twice for tier {}", row->word, *tier_)});
    }
    return {};
  }

  Result<void> take_header(std::size_t which) {
    if (tier_) {
      return lines_.fault(0, {fmt::format("'{}' must stand before the first tier", kHeaderKeys[which])});
    }
    if (header_[which]) {
      return lines_.fault(0, {fmt::format("'{}' is given twice", kHeaderKeys[which])});
    }
    const HtsimRange range = which == 1 ? HtsimRange{.least = 2, .most = 3} : HtsimRange{.least = 1, .most = 1'000'000};
    Result<std::uint64_t> number = lines_.number(1, kHeaderKeys[which], range);
    if (!number) {
      return pass_on(number);
    }
    header_[which] = static_cast<std::uint32_t>(*number);
    return {};
  }

  Result<void> take_tier() {
    Result<std::uint64_t> number = lines_.number(1, "the tier", {.least = 0, .most = header_[1].value_or(3) - 1});
    if (!number) {
      return pass_on(number);
    }
    tier_ = static_cast<std::size_t>(*number);
    if (tiers_[*tier_].line != 0) {
      return lines_.fault(0, {fmt::format("tier {} begins in line {} already", *tier_, tiers_[*tier_].line)});
    }
    tiers_[*tier_].line = lines_.line();
    return {};
  }

  Result<void> check_complete() const {
    for (std::size_t i = 0; i < kHeaderKeys.size(); ++i) {
      if (!header_[i]) {
        return fail("{}: '{}' is missing; the file begins with Nodes, Tiers and Podsize", lines_.name(),
                    kHeaderKeys[i]);
      }
    }
    for (std::uint32_t i = 0; i < *header_[1]; ++i) {
      if (tiers_[i].line == 0) {
        return fail("{}: 'Tier {}' is missing", lines_.name(), i);
      }
      const bool is_top = i + 1 == *header_[1];
      for (const TierKey key : {TierKey::kSpeed, TierKey::kRadixDown, TierKey::kRadixUp, TierKey::kLatency}) {
        if (key == TierKey::kRadixUp && is_top) {
          if (tiers_[i].values.contains(key)) {
            return at(i, fmt::format("radix_up of tier {}: the top tier has no uplinks", i));
          }
          continue;
        }
        if (!tiers_[i].values.contains(key)) {
          return at(
              i, fmt::format("{} of tier {} is missing", std::ranges::find(kTierKeys, key, &TierKeyRow::key)->word, i));
        }
      }
    }
    if (tiers_[0].count(TierKey::kBundle) != 1) {
      return at(0, "bundle of tier 0: a host has one link");
    }
    return {};
  }

  [[nodiscard]] tl::unexpected<Error> at(std::size_t tier, std::string message) const {
    return tl::unexpected<Error>(Error{std::move(message)}.at(lines_.place(tiers_[tier].line)));
  }

  Result<HtsimTopology> assemble() const {
    HtsimTopology made{.nodes = *header_[0], .tiers = *header_[1]};
    for (std::uint32_t i = 0; i < made.tiers; ++i) {
      const TierText& text = tiers_[i];
      made.tier[i] = {
          .downlink_speed = static_cast<std::int64_t>(text.value(TierKey::kSpeed, 1)) * 1_gbps,
          .downlink_latency = Duration::nanoseconds(static_cast<std::int64_t>(text.value(TierKey::kLatency, 1))),
          .switch_latency = Duration::nanoseconds(static_cast<std::int64_t>(text.value(TierKey::kSwitchLatency, 0))),
          .radix_down = text.count(TierKey::kRadixDown),
          .radix_up = i + 1 < made.tiers ? text.count(TierKey::kRadixUp) : 0,
          .bundle = text.count(TierKey::kBundle)};
    }
    if (Result<void> split = split_pods(made); !split) {
      return pass_on(split);
    }
    if (made.tiers == 3) {
      if (Result<void> joined = join_cores(made); !joined) {
        return pass_on(joined);
      }
    }
    if (Result<void> fits = check_size(made); !fits) {
      return pass_on(fits);
    }
    return made;
  }

  // A typing error in a count should not fill the memory.
  Result<void> check_size(const HtsimTopology& made) const {
    constexpr std::uint64_t kMostLinks = 4'000'000;
    const std::uint64_t aggs = std::uint64_t{made.pods} * made.aggs_per_pod;
    const std::uint64_t switches = made.leaves() + aggs + made.cores;
    const std::uint64_t links =
        made.nodes + std::uint64_t{made.leaves()} * made.tier[0].radix_up + aggs * made.tier[1].radix_up;
    if (switches > fabric::OptionCheck::kMaxSwitches || links > kMostLinks) {
      return fail("{}: {} switches and {} links; the most are {} and {}", lines_.name(), switches, links,
                  fabric::OptionCheck::kMaxSwitches, kMostLinks);
    }
    return {};
  }

  Result<void> split_pods(HtsimTopology& made) const {
    const std::uint32_t pod = *header_[2];
    const HtsimTier& leaf = made.tier[0];
    const HtsimTier& above = made.tier[1];
    if (made.nodes % pod != 0) {
      return fail("{}: {} nodes are no multiple of the pod size, {}", lines_.name(), made.nodes, pod);
    }
    if (made.tiers == 2 && pod != made.nodes) {
      return fail("{}: two tiers are one pod: the pod size is {}, and must be {}", lines_.name(), pod, made.nodes);
    }
    if (pod % leaf.radix_down != 0) {
      return at(0, fmt::format("a pod of {} nodes is no multiple of radix_down, {}", pod, leaf.radix_down));
    }
    made.pods = made.nodes / pod;
    made.leaves_per_pod = pod / leaf.radix_down;
    if (leaf.radix_up % above.bundle != 0) {
      return at(0,
                fmt::format("radix_up, {}, is no multiple of the bundle of tier 1, {}", leaf.radix_up, above.bundle));
    }
    made.aggs_per_pod = leaf.radix_up / above.bundle;
    if (const std::uint32_t needed = made.leaves_per_pod * above.bundle; above.radix_down != needed) {
      return at(1, fmt::format("radix_down is {}; {} leaves of a pod with bundles of {} need {}", above.radix_down,
                               made.leaves_per_pod, above.bundle, needed));
    }
    return check_ratio(made, 0);
  }

  Result<void> join_cores(HtsimTopology& made) const {
    const HtsimTier& agg = made.tier[1];
    const HtsimTier& core = made.tier[2];
    if (agg.radix_up % core.bundle != 0) {
      return at(1, fmt::format("radix_up, {}, is no multiple of the bundle of tier 2, {}", agg.radix_up, core.bundle));
    }
    made.cores = agg.radix_up / core.bundle * made.aggs_per_pod;
    if (const std::uint32_t needed = made.pods * core.bundle; core.radix_down != needed) {
      return at(2, fmt::format("radix_down is {}; {} pods with bundles of {} need {}", core.radix_down, made.pods,
                               core.bundle, needed));
    }
    return check_ratio(made, 1);
  }

  // Capacity down to capacity up is what the file says.
  Result<void> check_ratio(const HtsimTopology& made, std::uint32_t tier) const {
    const HtsimTier& own = made.tier[tier];
    const auto down = own.radix_down * own.downlink_speed.bits_per_second();
    const auto up = own.radix_up * made.tier[tier + 1].downlink_speed.bits_per_second();
    const std::uint32_t said = tiers_[tier].count(TierKey::kOversubscribed);
    if (down != up * said) {
      return at(tier, fmt::format("{} links of {} down and {} of {} up are no oversubscription of {}", own.radix_down,
                                  own.downlink_speed, own.radix_up, made.tier[tier + 1].downlink_speed, said));
    }
    return {};
  }

  HtsimLines lines_;
  std::array<std::optional<std::uint32_t>, 3> header_{};
  std::optional<std::size_t> tier_;
  std::array<TierText, 3> tiers_{};
};

}  // namespace

Result<HtsimTopology> parse_htsim_topology(const HtsimText& source) { return TopologyParser(source).parse(); }

}  // namespace weft::study::import
