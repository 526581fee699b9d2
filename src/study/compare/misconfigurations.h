// Plausible misconfigurations of a fabric, by which tuning risk is measured.
//
// Each changes one thing of a resolved scenario, the way it happens in practice: a threshold off by a factor, a switch
// that was forgotten, a cable that runs at a lower rate. Which ones a fabric has follows from what it depends on:
// pauses, marks, credits, hashes, TCP. Behind the single mistakes stand a few pairs of them, of which each takes away
// what limits the damage of the other.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

struct Misconfiguration {
  std::string name;    // "ECN thresholds too high"
  std::string change;  // "kmin and kmax x 10 on every switch"
  /// What is wrong then: "ECN thresholds". Of several mistakes in one setting one alone can be made. Empty: two at
  /// once, or no setting.
  std::string of{};
  bool fault = false;  // a link is broken, alone or beside a mistake: no misconfiguration
  scenario::Scenario scenario;
};

/// In a fixed order. Errors: those of the topology.
[[nodiscard]] Result<std::vector<Misconfiguration>> misconfigurations_of(const scenario::Scenario& scenario);

}  // namespace weft::study::compare
