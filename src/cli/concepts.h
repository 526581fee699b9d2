// The terms of the field as docs/concepts.md defines them: parsed from the copy embedded in the binary, and looked up.
//
// A term is found by its heading in any case, with '-' and '_' as good as a space, and where the heading ends in an
// abbreviation in parentheses, by either. Order is that of the document; nothing here allocates after parsing but text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// One entry of docs/concepts.md, without Markdown marks.
struct Concept {
  std::string term;
  std::string text;  // a line for each paragraph
  std::string folder;
  std::string scenario_key;
  std::string example;
};

/// The text of docs/concepts.md at build time.
std::string_view concepts_text();

/// The entries of a document in the format of docs/concepts.md; what stands before the first `## ` is skipped.
std::vector<Concept> parse_concepts(std::string_view markdown);

/// The entry called `term`, or nullptr; it belongs to `concepts`.
const Concept* find_concept(const std::vector<Concept>& concepts, std::string_view term);

/// At most `limit` terms that `term` may have meant: those that contain it, else the one with the nearest name or word.
/// Empty when nothing is near.
std::vector<std::string> nearest_concepts(const std::vector<Concept>& concepts, std::string_view term,
                                          std::size_t limit);

}  // namespace weft::cli
