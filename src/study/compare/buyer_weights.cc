#include "study/compare/buyer_weights.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace weft::study::compare {

Result<BuyerWeights> parse_weights(const std::string& text) {
  for (const BuyerWeights& preset : {BuyerWeights{.name = "money", .speed = 0, .budget = 0, .tuning = 0},
                                     BuyerWeights{.name = "balanced", .speed = 1, .budget = 1, .tuning = 1},
                                     BuyerWeights{.name = "peak-performance", .speed = 10, .budget = 1, .tuning = 1},
                                     BuyerWeights{.name = "existing-ethernet", .speed = 1, .budget = 3, .tuning = 1}}) {
    if (text == preset.name) {
      return preset;
    }
  }
  constexpr std::string_view kRight =
      "money, balanced, peak-performance, existing-ethernet, or such as speed=5,budget=2,tuning=1";
  BuyerWeights own{.name = "own", .speed = 0, .budget = 0, .tuning = 0};
  std::map<std::string_view, double*> weights = {
      {"speed", &own.speed}, {"budget", &own.budget}, {"tuning", &own.tuning}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = std::string_view(text).substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    const auto found = weights.find(item.substr(0, equals));
    double value = 0;
    const char* const last = item.data() + item.size();
    if (found == weights.end() || equals == std::string_view::npos ||
        std::from_chars(item.data() + equals + 1, last, value).ptr != last || !(value >= 0 && value <= 1e6)) {
      return fail("weights '{}': found '{}'; {}", text, item, kRight);
    }
    *found->second = value;
    begin = end + 1;
  }
  if (own.speed + own.budget + own.tuning <= 0) {
    return fail("weights '{}': all are zero; {}", text, kRight);
  }
  return own;
}

}  // namespace weft::study::compare
