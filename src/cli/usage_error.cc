#include "cli/usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/nearest_word.h"

namespace weft::cli {
namespace {

/// The subcommand that parsing had reached.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
  }
  return *command;
}

/// "weft pcap check".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : fmt::format("{} {}", full_name(*parent), command.get_name());
}

bool is_option(std::string_view argument) { return argument.starts_with('-') && argument.size() > 1; }

std::string subcommand_error(const CLI::App& command, const std::vector<std::string>& unread) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
  }
  const auto word = std::ranges::find_if_not(unread, is_option);
  if (word == unread.end()) {
    return fmt::format("missing subcommand; one of {}", fmt::join(names, ", "));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return unknown_word({.kind = "subcommand", .word = *word, .valid = views}).message;
}

std::string argument_error(const std::vector<std::string>& unread) {
  const std::string& first = unread.front();
  return is_option(first) ? fmt::format("unknown option '{}'", first) : fmt::format("unexpected argument '{}'", first);
}

/// What the parser says of a value, in the words of other messages.
std::string value_error(const CLI::ParseError& error) {
  constexpr std::string_view kUnread = "Could not convert: ";
  constexpr std::string_view kIs = " = ";
  const std::string_view text = error.what();
  const std::size_t is = text.find(kIs);
  if (!text.starts_with(kUnread) || is == std::string_view::npos) {
    return std::string(text);
  }
  return fmt::format("{}: '{}' is no number that it takes", text.substr(kUnread.size(), is - kUnread.size()),
                     text.substr(is + kIs.size()));
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string name = full_name(command);
  const std::vector<std::string> unread = command.remaining();
  if (!unread.empty() && is_option(unread.front())) {
    return fmt::format("{}: {}; see '{} --help'", name, argument_error(unread), name);
  }
  if (command.get_require_subcommand_min() > 0) {
    return fmt::format("{}: {}", name, subcommand_error(command, unread));
  }
  return fmt::format("{}: {}; see '{} --help'", name, unread.empty() ? value_error(error) : argument_error(unread),
                     name);
}

}  // namespace weft::cli
