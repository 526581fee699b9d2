// Lines of words, as the input files of htsim are made of: words between blanks, "#" in front of a comment.
//
// Every error has file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::study::import {

struct HtsimText {
  std::string_view text;
  std::string_view name;  // of the file, for errors: "name:line:column: ..."
};

struct HtsimWord {
  std::string_view text;
  std::size_t column = 1;  // from 1
};

/// The least and the most that a number may be.
struct HtsimRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

class HtsimLines {
 public:
  explicit HtsimLines(const HtsimText& source) : rest_(source.text), name_(source.name) {}

  /// The next line with words; false: there is none. The words live as long as the text.
  [[nodiscard]] bool next();
  [[nodiscard]] std::span<const HtsimWord> words() const { return words_; }
  [[nodiscard]] std::size_t line() const { return line_; }

  /// The word of that number as a whole number. Errors: the line ends before it; it is no number of the range. `what`
  /// is its name in the message.
  [[nodiscard]] Result<std::uint64_t> number(std::size_t word, std::string_view what, const HtsimRange& range) const;
  /// The same of any text that stands at a word.
  [[nodiscard]] Result<std::uint64_t> number_in(std::string_view text, std::size_t word, std::string_view what,
                                                const HtsimRange& range) const;

  /// "name:line:column: message" for the word, or for the line's end if there are no more.
  [[nodiscard]] tl::unexpected<Error> fault(std::size_t word, Error error) const;
  /// "name:line".
  [[nodiscard]] std::string place(std::size_t line) const;
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view rest_;
  std::string_view name_;
  std::vector<HtsimWord> words_;
  std::size_t line_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace weft::study::import
