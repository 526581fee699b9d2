#include "cli/help_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_word.h"
#include "cli/concepts.h"
#include "cli/exit_status.h"
#include "cli/manual.h"

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
  fmt::print("\nTerms that 'weft help TERM' explains:\n");
  for (const Concept& entry : concepts) {
    fmt::print("  {}\n", entry.term);
  }
}

void print_entry(const Concept& entry) {
  fmt::print("{}\n\n{}\n\n  folder:       {}\n  scenario key: {}\n  example:      {}\n", entry.term, entry.text,
             entry.folder, entry.scenario_key, entry.example);
}

void print_suggestions(const std::vector<ManualPage>& pages, const std::vector<Concept>& concepts,
                       const std::string& name) {
  std::vector<std::string_view> names;
  for (const ManualPage& page : pages) {
    names.push_back(page.name);
  }
  std::vector<std::string> nearest = nearest_concepts(concepts, name, kSuggestions);
  if (const auto page = nearest_word(name, names)) {
    nearest.insert(nearest.begin(), std::string(*page));
  }
  fmt::print(stderr, "weft help: no term '{}'; ", name);
  if (nearest.empty()) {
    fmt::print(stderr, "'weft help' lists all {}\n", pages.size() + concepts.size());
  } else {
    fmt::print(stderr, "did you mean: {}?\n", fmt::join(nearest, ", "));
  }
}

int run_help(const std::string& name) {
  const std::vector<ManualPage> pages = parse_manual(manual_text());
  const std::vector<Concept> concepts = parse_concepts(concepts_text());
  if (name.empty()) {
    print_names(pages, concepts);
    return kSuccess;
  }
  // A subcommand's name is asked for to use it, also where it is a term of the field.
  if (const ManualPage* page = find_page(pages, name)) {
    fmt::print("{}", page_text(*page, kColumns));
    return kSuccess;
  }
  if (const Concept* entry = find_concept(concepts, name)) {
    print_entry(*entry);
    return kSuccess;
  }
  print_suggestions(pages, concepts, name);
  return kUsageError;
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("help", "Print the manual page of a subcommand, or explain a term of the field");
  const CLI::Option* name =
      command->add_option("NAME", "A subcommand, or a term in one or several words; none: all names")
          ->expected(1, kAnyNumber)
          ->allow_extra_args();
  command->footer("Exit status: 0 printed, 2 there is neither a page nor a term of that name.");
  // The option belongs to the app, which outlives the call-back.
  command->callback(
      [name, &exit_status] { exit_status = run_help(fmt::format("{}", fmt::join(name->results(), " "))); });
}

}  // namespace weft::cli
