#include "cluster/launch.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace weft::cluster {
namespace {

constexpr std::uint32_t kMostRanks = 1'000'000;

std::optional<std::uint32_t> number(const char* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  const std::string_view digits = text;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && value <= kMostRanks ? std::optional(value) : std::nullopt;
}

}  // namespace

Launch launch(const std::function<const char*(const char* name)>& environment) {
  const auto rank = number(environment("OMPI_COMM_WORLD_RANK"));
  const auto ranks = number(environment("OMPI_COMM_WORLD_SIZE"));
  if (!rank || !ranks || *rank >= *ranks) {
    const bool is_foreign = number(environment("PMI_SIZE")).value_or(1) > 1;
    return {.rank = is_foreign ? number(environment("PMI_RANK")).value_or(0) : 0, .is_foreign = is_foreign};
  }
  const std::uint32_t local = number(environment("OMPI_COMM_WORLD_LOCAL_SIZE")).value_or(1);
  return {.rank = *rank,
          .ranks = *ranks,
          .local_ranks = local > 0 ? local : 1,
          .is_bound = number(environment("OMPI_MCA_orte_bound_at_launch")).value_or(0) > 0};
}

const Launch& launch() {
  static const Launch kLaunch = launch([](const char* name) -> const char* { return std::getenv(name); });
  return kLaunch;
}

}  // namespace weft::cluster
