// Figures of a comparison (`weft compare --json`), as far as claims need them. What it does not have is absent: weft
// compare leaves out what was not measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "study/report/comparison.h"

namespace weft::study::claims {

struct Seconds {
  double mean = 0;
  double low = 0;  // of the confidence interval; the mean with one seed
  double high = 0;
};

class ComparisonReading {
 public:
  /// The comparison must outlive it.
  explicit ComparisonReading(const report::Comparison& comparison) : comparison_(comparison) {}

  [[nodiscard]] std::optional<Seconds> step_time(std::string_view fabric) const;
  [[nodiscard]] std::optional<double> cost_usd(std::string_view fabric) const;
  [[nodiscard]] std::optional<double> power_w(std::string_view fabric) const;
  /// "llama3-8b on 128 GPUs".
  [[nodiscard]] std::string job() const;

 private:
  /// Null: there is none of that name, or it is not possible.
  [[nodiscard]] const report::ComparedFabric* fabric(std::string_view name) const;

  const report::Comparison& comparison_;
};

}  // namespace weft::study::claims
