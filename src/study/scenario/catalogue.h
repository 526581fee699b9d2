// The catalogue: parameters of devices and protocols, each value with a mark that says how sure it is, and its source.
//
// An entry has a kind ("switch", "dcqcn"), a name, and values for keys of the scenario. share/catalogue/README.md
// describes the files. The embedded entries are always there; those of a folder are added or take their place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/given.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

[[nodiscard]] std::string_view to_string(Mark mark);

struct CatalogueValue {
  Given given;
  Mark mark = Mark::kGuess;
  std::string source;
};

struct CatalogueEntry {
  std::string kind;
  std::string name;
  std::string place{};  // "switches.toml:12:2"
  std::string about;
  std::vector<std::string> families;  // that it can serve; empty: all
  std::string stands_for;             // of a family, a tuning or a scheme: the product or the practice that it is
  std::string needs_of_nic;           // of the same: what NICs must be able to do, beside its protocols
  std::string needs_of_switch;
  std::vector<CatalogueValue> values;

  [[nodiscard]] bool serves(Family family) const;
};

class Catalogue {
 public:
  struct File {
    std::string name;
    std::string text;
  };

  /// The embedded entries, then those of `directory`/*.toml.
  [[nodiscard]] static Result<Catalogue> load(const std::optional<std::string>& directory);
  /// Of these files alone; a later entry of the same kind and name takes the place of an earlier one.
  [[nodiscard]] static Result<Catalogue> read(std::span<const File> files);

  /// Errors name the nearest entry of the kind.
  [[nodiscard]] Result<const CatalogueEntry*> find(std::string_view kind, std::string_view name) const;
  /// The folder that it was loaded with, if any.
  [[nodiscard]] const std::optional<std::string>& directory() const { return directory_; }
  /// In the order of the files.
  [[nodiscard]] std::span<const CatalogueEntry> entries() const { return entries_; }
  /// Names of one kind, for a family if given.
  [[nodiscard]] std::vector<std::string_view> names(std::string_view kind, std::optional<Family> family = {}) const;

 private:
  Result<void> add(const File& file);
  void put(CatalogueEntry entry);

  std::vector<CatalogueEntry> entries_;
  std::optional<std::string> directory_;
};

/// The *.toml of a folder, in the order of their names.
[[nodiscard]] Result<std::vector<Catalogue::File>> read_catalogue_folder(const std::string& directory);

}  // namespace weft::study::scenario
