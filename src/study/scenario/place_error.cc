#include "study/scenario/place_error.h"

#include <fmt/core.h>

#include <cctype>
#include <string>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t find_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_given(const Scenario& scenario, const std::string& path) {
  const auto source = scenario.sources.find(path);
  if (source == scenario.sources.end()) {
    return false;
  }
  const Origin origin = source->second.origin;
  return origin == Origin::kFile || origin == Origin::kCase || origin == Origin::kSet;
}

bool has_place(const Scenario& scenario, std::string_view message) {
  return (!scenario.file.empty() && message.starts_with(scenario.file + ":")) || message.starts_with("--set ");
}

}  // namespace

tl::unexpected<Error> at_key(const Scenario& scenario, const ErrorTable& table, const Error& error) {
  const std::string_view message = error.message;
  if (has_place(scenario, message)) {
    return tl::unexpected<Error>(error);
  }
  auto path = fmt::format("{}.{}", table.path, table.fallback);
  auto first = std::string_view::npos;
  for (const Key& key : find_section(table.path.substr(0, table.path.find('[')))->keys) {
    const auto named = fmt::format("{}.{}", table.path, key.name);
    const auto at = find_word(message, key.name);
    if (at < first && is_given(scenario, named)) {
      first = at;
      path = named;
    }
  }
  return fail_at(scenario, path, "{}", message);
}

}  // namespace weft::study::scenario
