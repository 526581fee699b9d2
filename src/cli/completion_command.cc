#include "cli/completion_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest_word.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/completion_script.h"
#include "cli/exit_status.h"
#include "cli/manual.h"
#include "study/claims/claim_table.h"
#include "study/compare/fabric_choice.h"
#include "study/scenario/catalogue_listing.h"
#include "study/scenario/key_help.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

std::vector<std::string> key_words() {
  std::vector<std::string> words;
  for (const study::scenario::Section& section : study::scenario::sections()) {
    const bool list = section.shape == study::scenario::SectionShape::kList;
    for (const study::scenario::Key& key : section.keys) {
      words.push_back(study::scenario::path_of(
          {.section = &section, .key = &key, .index = list ? std::optional<std::size_t>(0) : std::nullopt}));
    }
  }
  return words;
}

std::vector<std::string> help_words() {
  std::vector<std::string> words;
  for (const ManualPage& page : parse_manual(manual_text()).pages) {
    words.push_back(page.name);
  }
  for (const study::scenario::Section& section : study::scenario::sections()) {
    for (const study::scenario::Key& key : section.keys) {
      words.push_back(study::scenario::general_path({.section = &section, .key = &key, .index = {}}));
    }
  }
  return words;
}

std::vector<std::string> claim_words() {
  std::vector<std::string> words;
  for (const auto& claim : study::claims::claim_table()) {
    words.emplace_back(claim.id);
  }
  return words;
}

/// Names of one kind, or kinds and names of the whole catalogue.
Result<std::vector<std::string>> catalogue_words(const std::string& what, const std::string& folder) {
  const auto listing =
      study::scenario::CatalogueListing::load(folder.empty() ? std::nullopt : std::optional<std::string>(folder));
  if (!listing) {
    return fail("{}", listing.error().message);
  }
  std::vector<std::string> words = what == "catalogue" ? listing->kinds() : std::vector<std::string>();
  for (const study::scenario::ListedEntry& entry : listing->entries()) {
    if (what == "catalogue" || entry.kind == what) {
      words.push_back(terminal_text(entry.name));
    }
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

Result<std::vector<std::string>> words_called(const CompletionText& text) {
  if (text.what == "keys") {
    return key_words();
  }
  if (text.what == "help") {
    return help_words();
  }
  if (text.what == "claims") {
    return claim_words();
  }
  if (text.what == "fabrics") {
    return study::compare::usual_fabrics();
  }
  if (text.what == "families") {
    const auto& words = study::scenario::WordsOf<study::scenario::Family>::kWords;
    return std::vector<std::string>(words.begin(), words.end());
  }
  return catalogue_words(text.what, text.catalogue);
}

int run_completion(const CLI::App& app, const CompletionText& text) {
  constexpr std::array<std::string_view, 13> kWhat = {"bash",     "zsh",         "keys",      "help",  "claims",
                                                      "fabrics",  "families",    "catalogue", "model", "gpu",
                                                      "scale_up", "collectives", "scheme"};
  if (text.what == "bash") {
    fmt::print("{}", bash_completion(app));
    return kSuccess;
  }
  if (text.what == "zsh") {
    fmt::print("{}", zsh_completion(app));
    return kSuccess;
  }
  if (std::ranges::find(kWhat, text.what) == kWhat.end()) {
    const std::string shown = excerpt(text.what);
    return complain("completion", unknown_word({.kind = "shell or list of words", .word = shown, .valid = kWhat}),
                    kUsageError);
  }
  const auto words = words_called(text);
  if (!words) {
    return complain("completion", words.error(), kUsageError);
  }
  for (const std::string& word : *words) {
    fmt::print("{}\n", word);
  }
  return kSuccess;
}

}  // namespace

void add_completion_command(CLI::App& app, CompletionText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
  command
      ->add_option("SHELL", text.what,
                   "bash or zsh; or the words that the scripts ask for: keys, help, claims, fabrics, families, "
                   "catalogue, model, "
                   "gpu, scale_up, collectives, scheme")
      ->required();
  command->add_option("--catalogue", text.catalogue, "Folder with entries that are completed too")
      ->envname("WEFT_CATALOGUE");
  command->footer("Exit status: 0 printed, 1 it cannot be written, 2 there is no script for that shell.");
  command->callback([&app, &text, &exit_status] { exit_status = run_completion(app, text); });
}

}  // namespace weft::cli
