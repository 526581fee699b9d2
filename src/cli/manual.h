// The manual: docs/manual.md as it was at build time, a page per subcommand, printed for a terminal.
//
// The document's form: `## NAME` begins a page, whose first paragraph says in a line what the subcommand does; `###
// TITLE` begins a section.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/markdown_blocks.h"

namespace weft::cli {

struct ManualPage {
  /// What it is asked for by: "run", "pcap".
  std::string name;
  /// What follows the heading, up to the next page.
  std::vector<Block> blocks;
};

struct Manual {
  /// What stands before the first page, without the title.
  std::vector<Block> shared;
  /// In the document's order.
  std::vector<ManualPage> pages;
};

/// The text of docs/manual.md at build time.
std::string_view manual_text();
/// The text of docs/scenario.md at build time.
std::string_view scenario_text();

[[nodiscard]] Manual parse_manual(std::string_view markdown);

/// The page called `name`, or nullptr; it belongs to `pages`. A subcommand of a subcommand is on its page: "pcap check"
/// gives that of "pcap" if the page has a section "Options of weft pcap check".
const ManualPage* find_page(const std::vector<ManualPage>& pages, std::string_view name);

/// The page as plain text in lines of at most `columns` characters; blocks that are fenced keep theirs. An item of a
/// list that begins with `code` and a colon becomes a term with what is said of it indented below.
std::string page_text(const ManualPage& page, std::size_t columns);

}  // namespace weft::cli
