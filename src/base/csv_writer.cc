#include "base/csv_writer.h"

namespace weft {

void CsvWriter::field(std::string_view text) {
  text_ += first_ ? "" : ",";
  first_ = false;
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    text_ += text;
    return;
  }
  text_ += '"';
  for (const char c : text) {
    text_ += c == '"' ? "\"\"" : std::string(1, c);
  }
  text_ += '"';
}

void CsvWriter::end_line() {
  text_ += '\n';
  first_ = true;
}

}  // namespace weft
