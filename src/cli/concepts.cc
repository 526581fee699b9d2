#include "cli/concepts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/nearest_word.h"
#include "cli/markdown_blocks.h"

namespace weft::cli {
namespace {

constexpr int kTermLevel = 2;

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

void add_block(Concept& entry, const Block& block) {
  const std::string text = plain_text(block);
  const std::pair<std::string_view, std::string*> fields[] = {
      {"Folder: ", &entry.folder}, {"Scenario key: ", &entry.scenario_key}, {"Example: ", &entry.example}};
  for (const auto& [mark, field] : fields) {
    if (block.kind == Block::Kind::kItem && text.starts_with(mark)) {
      *field = text.substr(mark.size());
      return;
    }
  }
  entry.text += entry.text.empty() ? "" : "\n";
  entry.text += text;
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
  for (const Block& block : blocks_of(markdown)) {
    if (block.kind == Block::Kind::kHeading && block.level == kTermLevel) {
      concepts.push_back({.term = plain_text(block), .text = {}, .folder = {}, .scenario_key = {}, .example = {}});
    } else if (!concepts.empty()) {
      add_block(concepts.back(), block);
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
