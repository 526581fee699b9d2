// Industry claims about these networks, in weft's words, and how each is measured.
//
// A claim is one line of a table and one function; its scenario is examples/claims/ID.toml. The function computes its
// verdict from figures alone. Claims whose parts weft does not have yet are listed with what is missing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "study/claims/finding.h"
#include "study/claims/readings.h"

namespace weft::study::claims {

struct Article {
  char letter;
  std::string_view title;
};
/// Where the statements are made.
[[nodiscard]] std::span<const Article> articles();

/// What the verdict rests on.
enum class Basis : std::uint8_t {
  kScenario,    // runs of examples/claims/ID.toml
  kComparison,  // a document of `weft compare`
  kNothing,     // not measured yet
};

struct Claim {
  std::string_view id;
  std::string_view statement;
  std::string_view articles;  // letters: "AC"
  bool contested = false;     // articles contradict one another here
  Basis basis = Basis::kNothing;
  Finding (*measure)(Readings& readings) = nullptr;  // null: not measured yet
  std::string_view missing{};                        // what there has to be for a verdict
};

/// In the order of the page.
[[nodiscard]] std::span<const Claim> claim_table();

/// Runs what the claim needs. Errors: its scenario is not what the function expects, or a run failed.
[[nodiscard]] Result<Finding> measure(const Claim& claim, ClaimRunner& runner);

}  // namespace weft::study::claims
