#include "cli/help_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/concepts.h"
#include "cli/exit_status.h"

namespace weft::cli {
namespace {

constexpr std::size_t kSuggestions = 3;
constexpr int kAnyNumber = -1;

void print_terms(const std::vector<Concept>& concepts) {
  fmt::print("Terms that 'weft help TERM' explains:\n");
  for (const Concept& entry : concepts) {
    fmt::print("  {}\n", entry.term);
  }
}

void print_entry(const Concept& entry) {
  fmt::print("{}\n\n{}\n\n  folder:       {}\n  scenario key: {}\n  example:      {}\n", entry.term, entry.text,
             entry.folder, entry.scenario_key, entry.example);
}

void print_suggestions(const std::vector<Concept>& concepts, const std::string& term) {
  const std::vector<std::string> nearest = nearest_concepts(concepts, term, kSuggestions);
  fmt::print(stderr, "weft help: no term '{}'; ", term);
  if (nearest.empty()) {
    fmt::print(stderr, "'weft help' lists all {}\n", concepts.size());
  } else {
    fmt::print(stderr, "did you mean: {}?\n", fmt::join(nearest, ", "));
  }
}

/// The help of a subcommand, for those who write `weft help pcap`.
bool print_subcommand_help(const CLI::App& app, const std::string& name) {
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (subcommand->get_name() == name) {
      fmt::print("{}", subcommand->help(app.get_name()));
      return true;
    }
  }
  return false;
}

int run_help(const CLI::App& app, const std::string& term) {
  const std::vector<Concept> concepts = parse_concepts(concepts_text());
  if (term.empty()) {
    print_terms(concepts);
    return kSuccess;
  }
  if (const Concept* entry = find_concept(concepts, term)) {
    print_entry(*entry);
    return kSuccess;
  }
  if (print_subcommand_help(app, term)) {
    return kSuccess;
  }
  print_suggestions(concepts, term);
  return kUsageError;
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("help", "Explain a term of the field, or list the terms");
  const CLI::Option* term =
      command->add_option("TERM", "A term, in one or several words")->expected(1, kAnyNumber)->allow_extra_args();
  // The option belongs to the app, which outlives the call-back.
  command->callback(
      [&app, term, &exit_status] { exit_status = run_help(app, fmt::format("{}", fmt::join(term->results(), " "))); });
}

}  // namespace weft::cli
