#include "study/claims/comparison_reading.h"

#include <algorithm>

namespace weft::study::claims {

const report::ComparedFabric* ComparisonReading::fabric(std::string_view name) const {
  const auto found = std::ranges::find_if(
      comparison_.fabrics, [name](const report::ComparedFabric& own) { return own.possible && own.name == name; });
  return found == comparison_.fabrics.end() ? nullptr : &*found;
}

std::optional<Seconds> ComparisonReading::step_time(std::string_view fabric) const {
  const report::ComparedFabric* own = this->fabric(fabric);
  if (own == nullptr || !own->step.mean) {
    return std::nullopt;
  }
  const double mean = *own->step.mean;
  return Seconds{.mean = mean, .low = own->step.low.value_or(mean), .high = own->step.high.value_or(mean)};
}

std::optional<double> ComparisonReading::cost_usd(std::string_view fabric) const {
  const report::ComparedFabric* own = this->fabric(fabric);
  return own != nullptr ? own->cost_usd : std::nullopt;
}

std::optional<double> ComparisonReading::power_w(std::string_view fabric) const {
  const report::ComparedFabric* own = this->fabric(fabric);
  return own != nullptr ? own->power : std::nullopt;
}

std::string ComparisonReading::job() const {
  return comparison_.scenario ? comparison_.scenario->job.value_or("") : std::string();
}

}  // namespace weft::study::claims
