// The whole catalogue as `weft catalogue` lists it: entries of all kinds in one form, models and GPUs among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"

namespace weft::study::scenario {

struct ListedParameter {
  std::string key;    // "switch.buffer", "memory_rate"
  std::string value;  // as TOML has it
  Mark mark = Mark::kGuess;
  std::string source;
};

struct ListedEntry {
  std::string kind;
  std::string name;
  std::string place;  // "switches.toml:12:2"; in a folder of the user with its path
  std::string about;
  std::vector<std::string> families;  // that it can serve; empty: all
  std::string stands_for;
  std::string needs_of_nic;
  std::string needs_of_switch;
  std::vector<ListedParameter> values;
};

/// A kind of entries, in a line.
[[nodiscard]] std::string_view about_kind(std::string_view kind);

class CatalogueListing {
 public:
  /// The embedded entries, then those of `directory`/*.toml. Errors have their place in a file.
  [[nodiscard]] static Result<CatalogueListing> load(const std::optional<std::string>& directory);

  /// In the order of the files.
  [[nodiscard]] const std::vector<ListedEntry>& entries() const { return entries_; }
  /// In the order of their first entries.
  [[nodiscard]] std::vector<std::string> kinds() const;
  [[nodiscard]] std::vector<const ListedEntry*> of_kind(std::string_view kind) const;
  /// What "tomahawk-5", "switch/tomahawk-5" or "switch tomahawk-5" names: several kinds may have an entry of a name. In
  /// any case of letters. Errors: there is none, with the nearest names and kinds.
  [[nodiscard]] Result<std::vector<const ListedEntry*>> find(std::string_view name) const;

 private:
  std::vector<ListedEntry> entries_;
};

}  // namespace weft::study::scenario
