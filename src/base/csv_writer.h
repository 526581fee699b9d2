// Lines of comma-separated fields (RFC 4180, with "\n" at the end of a line): the only writer of CSV in weft.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace weft {

class CsvWriter {
 public:
  /// The next field of the line; with a comma, a quote or a line break in it, it stands in quotes.
  void field(std::string_view text);
  void end_line();
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace weft
