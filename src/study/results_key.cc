#include "study/results_key.h"

#include <fmt/format.h>

#include "base/stable_hash.h"
#include "study/scenario_listing.h"

namespace weft::study {
namespace {

/// Pieces with their lengths, so that no two lists of pieces give the same text.
class Digest {
 public:
  void add(std::string_view piece) { text_ += fmt::format("{}:{}", piece.size(), piece); }
  /// A file's contents; a name that is no file (a built-in size distribution) says enough by itself.
  void add_file(const std::string& path) {
    if (!path.empty()) {
      const Result<std::string> contents = read_text_file(path);
      add(contents ? *contents : std::string());
    }
  }
  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}", stable_hash(0, text_)); }

 private:
  std::string text_;
};

void add_raw(Digest& digest, const RawValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.content)) {
    digest.add(*text);
  } else if (const auto* list = std::get_if<RawArray>(&value.content)) {
    digest.add(fmt::format("[{}]", list->size()));
    for (const RawValue& element : *list) {
      add_raw(digest, element);
    }
  } else {
    digest.add(describe(value));
  }
}

void add_catalogue(Digest& digest, const Catalogue& catalogue) {
  for (const CatalogueEntry& entry : catalogue.entries()) {
    digest.add(entry.kind);
    digest.add(entry.name);
    for (const CatalogueValue& value : entry.values) {
      digest.add(path_of(value.given.at));
      add_raw(digest, value.given.value);
    }
  }
}

}  // namespace

std::string run_key(const Scenario& scenario, const Catalogue& catalogue, std::string_view version) {
  Digest digest;
  digest.add(version);
  for (const ListedValue& row : list_values(scenario, Listing::kAll)) {
    digest.add(row.path);
    digest.add(row.value);
  }
  for (const DeviceOverride& override : scenario.overrides) {
    digest.add(override.select);
    for (const Assignment& assignment : override.assignments) {
      digest.add(assignment.path);
      digest.add(assignment.text);
    }
  }
  digest.add_file(scenario.topology.file);
  for (const TrafficSettings& traffic : scenario.traffic) {
    digest.add_file(traffic.file);
    digest.add_file(traffic.cdf);
  }
  add_catalogue(digest, catalogue);
  return digest.hex();
}

}  // namespace weft::study
