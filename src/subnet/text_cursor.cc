#include "subnet/text_cursor.h"

#include <charconv>

namespace weft::subnet {

std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

void TextCursor::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') {
    rest_.remove_prefix(1);
  }
}

bool TextCursor::skip_to(char c) {
  const std::size_t at = rest_.find(c);
  if (at == std::string_view::npos) {
    return false;
  }
  rest_.remove_prefix(at + 1);
  return true;
}

bool TextCursor::take(char c) {
  skip_blanks();
  if (peek() != c || at_end()) {
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

std::string_view TextCursor::take_word() {
  skip_blanks();
  constexpr std::string_view kOfWord = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::size_t length = rest_.find_first_not_of(kOfWord);
  length = length == 0 ? rest_.find_first_of(" \t") : length;
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> TextCursor::take_digits(int base) {
  std::uint64_t value = 0;
  const std::from_chars_result read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
  if (read.ec != std::errc()) {
    return std::nullopt;
  }
  rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
  return value;
}

std::optional<std::uint64_t> TextCursor::take_number() {
  skip_blanks();
  return rest_.starts_with("0x") ? take_hex() : take_digits(10);
}

std::optional<std::uint64_t> TextCursor::take_hex() {
  skip_blanks();
  if (rest_.starts_with("0x")) {
    rest_.remove_prefix(2);
  }
  return take_digits(16);
}

std::optional<std::string_view> TextCursor::take_quoted() {
  skip_blanks();
  if (peek() != '"') {
    return std::nullopt;
  }
  const std::size_t end = rest_.find('"', 1);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view text = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  return text;
}

std::optional<std::uint64_t> TextCursor::take_bracketed() {
  TextCursor ahead = *this;
  if (!ahead.take('[')) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> number = ahead.take_number();
  if (!number || !ahead.take(']')) {
    return std::nullopt;
  }
  *this = ahead;
  return number;
}

}  // namespace weft::subnet
