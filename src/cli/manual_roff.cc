#include "cli/manual_roff.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "cli/markdown_blocks.h"

namespace weft::cli {
namespace {

constexpr std::string_view kTitleMark = "# ";
constexpr std::string_view kChapterMark = "## ";

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

std::string styled_text(std::string_view marked) {
  std::string made;
  for (const Span& span : spans_of(marked)) {
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

std::string item_roff(std::string_view item) {
  const std::size_t end = end_of_term(item);
  if (end == std::string_view::npos) {
    return ".IP \\(bu 2\n" + text_line(styled_text(item));
  }
  return ".TP\n" + text_line(styled_text(item.substr(0, end))) + text_line(styled_text(item.substr(end + 2)));
}

/// A row of a table under its headings: the first cell is the term; the last, which says what it means, comes first of
/// the rest.
std::string row_roff(const std::vector<std::string>& headings, const std::vector<std::string>& cells) {
  std::string made = ".TP\n" + text_line(styled_text(cells.empty() ? "" : cells.front()));
  if (cells.size() < 2) {
    return made;
  }
  made += text_line(styled_text(cells.back()));
  std::string rest;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    if (cells[i] != "\u2014") {
      const std::string label = i < headings.size() ? escaped(headings[i]) + ": " : "";
      rest += (rest.empty() ? "" : "; ") + label + styled_text(cells[i]);
    }
  }
  return rest.empty() ? made : made + ".br\n" + text_line(rest + ".");
}

class Roff {
 public:
  void add(const std::vector<Block>& blocks, std::string_view section_macro) {
    for (const Block& block : blocks) {
      if (block.kind != Block::Kind::kRow) {
        headings_.clear();
      }
      switch (block.kind) {
        case Block::Kind::kSection:
          text_ += fmt::format("{} \"{}\"\n", section_macro,
                               section_macro == ".SH" ? escaped(capitals(without_marks(block.text)))
                                                      : escaped(without_marks(block.text)));
          break;
        case Block::Kind::kParagraph:
          text_ += ".PP\n" + text_line(styled_text(block.text));
          break;
        case Block::Kind::kItem:
          text_ += item_roff(block.text);
          break;
        case Block::Kind::kFenced:
          text_ += fenced_roff(block.text);
          break;
        case Block::Kind::kRow:
          add_row(cells_of(block.text));
          break;
      }
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  /// The first row of a table has its headings.
  void add_row(std::vector<std::string> cells) {
    if (headings_.empty()) {
      headings_ = std::move(cells);
    } else {
      text_ += row_roff(headings_, cells);
    }
  }

  std::string text_;
  std::vector<std::string> headings_;
};

/// What a page's first paragraph says, as the line under NAME has it: "simulates a scenario".
struct Summary {
  std::string line;
  std::vector<Block> rest;
};
Summary summary_of(const ManualPage& page) {
  std::vector<Block> blocks = blocks_of(page.body);
  Summary summary;
  if (!blocks.empty() && blocks.front().kind == Block::Kind::kParagraph) {
    summary.line = without_marks(blocks.front().text);
    blocks.erase(blocks.begin());
  }
  summary.line = summary.line.substr(0, summary.line.find_last_not_of('.') + 1);
  summary.rest = std::move(blocks);
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
  Roff roff;
  roff.add(summary.rest, ".SH");
  return roff_head(name, 1, version) + name_line(name, summary.line) + roff.take() +
         see_also("\\fBweft\\fR(1), \\fBweft\\-scenario\\fR(5)");
}

std::string overview_roff(const std::vector<ManualPage>& pages, std::string_view shared, std::string_view version) {
  std::string text =
      roff_head("weft", 1, version) + name_line("weft", "packet-level network simulator for AI clusters");
  text += ".SH SYNOPSIS\n\\fBweft\\fR \\fISUBCOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n";
  Roff roff;
  roff.add(blocks_of(shared), ".SS");
  text += roff.take() + ".SH SUBCOMMANDS\n";
  for (const ManualPage& page : pages) {
    text += fmt::format(".TP\n\\fBweft\\-{}\\fR(1)\n{}", escaped(page.name),
                        text_line(escaped(summary_of(page).line) + "."));
  }
  return text + see_also("\\fBweft\\-scenario\\fR(5)");
}

std::string scenario_roff(std::string_view markdown, std::string_view version) {
  std::string text = roff_head("weft-scenario", 5, version) + name_line("weft-scenario", "the scenario file of weft") +
                     ".SH DESCRIPTION\n";
  std::string chapter;
  const auto end_chapter = [&] {
    Roff roff;
    roff.add(blocks_of(chapter), ".SS");
    text += roff.take();
    chapter.clear();
  };
  bool fenced = false;
  while (!markdown.empty()) {
    const std::string_view line = next_line(markdown);
    fenced = fenced != line.starts_with("```");
    if (!fenced && line.starts_with(kChapterMark)) {
      end_chapter();
      text += fmt::format(".SH \"{}\"\n", escaped(capitals(without_marks(line.substr(kChapterMark.size())))));
    } else if (fenced || !line.starts_with(kTitleMark)) {
      chapter.append(line).append("\n");
    }
  }
  end_chapter();
  return text + see_also("\\fBweft\\fR(1), \\fBweft\\-show\\fR(1), \\fBweft\\-help\\fR(1)");
}

}  // namespace weft::cli
