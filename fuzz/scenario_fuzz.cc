// A scenario file of any bytes: refused with one line that has its place, or resolved, shown, and shown the same again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/selector.h"

namespace {

const weft::study::scenario::Catalogue& catalogue() {
  static const weft::study::scenario::Catalogue kCatalogue =
      weft::study::scenario::Catalogue::load(std::nullopt).value();
  return kCatalogue;
}

void check(std::string_view text, const weft::study::scenario::ScenarioRequest& request) {
  const auto scenario = weft::study::scenario::parse_scenario(text, request, catalogue());
  if (!scenario) {
    const auto& message = scenario.error().message;
    WEFT_ASSERT(message.starts_with("fuzz.toml") && message.find('\n') == std::string::npos);
    return;
  }
  const auto shown = weft::study::scenario::listing_text(*scenario);
  WEFT_ASSERT(!shown.empty());
  WEFT_ASSERT(shown ==
              weft::study::scenario::listing_text(*weft::study::scenario::parse_scenario(text, request, catalogue())));
  for (const auto& override : scenario->overrides) {
    // Applying a checked override cannot fail.
    static_cast<void>(weft::study::scenario::settings_of_port(*scenario, override.select));
    static_cast<void>(weft::study::scenario::selects_device(override.select, "pod1/leaf0"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, {.file = "fuzz.toml", .case_name = {}, .settings = {}});
  const auto cases = weft::study::scenario::case_names(text, "fuzz.toml");
  if (cases && !cases->empty()) {
    check(text, {.file = "fuzz.toml", .case_name = cases->back(), .settings = {}});
  }
  return 0;
}
