#include "study/scenario/congestion/congestion_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_table.h"
#include "study/scenario/scenario.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

using Algorithm = CongestionAlgorithm;
using Feedback = CongestionFeedback;

template <auto Member>
void* part_of(const Target& target, std::size_t) {
  return &(target.scenario->*Member);
}

constexpr std::array kTable = {
    CongestionEntry{.algorithm = Algorithm::kNone},
    CongestionEntry{.algorithm = Algorithm::kStaticWindow},
    CongestionEntry{.algorithm = Algorithm::kDcqcn,
                    .feedback = Feedback::kEcn,
                    .section = "dcqcn",
                    .about = "Parameters of DCQCN.",
                    .default_profile = "connectx",
                    .keys = dcqcn_keys,
                    .settings = part_of<&Scenario::dcqcn>},
    CongestionEntry{.algorithm = Algorithm::kIbCc,
                    .feedback = Feedback::kFecn,
                    .section = "ib_congestion",
                    .about = "Parameters of InfiniBand's congestion control.",
                    .default_profile = "published",
                    .keys = ib_congestion_keys,
                    .settings = part_of<&Scenario::ib_congestion>,
                    .validate = validate_ib_congestion},
    CongestionEntry{.algorithm = Algorithm::kSwift,
                    .feedback = Feedback::kTimestamps,
                    .section = "swift",
                    .about = "Parameters of Swift: a target for the round trip.",
                    .default_profile = "published",
                    .keys = swift_keys,
                    .settings = part_of<&Scenario::swift>,
                    .validate = validate_swift},
    CongestionEntry{.algorithm = Algorithm::kHpcc,
                    .feedback = Feedback::kTelemetry,
                    .section = "hpcc",
                    .about = "Parameters of HPCC: in-band telemetry.",
                    .default_profile = "published",
                    .keys = hpcc_keys,
                    .settings = part_of<&Scenario::hpcc>,
                    .validate = validate_hpcc},
    CongestionEntry{.algorithm = Algorithm::kTimely,
                    .feedback = Feedback::kTimestamps,
                    .section = "timely",
                    .about = "Parameters of TIMELY: the gradient of the round trip.",
                    .default_profile = "published",
                    .keys = timely_keys,
                    .settings = part_of<&Scenario::timely>,
                    .validate = validate_timely},
    CongestionEntry{.algorithm = Algorithm::kNscc,
                    .feedback = Feedback::kUetState,
                    .section = "nscc",
                    .about = "Parameters of NSCC, the sender's congestion control of Ultra Ethernet.",
                    .default_profile = "published",
                    .keys = nscc_keys,
                    .settings = part_of<&Scenario::nscc>,
                    .validate = validate_nscc},
    CongestionEntry{.algorithm = Algorithm::kRccc,
                    .feedback = Feedback::kUetState,
                    .section = "rccc",
                    .about = "Parameters of RCCC, the receiver's congestion control of Ultra Ethernet: credit.",
                    .default_profile = "published",
                    .keys = rccc_keys,
                    .settings = part_of<&Scenario::rccc>,
                    .validate = validate_rccc},
};
static_assert(kTable.size() == kCongestionWords.size());
static_assert(std::ranges::is_sorted(kTable, {}, &CongestionEntry::algorithm));

bool is_carried(Feedback feedback, Family family) {
  const FamilyTraits& traits = traits_of(family);
  if (traits.engine == FamilyEngine::kUet) {
    return feedback == Feedback::kNone || feedback == Feedback::kUetState;
  }
  switch (feedback) {
    case Feedback::kNone:
      return true;
    case Feedback::kEcn:
      return traits.marks == FamilyMarks::kIpHeader;
    case Feedback::kFecn:
      return traits.marks == FamilyMarks::kTransportHeader;
    case Feedback::kUetState:
      return false;
    case Feedback::kTimestamps:
    case Feedback::kTelemetry:
      break;
  }
  return traits.telemetry == FamilyTelemetry::kCarried;
}

std::string_view text_of(Feedback feedback) {
  switch (feedback) {
    case Feedback::kEcn:
      return "ECN marks in an IP header";
    case Feedback::kFecn:
      return "FECN marks";
    case Feedback::kTimestamps:
      return "timestamps, which packets of rocev2 carry";
    case Feedback::kTelemetry:
      return "in-band telemetry, which packets of rocev2 carry";
    case Feedback::kUetState:
      return "what acknowledgements of uet tell";
    case Feedback::kNone:
      break;
  }
  return "nothing";
}

/// "none, static-window or ib-cc"
std::string algorithms_for(Family family) {
  std::vector<std::string_view> words;
  for (const CongestionEntry& entry : kTable) {
    if (is_carried(entry.feedback, family)) {
      words.push_back(word_of(entry.algorithm));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  return text;
}

}  // namespace

std::span<const CongestionEntry> congestion_table() { return kTable; }

const CongestionEntry& entry_of(CongestionAlgorithm algorithm) { return kTable[static_cast<std::size_t>(algorithm)]; }

const CongestionEntry* entry_of_section(std::string_view section) {
  const auto found = std::ranges::find(kTable, section, &CongestionEntry::section);
  return section.empty() || found == kTable.end() ? nullptr : &*found;
}

bool reads_acknowledgements(CongestionAlgorithm algorithm) {
  const Feedback feedback = entry_of(algorithm).feedback;
  return feedback == Feedback::kTimestamps || feedback == Feedback::kTelemetry;
}

Result<void> validate_congestion(const Scenario& scenario) {
  const Family family = scenario.fabric.family;
  const CongestionEntry& entry = entry_of(scenario.congestion.algorithm);
  const std::string path = "congestion_control.algorithm";
  if (entry.algorithm != Algorithm::kNone && is_over_tcp(family)) {
    return fail_at(scenario, path, "{} uses the congestion control of TCP; set congestion_control.algorithm to none",
                   word_of(family));
  }
  if (!is_carried(entry.feedback, family)) {
    return fail_at(scenario, path, "'{}' needs {}; with {} use {}", word_of(entry.algorithm), text_of(entry.feedback),
                   word_of(family), algorithms_for(family));
  }
  if (entry.algorithm == Algorithm::kStaticWindow && !scenario.congestion.window) {
    return fail_at(scenario, path, "'static-window' needs congestion_control.window");
  }
  for (const CongestionEntry& own : kTable) {
    if (own.validate == nullptr) {
      continue;
    }
    if (Result<void> right = own.validate(scenario); !right) {
      return right;
    }
  }
  return {};
}

}  // namespace weft::study::scenario
