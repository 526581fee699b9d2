// A place in a line of text, from which words, numbers and quoted names are taken one after the other.
//
// What does not begin with the thing that is asked for leaves the cursor where it was, after blanks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::subnet {

/// The first line of `text`, without its end ("\n" or "\r\n"), which is taken from it; nothing: `text` is empty.
[[nodiscard]] std::optional<std::string_view> take_line(std::string_view& text);

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  void skip_blanks();
  /// Behind the next such character; false: there is none, and nothing moves.
  bool skip_to(char c);
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// The next character; a zero at the end.
  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// That character, after blanks.
  bool take(char c);
  /// Letters, digits, "_" and "-"; if the next is none of them, what there is up to the next blank.
  std::string_view take_word();
  /// A decimal number, or a hexadecimal one after "0x".
  std::optional<std::uint64_t> take_number();
  /// A hexadecimal number, with or without "0x".
  std::optional<std::uint64_t> take_hex();
  /// What stands between quotation marks.
  std::optional<std::string_view> take_quoted();
  /// The number in "[7]".
  std::optional<std::uint64_t> take_bracketed();

 private:
  std::optional<std::uint64_t> take_digits(int base);

  std::string_view rest_;
};

}  // namespace weft::subnet
