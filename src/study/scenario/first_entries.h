// The entries of the catalogue that have to be known before anything else of a scenario can be resolved: its family,
// and those that set up much at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario_resolve.h"

namespace weft::study::scenario {

/// A tuning of the fabric (`fabric.tuning`), or a scheme of load balancing (`routing.scheme`).
struct Package {
  const CatalogueEntry* entry = nullptr;
  Origin named_by = Origin::kDefault;
};

struct FirstEntries {
  const CatalogueEntry* family = nullptr;
  std::vector<Package> packages{};  // the stronger later: the tuning, then the scheme; none for "default"
};

/// Errors: no family; a name that the catalogue has not, or that does not serve the family, with its place in `file` or
/// on the command line and the names that do.
[[nodiscard]] Result<FirstEntries> first_entries(std::span<const ResolveLayer> layers, const std::string& file,
                                                 const Catalogue& catalogue);

}  // namespace weft::study::scenario
