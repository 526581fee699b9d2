// Words that recommendations share, whether money or time decides, and cautions, which tables have too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// "infiniband, rocev2 or uet" with " or " as `last`.
[[nodiscard]] std::string joined_names(std::span<const std::string> names, const char* last);

/// Parts of a fabric's caution that others may have as well: what every quick answer says, and the rest.
[[nodiscard]] std::vector<std::string> parts_of_caution(std::string_view caution);

/// Cautions, each once with the fabrics of which it is said, in the order in which they came.
class Cautions {
 public:
  struct Said {
    std::string text;
    std::vector<std::string> names;
  };
  void add(const std::string& name, std::string_view caution);
  [[nodiscard]] const std::vector<Said>& all() const { return said_; }

 private:
  std::vector<Said> said_;
};

/// Why the step or the price of one of these may not hold, with its name. Each has a work cost.
[[nodiscard]] std::optional<std::string> caution_of(std::span<const report::ComparedFabric* const> fabrics);

/// Which prices are the catalogue's, and so indicative, and which are given by the scenario.
[[nodiscard]] std::string prices_text(const report::WorkCost& cost);

}  // namespace weft::study::compare
