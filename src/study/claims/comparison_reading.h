// Figures of a comparison document (`weft compare --json`), as far as claims need them. What the document does not have
// is absent: weft compare leaves out what was not measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft::study::claims {

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
  /// "llama3-8b on 128 GPUs".
  [[nodiscard]] std::string job() const;

 private:
  [[nodiscard]] const nlohmann::ordered_json& fabric(std::string_view name) const;
  [[nodiscard]] std::optional<double> number(std::string_view fabric, std::string_view key) const;

  const nlohmann::ordered_json& document_;
};

}  // namespace weft::study::claims
