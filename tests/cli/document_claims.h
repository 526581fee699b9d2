// What documents conclude from results files, written beside the sentence in a comment that a reader does not see:
//
//   <!-- holds in two-leaves.json: /fabrics/0/step_time_high_s < /fabrics/1/step_time_low_s -->
//
// Each side is a JSON pointer, a number or a text in quotes; between them stands <, = or ~, which is within one per
// cent.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

namespace weft::test {

struct DocumentClaim {
  std::string file;
  std::string left;
  std::string relation;
  std::string right;

  [[nodiscard]] std::string text() const { return file + ": " + left + " " + relation + " " + right; }
};

inline std::vector<DocumentClaim> claims_of(const std::string& document) {
  static const std::regex kClaim(R"(<!-- holds in ([^ :]+): (\S+|"[^"]*") (<|=|~) (\S+|"[^"]*") -->)");
  std::vector<DocumentClaim> claims;
  for (auto found = std::sregex_iterator(document.begin(), document.end(), kClaim); found != std::sregex_iterator();
       ++found) {
    claims.push_back({.file = (*found)[1], .left = (*found)[2], .relation = (*found)[3], .right = (*found)[4]});
  }
  return claims;
}

/// A side's value; throws if the document does not have it, or if the side is no JSON.
inline nlohmann::json side_of(const nlohmann::json& document, const std::string& side) {
  return side.starts_with('/') ? document.at(nlohmann::json::json_pointer(side)) : nlohmann::json::parse(side);
}

inline bool holds(const nlohmann::json& document, const DocumentClaim& claim) {
  const nlohmann::json left = side_of(document, claim.left);
  const nlohmann::json right = side_of(document, claim.right);
  if (claim.relation == "=") {
    return left == right;
  }
  const double a = left.get<double>();
  const double b = right.get<double>();
  return claim.relation == "<" ? a < b : std::abs(a - b) <= 0.01 * std::max(std::abs(a), std::abs(b));
}

}  // namespace weft::test
