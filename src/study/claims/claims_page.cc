#include "study/claims/claims_page.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace weft::study::claims {
namespace {

constexpr std::string_view kIntroduction = R"(# Claims

What the trade says of InfiniBand, RoCE, iWARP and Ultra Ethernet, and what weft's runs say of that. The sentences
are ours; the letters name the articles that make the statement, listed at the end. Written by

```
weft claims --write docs/claims.md
```

from real runs of the scenarios in [examples/claims](../examples/claims/), each of which says what it tests and where
its numbers come from. A verdict is computed from the figures; its threshold stands in the paragraph of the claim.
*Emerges*: the figure follows from the protocols, with the same hardware for every family. *From the catalogue*: it
follows mostly from a constant of a device or of software ([share/catalogue](../share/catalogue/README.md)), and is only
as good as that. The figures are of small clusters, so that they can be had again in seconds; where size matters, the
paragraph says which.
)";

bool is_measured(const Judged& judged) { return judged.finding.verdict != Verdict::kNotMeasured; }

/// "holds when it is tuned".
std::string verdict_of(const Finding& finding) {
  std::string text(to_string(finding.verdict));
  if (finding.verdict == Verdict::kHoldsWhen) {
    text += " " + finding.condition;
  }
  return text;
}

/// "A, C".
std::string letters_of(const Claim& claim) {
  std::string text;
  for (const char letter : claim.articles) {
    text += text.empty() ? "" : ", ";
    text += letter;
  }
  return text + (claim.contested ? " !" : "");
}

std::string scenario_of(const Claim& claim) {
  return claim.basis == Basis::kScenario ? fmt::format("{}.toml", claim.id) : std::string();
}

std::string evidence_link(const Claim& claim) {
  switch (claim.basis) {
    case Basis::kScenario:
      return fmt::format("[{0}.toml](../examples/claims/{0}.toml)", claim.id);
    case Basis::kComparison:
      return "`weft compare`";
    case Basis::kNothing:
      break;
  }
  return "";
}

std::string sentence(std::string_view text) {
  std::string made(text);
  if (!made.empty() && made[0] >= 'a' && made[0] <= 'z' && made.rfind("iWARP", 0) != 0) {
    made[0] = static_cast<char>(made[0] - 'a' + 'A');
  }
  return made;
}

/// Breaks at spaces; markdown does not mind where.
std::string wrapped(std::string_view text) {
  constexpr std::size_t kColumns = 120;
  std::string made;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (column > 0 && column + 1 + word.size() > kColumns && !word.starts_with('%')) {
      made += '\n';
      column = 0;
    }
    made += column > 0 ? " " : "";
    made += word;
    column += word.size() + (column > 0 ? 1 : 0);
    begin = end + 1;
  }
  return made + "\n";
}

std::string count_line(std::span<const Judged> all) {
  const auto count = [all](Verdict verdict) {
    std::size_t found = 0;
    for (const Judged& judged : all) {
      found += judged.finding.verdict == verdict ? 1 : 0;
    }
    return found;
  };
  const std::size_t open = count(Verdict::kNotMeasured);
  return fmt::format("Of {} claims {} hold, {} hold under a condition, {} do not hold, and {} {} not measured yet.\n",
                     all.size(), count(Verdict::kHolds), count(Verdict::kHoldsWhen), count(Verdict::kDoesNotHold), open,
                     open == 1 ? "is" : "are");
}

std::string table(std::span<const Judged> all) {
  std::string text =
      "| claim | articles | verdict | our figure | origin | scenario |\n"
      "|---|---|---|---|---|---|\n";
  for (const Judged& judged : all) {
    const Finding& finding = judged.finding;
    const bool known = is_measured(judged);
    text += fmt::format("| [{}](#{}): {} | {} | {} | {} | {} | {} |\n", judged.claim.id,
                        known ? judged.claim.id : "not-measured-yet", judged.claim.statement, letters_of(judged.claim),
                        verdict_of(finding), finding.figure, known ? to_string(finding.origin) : "",
                        evidence_link(judged.claim));
  }
  return text;
}

std::string paragraphs(std::span<const Judged> all) {
  std::string text;
  for (const Judged& judged : all) {
    if (is_measured(judged)) {
      text += fmt::format("\n### {}\n\n", judged.claim.id);
      text += wrapped(fmt::format("{}: **{}**; {}.", sentence(judged.claim.statement), verdict_of(judged.finding),
                                  to_string(judged.finding.origin)));
      text += "\n" + wrapped(judged.finding.text);
    }
  }
  return text;
}

std::string contradictions(std::span<const Judged> all) {
  std::string text;
  for (const Judged& judged : all) {
    if (judged.claim.contested) {
      const std::string verdict = is_measured(judged)
                                      ? fmt::format("{}; {}", verdict_of(judged.finding), judged.finding.figure)
                                      : fmt::format("not measured yet: {}", judged.finding.condition);
      text += wrapped(fmt::format("- `{}` (articles {}): {}. Figures: {}.", judged.claim.id, judged.claim.articles,
                                  judged.claim.statement, verdict));
    }
  }
  return text;
}

std::string missing(std::span<const Judged> all) {
  std::string text = "| claim | what is missing |\n|---|---|\n";
  for (const Judged& judged : all) {
    if (!is_measured(judged)) {
      text += fmt::format("| `{}`: {} | {} |\n", judged.claim.id, judged.claim.statement, judged.finding.condition);
    }
  }
  return text;
}

nlohmann::ordered_json to_json(const Judged& judged) {
  const Finding& finding = judged.finding;
  nlohmann::ordered_json json{{"id", judged.claim.id}, {"claim", judged.claim.statement}};
  json["articles"] = nlohmann::ordered_json::array();
  for (const char letter : judged.claim.articles) {
    json["articles"].push_back(std::string(1, letter));
  }
  json["contested"] = judged.claim.contested;
  if (const std::string scenario = scenario_of(judged.claim); !scenario.empty()) {
    json["scenario"] = scenario;
  }
  json["verdict"] = to_string(finding.verdict);
  if (!is_measured(judged)) {
    json["reason"] = finding.condition;
    return json;
  }
  if (!finding.condition.empty()) {
    json["condition"] = finding.condition;
  }
  json["origin"] = to_string(finding.origin);
  json["figure"] = finding.figure;
  json["text"] = finding.text;
  json["figures"] = nlohmann::ordered_json::array();
  for (const Figure& figure : finding.figures) {
    json["figures"].push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
  }
  return json;
}

}  // namespace

std::string claims_page(std::span<const Judged> all) {
  std::string text(kIntroduction);
  text += "\n" + count_line(all) + "\n" + table(all);
  text += "\n## What was measured\n" + paragraphs(all);
  text +=
      "\n## Where the articles contradict one another\n\n"
      "Claims marked ! above: no side is taken, the figures decide.\n\n" +
      contradictions(all);
  text += "\n## Not measured yet\n\n" + missing(all);
  text += "\n## Articles\n\n";
  for (const Article& article : articles()) {
    text += fmt::format("- **{}** {}\n", article.letter, article.title);
  }
  return text;
}

std::string claim_text(const Judged& judged) {
  const Finding& finding = judged.finding;
  if (!is_measured(judged)) {
    return fmt::format("{}\n  not measured yet: {}\n", judged.claim.id, finding.condition);
  }
  return fmt::format("{}: {}\n  {}; {}\n  {}\n", judged.claim.id, judged.claim.statement, verdict_of(finding),
                     to_string(finding.origin), finding.figure);
}

nlohmann::ordered_json claims_json(std::span<const Judged> all) {
  nlohmann::ordered_json json = {{"claims", nlohmann::ordered_json::array()}};
  for (const Judged& judged : all) {
    json["claims"].push_back(to_json(judged));
  }
  return json;
}

}  // namespace weft::study::claims
