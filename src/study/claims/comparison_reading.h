// Figures of a comparison document (`weft compare --json`), as far as claims need them. What the document does not have
// is absent: weft compare leaves out what was not measured.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::study::claims {

/// How much a fabric's step time suffers from plausible wrong settings: relative losses, 0.3 for 30 %.
struct TuningRisk {
  double median = 0;
  double worst = 0;
  std::string worst_setting;
};
struct TuningRiskAt {
  std::size_t gpus = 0;
  TuningRisk risk;
};

struct Seconds {
  double mean = 0;
  double low = 0;  // of the confidence interval; the mean with one seed
  double high = 0;
};

class ComparisonReading {
 public:
  /// The document must outlive it.
  explicit ComparisonReading(const nlohmann::ordered_json& document) : document_(document) {}

  [[nodiscard]] std::optional<Seconds> step_time(std::string_view fabric) const;
  [[nodiscard]] std::optional<double> cost_usd(std::string_view fabric) const;
  [[nodiscard]] std::optional<double> power_w(std::string_view fabric) const;
  /// Settings that have to be right, and devices that they are on.
  [[nodiscard]] std::optional<double> settings(std::string_view fabric) const;
  [[nodiscard]] std::optional<double> devices(std::string_view fabric) const;
  [[nodiscard]] std::optional<TuningRisk> tuning_risk(std::string_view fabric) const;
  /// Smallest cluster first; empty if fewer than two sizes were measured.
  [[nodiscard]] std::vector<TuningRiskAt> tuning_risk_by_size(std::string_view fabric) const;
  /// "llama3-8b on 128 GPUs".
  [[nodiscard]] std::string job() const;

 private:
  [[nodiscard]] const nlohmann::ordered_json& fabric(std::string_view name) const;
  [[nodiscard]] std::optional<double> number(std::string_view fabric, std::string_view key) const;

  const nlohmann::ordered_json& document_;
};

}  // namespace weft::study::claims
