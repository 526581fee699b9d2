// Any bytes as a configuration of a device: refused with one line that names the file, or read, written, read again as
// the same text, and held against itself without a finding about what it says twice.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "study/devices/config_file.h"
#include "study/devices/lint.h"
#include "study/devices/lint_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::study::devices;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = read_config({.text = text, .name = "input"});
  if (!read) {
    WEFT_ASSERT(read.error().message.starts_with("input"));
    return 0;
  }
  const auto findings = lint({*read}, nullptr);
  WEFT_ASSERT(!findings || !lint_text(*findings, {*read}).empty());
  const std::string written = config_text(*read);
  if (const auto again = read_config({.text = written, .name = "input"}); again && again->syntax == read->syntax) {
    const std::string twice = config_text(*again);
    const auto third = read_config({.text = twice, .name = "input"});
    WEFT_ASSERT(!third || third->syntax != read->syntax || config_text(*third) == twice);
  }
  return 0;
}
