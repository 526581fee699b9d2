// The manual: docs/manual.md as it was at build time, a page per subcommand, printed for a terminal.
//
// The document's form: `## NAME` begins a page, whose first paragraph says in a line what the subcommand does; `###
// TITLE` begins a section. Of Markdown it uses paragraphs, lists ("- "), fenced blocks, `code`, **bold** and
// [links](target).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// A page, still in Markdown.
struct ManualPage {
  /// What it is asked for by: "run", "pcap".
  std::string name;
  /// What follows the heading, up to the next page.
  std::string body;
};

/// The text of docs/manual.md at build time.
std::string_view manual_text();
/// The text of docs/scenario.md at build time.
std::string_view scenario_text();
/// What the manual says before its first page, without its title.
[[nodiscard]] std::string_view shared_text(std::string_view markdown);

/// The pages in the document's order; what stands before the first is skipped.
std::vector<ManualPage> parse_manual(std::string_view markdown);

/// The page called `name`, or nullptr; it belongs to `pages`. A subcommand of a subcommand is on its page: "pcap check"
/// gives that of "pcap" if the page has a section "Options of weft pcap check".
const ManualPage* find_page(const std::vector<ManualPage>& pages, std::string_view name);

/// The page as plain text in lines of at most `columns` characters; blocks that are fenced keep theirs. An item of a
/// list that begins with `code` and a colon becomes a term with what is said of it indented below.
std::string page_text(const ManualPage& page, std::size_t columns);

}  // namespace weft::cli
