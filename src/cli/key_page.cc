#include "cli/key_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/text_lines.h"
#include "cli/shell_word.h"
#include "study/scenario/key_help.h"
#include "study/scenario/key_text.h"

namespace weft::cli {
namespace {

using study::scenario::Key;
using study::scenario::KeyAt;
using study::scenario::KeyUse;
using study::scenario::Section;
using study::scenario::SectionShape;

constexpr std::size_t kKeyIndent = 4;
constexpr std::size_t kLabelColumns = 12;

std::string without_code_marks(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '`');
  return plain;
}

/// The table as a file writes it: "[link]", "[link.leaf]", "[[job]]"; empty before the first table.
std::string table_line(const KeyAt& at) {
  const Section& section = *at.section;
  if (section.path.empty()) {
    return "";
  }
  if (section.shape == SectionShape::kList) {
    return fmt::format("[[{}]]", section.path);
  }
  return at.index ? fmt::format("[{}.{}]", section.path, section.group[*at.index]) : fmt::format("[{}]", section.path);
}

/// "job[0].tp=8": what --set takes.
std::string setting_of(const KeyAt& at, const std::string& value) {
  KeyAt one = at;
  if (at.section->shape == SectionShape::kList) {
    one.index = 0;
  }
  std::string plain = value;
  if (plain.starts_with('"')) {
    plain = plain.substr(1, plain.size() - 2);
    // "400 Gbps" may be written without its space.
    const std::size_t space = plain.find(' ');
    if (space != std::string::npos && std::isdigit(static_cast<unsigned char>(plain.front())) != 0 &&
        plain.find(' ', space + 1) == std::string::npos &&
        std::isalpha(static_cast<unsigned char>(plain.back())) != 0) {
      plain.erase(space, 1);
    }
  }
  return shell_word(study::scenario::path_of(one) + "=" + plain);
}

class Page {
 public:
  Page(std::string_view title, std::size_t columns) : text_(fmt::format("{}\n\n", title)), columns_(columns) {}

  void say(std::string_view words) {
    text_ += paragraph(words, {.first = kKeyIndent, .rest = kKeyIndent, .columns = columns_});
  }
  void gap() { text_ += '\n'; }
  void line(std::string_view label, std::string_view words) {
    if (words.empty()) {
      return;
    }
    const std::size_t margin = kKeyIndent + kLabelColumns;
    const std::string said = paragraph(words, {.first = margin, .rest = margin, .columns = columns_});
    text_ += fmt::format("{:{}}{:<{}}{}", "", kKeyIndent, label, kLabelColumns, said.substr(margin));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t columns_;
};

void say_limits(Page& page, const KeyAt& at) {
  const Key& key = *at.key;
  if (const std::string only = study::scenario::only_for_text(key); !only.empty()) {
    const Key* selecting = study::scenario::selecting_key_of(*at.section, key);
    const bool named = !key.selecting.empty() || selecting == nullptr;
    page.line("only with", named ? only : fmt::format("{} {}", selecting->name, only));
  }
  if (at.section->shape == SectionShape::kGroup) {
    page.line("tables", fmt::format("[{}] means all of [{}.X], X one of {}", at.section->path, at.section->path,
                                    fmt::join(at.section->group, ", ")));
  }
  if (at.section->of_devices) {
    page.line("override", "an [[override]] may hold it, for the devices that it selects");
  }
  if (key.use == KeyUse::kCost) {
    page.line("changes", "what the network costs and draws, and no simulated time");
  } else if (key.use == KeyUse::kPresentation) {
    page.line("changes", "how results are called or summed up, and no simulated time");
  }
}

}  // namespace

std::string key_page(const KeyAt& at, const study::scenario::Catalogue& catalogue, std::size_t columns) {
  const Key& key = *at.key;
  Page page(study::scenario::general_path(at), columns);
  page.say(without_code_marks(key.about));
  page.gap();
  page.line("value", key.binding.type(key));
  page.line("unit", study::scenario::units_of(key));
  page.line("range", key.binding.range(key));
  page.line("default", without_code_marks(study::scenario::default_text(key, catalogue)));
  if (!key.entry.empty()) {
    page.line("entries", fmt::format("{} ('weft catalogue {}' says more)", fmt::join(catalogue.names(key.entry), ", "),
                                     key.entry));
  }
  say_limits(page, at);
  page.gap();
  const study::scenario::KeyExample example = study::scenario::example_of(at, catalogue);
  const std::string assignment = fmt::format("{} = {}", key.name, example.value);
  const std::string table = table_line(at);
  page.line("example", table.empty() ? assignment : table);
  if (!table.empty()) {
    page.line("", assignment);
  }
  if (!example.source.empty()) {
    page.line("", fmt::format("(as the catalogue has it for {})", example.source));
  }
  page.line("or", "--set " + setting_of(at, example.value));
  page.gap();
  page.line("document", fmt::format("docs/scenario.md, {}", study::scenario::heading_of(*at.section)));
  return page.take();
}

std::string section_page(const Section& section, std::size_t columns) {
  Page page(study::scenario::heading_of(section), columns);
  page.say(section.about);
  if (section.shape == SectionShape::kGroup) {
    page.say(fmt::format("X is one of {}; keys of [{}] itself mean all of them.", fmt::join(section.group, ", "),
                         section.path));
  }
  page.gap();
  for (const Key& key : section.keys) {
    page.say(study::scenario::general_path({.section = &section, .key = &key, .index = {}}));
    const std::string about = without_code_marks(key.about);
    for (const std::string& line : wrapped(about, columns - 2 * kKeyIndent)) {
      page.say(std::string(kKeyIndent, ' ') + line);
    }
  }
  return page.take();
}

}  // namespace weft::cli
