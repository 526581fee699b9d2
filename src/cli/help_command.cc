#include "cli/help_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_word.h"
#include "base/text_lines.h"
#include "cli/complain.h"
#include "cli/concepts.h"
#include "cli/exit_status.h"
#include "cli/key_page.h"
#include "cli/manual.h"
#include "cli/manual_roff.h"
#include "cli/terminal.h"
#include "study/scenario/key_help.h"

namespace weft::cli {
namespace {

constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kColumns = 80;
constexpr int kAnyNumber = -1;

void print_names(const std::vector<ManualPage>& pages, const std::vector<Concept>& concepts) {
  fmt::print("Manual pages that 'weft help NAME' prints:\n");
  for (const ManualPage& page : pages) {
    fmt::print("  {}\n", page.name);
  }
  fmt::print("\nTables of the scenario file, whose keys 'weft help TABLE' lists and 'weft help TABLE.KEY' explains:\n");
  for (const study::scenario::Section& section : study::scenario::sections()) {
    fmt::print("  {}\n", section.path.empty() ? "(keys before the first table: name, seed, hardware, stop)"
                                              : study::scenario::title_of(section));
  }
  fmt::print("\nTerms that 'weft help TERM' explains:\n");
  for (const Concept& entry : concepts) {
    fmt::print("  {}\n", entry.term);
  }
}

void print_entry(const Concept& entry) {
  fmt::print("{}\n\n", entry.term);
  for (std::string_view text = entry.text; !text.empty();) {
    fmt::print("{}\n", paragraph(next_line(text), {.first = 0, .rest = 0, .columns = kColumns}));
  }
  const std::pair<std::string_view, const std::string&> fields[] = {
      {"folder:", entry.folder}, {"scenario key:", entry.scenario_key}, {"example:", entry.example}};
  for (const auto& [name, text] : fields) {
    fmt::print("{}\n", labelled_line(name, text, kColumns));
  }
}

/// Names that may have been meant: of keys first where the name is that of a key in form, "link.rat".
std::vector<std::string> suggestions(const std::vector<ManualPage>& pages, const std::vector<Concept>& concepts,
                                     const std::string& name) {
  if (name.find('.') != std::string::npos) {
    return study::scenario::nearest_keys(name, kSuggestions);
  }
  std::vector<std::string_view> names;
  for (const ManualPage& page : pages) {
    names.push_back(page.name);
  }
  std::vector<std::string> nearest = nearest_concepts(concepts, name, kSuggestions);
  if (const auto page = nearest_word(name, names)) {
    nearest.insert(nearest.begin(), std::string(*page));
  }
  return nearest.empty() ? study::scenario::nearest_keys(name, kSuggestions) : nearest;
}

/// Several keys have this name: a line for each.
void print_choice(const std::vector<study::scenario::KeyAt>& keys, const std::string& name) {
  fmt::print("{} keys are called {}; 'weft help' says more of each:\n", keys.size(), name);
  for (const study::scenario::KeyAt& at : keys) {
    fmt::print("  {}\n", study::scenario::general_path(at));
  }
}

/// Whether `name` is one of a table or a key. A table's name is that of a key too where an entry of the catalogue is
/// chosen: [switch] and fabric.switch.
bool print_key(const std::string& name, const study::scenario::Catalogue& catalogue) {
  if (const study::scenario::Section* section = study::scenario::section_called(name)) {
    fmt::print("{}", section_page(*section, kColumns));
    return true;
  }
  const std::vector<study::scenario::KeyAt> keys = study::scenario::keys_called(name);
  if (keys.size() > 1) {
    print_choice(keys, name);
  } else if (keys.size() == 1) {
    fmt::print("{}", key_page(keys.front(), catalogue, kColumns));
  }
  return !keys.empty();
}

/// Headings stand at the beginning of a line, and everything else is indented.
void print_page(const std::string& text) {
  const Colour colour = colour_of(stdout);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    fmt::print("{}\n", toned(line, line.starts_with(' ') ? Tone::kPlain : Tone::kHeading, colour));
  }
}

/// weft(1), weft-NAME(1) or weft-scenario(5) for man(1).
int print_roff(const Manual& manual, const std::string& name) {
  if (name.empty()) {
    fmt::print("{}", overview_roff(manual, WEFT_VERSION));
    return kSuccess;
  }
  if (name == "scenario") {
    fmt::print("{}", scenario_roff(scenario_text(), WEFT_VERSION));
    return kSuccess;
  }
  if (const ManualPage* page = find_page(manual.pages, name)) {
    fmt::print("{}", command_roff(*page, WEFT_VERSION));
    return kSuccess;
  }
  std::vector<std::string_view> names = {"scenario"};
  for (const ManualPage& page : manual.pages) {
    names.push_back(page.name);
  }
  return complain("help", unknown_word({.kind = "manual page", .word = name, .valid = names}), kUsageError);
}

int run_help(const std::string& name, bool roff) {
  const Manual manual = parse_manual(manual_text());
  if (roff) {
    return print_roff(manual, name);
  }
  const std::vector<ManualPage>& pages = manual.pages;
  const std::vector<Concept> concepts = parse_concepts(concepts_text());
  if (name.empty()) {
    print_names(pages, concepts);
    return kSuccess;
  }
  // A subcommand's name is asked for to use it, also where it is a term of the field.
  if (const ManualPage* page = find_page(pages, name)) {
    print_page(page_text(*page, kColumns));
    return kSuccess;
  }
  if (const Concept* entry = find_concept(concepts, name)) {
    print_entry(*entry);
    return kSuccess;
  }
  auto catalogue = study::scenario::Catalogue::load(std::nullopt);
  if (!catalogue) {
    return complain("help", catalogue.error(), kFault);
  }
  if (print_key(name, *catalogue)) {
    return kSuccess;
  }
  const std::vector<std::string> nearest = suggestions(pages, concepts, name);
  const std::string what = name.find('.') == std::string::npos ? "term" : "key";
  return complain(
      "help",
      Error{nearest.empty() ? fmt::format("no {} '{}'; 'weft help' lists all names", what, name)
                            : fmt::format("no {} '{}'; did you mean: {}?", what, name, fmt::join(nearest, ", "))},
      kUsageError);
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand(
      "help", "Print the manual page of a subcommand, or explain a key of the scenario file or a term");
  const CLI::Option* name =
      command
          ->add_option("NAME",
                       "A subcommand, a key such as link.rate, or a term in one or several words; none: all names")
          ->expected(1, kAnyNumber)
          ->allow_extra_args();
  const CLI::Option* man = command->add_flag("--man")->description(
      "The manual page for man(1), of a subcommand or of the scenario file; without a name weft(1)");
  command->footer("Exit status: 0 printed, 2 there is no page, key or term of that name.");
  // The option belongs to the app, which outlives the call-back.
  command->callback([name, man, &exit_status] {
    exit_status = run_help(fmt::format("{}", fmt::join(name->results(), " ")), man->count() > 0);
  });
}

}  // namespace weft::cli
