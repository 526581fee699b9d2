// Claims that were judged, for readers: the page docs/claims.md, lines on a terminal, JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "study/claims/claim_table.h"

namespace weft::study::claims {

struct Judged {
  Claim claim;
  Finding finding;
};

/// Markdown: a table of all, a paragraph for each that was measured, contradictions, what is missing, the articles.
/// Links are relative to docs/.
[[nodiscard]] std::string claims_page(std::span<const Judged> all);

/// Three short lines.
[[nodiscard]] std::string claim_text(const Judged& judged);

/// {"claims": [{id, claim, articles: ["A"], contested, scenario, verdict, condition, origin, figure, text,
/// figures: [{name, value, unit}]}]}. What does not exist is left out; a claim that is not measured has a "reason".
[[nodiscard]] nlohmann::ordered_json claims_json(std::span<const Judged> all);

}  // namespace weft::study::claims
