#include "study/assembly/congestion/congestion_control.h"

#include <algorithm>
#include <array>

#include "study/assembly/congestion/dcqcn.h"
#include "study/assembly/congestion/hpcc.h"
#include "study/assembly/congestion/ib_congestion.h"
#include "study/assembly/congestion/nscc.h"
#include "study/assembly/congestion/rccc.h"
#include "study/assembly/congestion/swift.h"
#include "study/assembly/congestion/timely.h"
#include "transport/congestion/fixed_window.h"

namespace weft::study::assembly {

namespace {

CongestionControls make_fixed_window(const CongestionContext& context) {
  if (!context.window) {
    return {};
  }
  return {.sender = [limit = *context.window] { return std::make_unique<transport::FixedWindow>(limit); },
          .receiver = {},
          .parameters = nullptr};
}

struct Maker {
  scenario::CongestionAlgorithm algorithm = scenario::CongestionAlgorithm::kNone;
  CongestionControls (*make)(const CongestionContext& context) = nullptr;
  bool (*needs_round_trip)(const scenario::Scenario& scenario) = nullptr;  // null: never
};

bool hpcc_measures(const scenario::Scenario& scenario) { return !scenario.hpcc.base_round_trip; }

bool timely_measures(const scenario::Scenario& scenario) { return !scenario.timely.base_round_trip; }

bool always(const scenario::Scenario&) { return true; }

/// In the order of the enumeration.
constexpr std::array kMakers = {
    Maker{.algorithm = scenario::CongestionAlgorithm::kNone, .make = make_fixed_window},
    Maker{.algorithm = scenario::CongestionAlgorithm::kStaticWindow, .make = make_fixed_window},
    Maker{.algorithm = scenario::CongestionAlgorithm::kDcqcn, .make = make_dcqcn},
    Maker{.algorithm = scenario::CongestionAlgorithm::kIbCc, .make = make_ib_congestion},
    Maker{.algorithm = scenario::CongestionAlgorithm::kSwift, .make = make_swift},
    Maker{.algorithm = scenario::CongestionAlgorithm::kHpcc, .make = make_hpcc, .needs_round_trip = hpcc_measures},
    Maker{
        .algorithm = scenario::CongestionAlgorithm::kTimely, .make = make_timely, .needs_round_trip = timely_measures},
    Maker{.algorithm = scenario::CongestionAlgorithm::kNscc, .make = make_nscc, .needs_round_trip = always},
    Maker{.algorithm = scenario::CongestionAlgorithm::kRccc, .make = make_rccc, .needs_round_trip = always},
};
static_assert(kMakers.size() == scenario::kCongestionWords.size());
static_assert(std::ranges::is_sorted(kMakers, {}, &Maker::algorithm));

const Maker& maker_of(const scenario::Scenario& scenario) {
  return kMakers[static_cast<std::size_t>(scenario.congestion.algorithm)];
}

}  // namespace

CongestionControls make_congestion_control(const CongestionContext& context) {
  return maker_of(context.scenario).make(context);
}

bool needs_round_trip(const scenario::Scenario& scenario) {
  const auto needs = maker_of(scenario).needs_round_trip;
  return needs != nullptr && needs(scenario);
}

}  // namespace weft::study::assembly
