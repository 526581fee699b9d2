#include "cli/manual_roff.h"

#include <fmt/format.h>

#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include "cli/markdown_blocks.h"

namespace weft::cli {
namespace {

constexpr int kTitleLevel = 1;
constexpr int kChapterLevel = 2;

/// Characters that roff takes for its own, and dashes as they are typed.
std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return made;
}

/// A line of text: one that begins with a dot or an apostrophe would be a request.
std::string text_line(std::string made) {
  if (made.starts_with('.') || made.starts_with('\'')) {
    made.insert(0, "\\&");
  }
  return made + '\n';
}

std::string styled_text(const Spans& spans) {
  std::string made;
  for (const Span& span : spans) {
    made += span.style == Span::Style::kPlain ? escaped(span.text) : "\\fB" + escaped(span.text) + "\\fR";
  }
  return made;
}

std::string capitals(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return made;
}

std::string roff_head(std::string_view name, int section, std::string_view version) {
  return fmt::format(".TH {} {} \"\" \"weft {}\" \"weft\"\n.nh\n.ad l\n", capitals(name), section, version);
}

std::string fenced_roff(std::string_view text) {
  std::string made = ".PP\n.RS 4\n.nf\n";
  while (!text.empty()) {
    made += text_line(escaped(next_line(text)));
  }
  return made + ".fi\n.RE\n";
}

std::string item_roff(const Block& block) {
  const Item item = item_of(block);
  if (item.term.empty()) {
    const std::string mark = block.level > 0 ? fmt::format("{}. 3", block.level) : "\\(bu 2";
    return fmt::format(".IP {}\n{}", mark, text_line(styled_text(item.text)));
  }
  return ".TP\n" + text_line(styled_text(item.term)) + text_line(styled_text(item.text));
}

/// A row of a table under its headings: the first cell is the term; the last, which says what it means, comes first of
/// the rest.
std::string row_roff(const std::vector<Spans>& headings, const std::vector<Spans>& cells) {
  std::string made = ".TP\n" + text_line(styled_text(cells.empty() ? Spans() : cells.front()));
  if (cells.size() < 2) {
    return made;
  }
  made += text_line(styled_text(cells.back()));
  std::string rest;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    if (plain_text(cells[i]) != "\u2014") {
      const std::string label = i < headings.size() ? escaped(plain_text(headings[i])) + ": " : "";
      rest += (rest.empty() ? "" : "; ") + label + styled_text(cells[i]);
    }
  }
  return rest.empty() ? made : made + ".br\n" + text_line(rest + ".");
}

/// Headings down to `chapter_level` become sections, deeper ones subsections.
std::string blocks_roff(std::span<const Block> blocks, int chapter_level) {
  std::string text;
  std::vector<Spans> headings;
  for (const Block& block : blocks) {
    switch (block.kind) {
      case Block::Kind::kHeading: {
        const bool chapter = block.level <= chapter_level;
        const std::string title = plain_text(block);
        text += fmt::format("{} \"{}\"\n", chapter ? ".SH" : ".SS", escaped(chapter ? capitals(title) : title));
        break;
      }
      case Block::Kind::kParagraph:
        text += ".PP\n" + text_line(styled_text(block.texts.front()));
        break;
      case Block::Kind::kItem:
        text += item_roff(block);
        break;
      case Block::Kind::kFenced:
        text += fenced_roff(block.fenced);
        break;
      case Block::Kind::kHeaderRow:
        headings = block.texts;
        break;
      case Block::Kind::kRow:
        text += row_roff(headings, block.texts);
        break;
    }
  }
  return text;
}

/// What a page's first paragraph says, as the line under NAME has it: "simulates a scenario".
struct Summary {
  std::string line;
  std::span<const Block> rest;  // of the page's
};
Summary summary_of(const ManualPage& page) {
  Summary summary{.line = {}, .rest = page.blocks};
  if (!summary.rest.empty() && summary.rest.front().kind == Block::Kind::kParagraph) {
    summary.line = plain_text(summary.rest.front());
    summary.rest = summary.rest.subspan(1);
  }
  summary.line = summary.line.substr(0, summary.line.find_last_not_of('.') + 1);
  return summary;
}

std::string name_line(std::string_view name, std::string_view summary) {
  return fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary));
}

std::string see_also(std::string_view pages) { return fmt::format(".SH \"SEE ALSO\"\n{}\n", pages); }

}  // namespace

std::string command_roff(const ManualPage& page, std::string_view version) {
  const std::string name = "weft-" + page.name;
  const Summary summary = summary_of(page);
  return roff_head(name, 1, version) + name_line(name, summary.line) + blocks_roff(summary.rest, kChapterLevel + 1) +
         see_also("\\fBweft\\fR(1), \\fBweft\\-scenario\\fR(5)");
}

std::string overview_roff(const Manual& manual, std::string_view version) {
  std::string text =
      roff_head("weft", 1, version) + name_line("weft", "packet-level network simulator for AI clusters");
  text += ".SH SYNOPSIS\n\\fBweft\\fR \\fISUBCOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n";
  text += blocks_roff(manual.shared, kChapterLevel) + ".SH SUBCOMMANDS\n";
  for (const ManualPage& page : manual.pages) {
    text += fmt::format(".TP\n\\fBweft\\-{}\\fR(1)\n{}", escaped(page.name),
                        text_line(escaped(summary_of(page).line) + "."));
  }
  return text + see_also("\\fBweft\\-scenario\\fR(5)");
}

std::string scenario_roff(std::string_view markdown, std::string_view version) {
  std::vector<Block> blocks = blocks_of(markdown);
  std::erase_if(blocks,
                [](const Block& block) { return block.kind == Block::Kind::kHeading && block.level == kTitleLevel; });
  return roff_head("weft-scenario", 5, version) + name_line("weft-scenario", "the scenario file of weft") +
         ".SH DESCRIPTION\n" + blocks_roff(blocks, kChapterLevel) +
         see_also("\\fBweft\\fR(1), \\fBweft\\-show\\fR(1), \\fBweft\\-help\\fR(1)");
}

}  // namespace weft::cli
