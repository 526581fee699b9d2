#include "cli/concepts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/nearest_word.h"

namespace weft::cli {
namespace {

constexpr std::string_view kHeading = "## ";

// Lower case, one kind of separator: what two spellings of a term are compared by.
std::string normalized(std::string_view term) {
  std::string key;
  for (const char c : term) {
    key += c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

// "Connection management (CM)" is known by that, by "connection management" and by "cm".
std::vector<std::string> names_of(const Concept& entry) {
  std::vector<std::string> names{normalized(entry.term)};
  const std::size_t open = entry.term.find(" (");
  if (open != std::string::npos && entry.term.back() == ')') {
    names.push_back(normalized(entry.term.substr(0, open)));
    names.push_back(normalized(entry.term.substr(open + 2, entry.term.size() - open - 3)));
  }
  return names;
}

// `code` and [text](target) lose their marks; nothing else is used in the document.
std::string without_link_marks(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_link = text.substr(i).starts_with("](");
    if (ends_link) {
      i = std::min(text.find(')', i), text.size());
    } else if (text[i] != '`' && text[i] != '[') {
      plain += text[i];
    }
  }
  return plain;
}

void add_line(Concept& entry, std::string_view line) {
  const std::pair<std::string_view, std::string*> fields[] = {
      {"- Folder: ", &entry.folder}, {"- Scenario key: ", &entry.scenario_key}, {"- Example: ", &entry.example}};
  for (const auto& [mark, field] : fields) {
    if (line.starts_with(mark)) {
      *field = without_link_marks(line.substr(mark.size()));
      return;
    }
  }
  if (!line.empty()) {
    entry.text += entry.text.empty() ? "" : "\n";
    entry.text += without_link_marks(line);
  }
}

// What a mistyped word is compared with: the names of the entry and the longer words in them.
std::vector<std::string> words_of(const Concept& entry) {
  constexpr std::size_t kShortestWord = 4;
  std::vector<std::string> words = names_of(entry);
  const std::string name = words.front();
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find(' ', begin), name.size());
    if (end - begin >= kShortestWord) {
      words.push_back(name.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return words;
}

const Concept* nearest_concept(const std::vector<Concept>& concepts, std::string_view asked) {
  std::vector<std::string> words;
  std::vector<const Concept*> owners;
  for (const Concept& entry : concepts) {
    for (std::string& word : words_of(entry)) {
      words.push_back(std::move(word));
      owners.push_back(&entry);
    }
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  const auto nearest = nearest_word(asked, views);
  return nearest ? owners[static_cast<std::size_t>(std::ranges::find(views, *nearest) - views.begin())] : nullptr;
}

}  // namespace

std::vector<Concept> parse_concepts(std::string_view markdown) {
  std::vector<Concept> concepts;
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
    if (line.starts_with(kHeading)) {
      concepts.push_back({.term = std::string(line.substr(kHeading.size())),
                          .text = {},
                          .folder = {},
                          .scenario_key = {},
                          .example = {}});
    } else if (!concepts.empty()) {
      add_line(concepts.back(), line);
    }
  }
  return concepts;
}

const Concept* find_concept(const std::vector<Concept>& concepts, std::string_view term) {
  const std::string asked = normalized(term);
  for (const Concept& entry : concepts) {
    const std::vector<std::string> names = names_of(entry);
    if (std::ranges::find(names, asked) != names.end()) {
      return &entry;
    }
  }
  return nullptr;
}

std::vector<std::string> nearest_concepts(const std::vector<Concept>& concepts, std::string_view term,
                                          std::size_t limit) {
  constexpr std::size_t kShortestPart = 3;
  const std::string asked = normalized(term);
  std::vector<std::string> nearest;
  for (const Concept& entry : concepts) {
    if (asked.size() >= kShortestPart && normalized(entry.term).find(asked) != std::string::npos) {
      nearest.push_back(entry.term);
    }
  }
  if (nearest.empty()) {
    if (const Concept* entry = nearest_concept(concepts, asked)) {
      nearest.push_back(entry->term);
    }
  }
  nearest.resize(std::min(limit, nearest.size()));
  return nearest;
}

}  // namespace weft::cli
