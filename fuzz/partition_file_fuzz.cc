// Any bytes as a partitions.conf: refused with its place, or rules that give ports P_Keys, and which are written
// without a warning and read again as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "subnet/partitions/partitions.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"

namespace {

constexpr std::string_view kNetwork = "Hca 1 \"a\"\n[1] \"s\"[1]\n\nHca 1 \"b\"\n[1] \"s\"[2]\n\nSwitch 4 \"s\"\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::subnet;
  static const SweptSubnet swept = sweep(parse_topology({.text = kNetwork, .name = "network"}).value()).value();
  const auto file = parse_partitions({.text = {reinterpret_cast<const char*>(data), size}, .name = "input"});
  if (!file) {
    WEFT_ASSERT(file.error().message.starts_with("input:"));  // a file without a partition, too
    return 0;
  }
  const auto made = assign_partitions(swept.view, file->rules);
  WEFT_ASSERT(made.has_value() || !made.error().message.empty());
  const std::string text = write_partitions(file->rules);
  const auto again = parse_partitions({.text = text, .name = "again"});
  WEFT_ASSERT(again.has_value() && again->rules.size() == file->rules.size());
  for (const std::string& warning : again->warnings) {  // a name stays as long as it was
    WEFT_ASSERT(warning.find(": a name of 32 characters") != std::string::npos);
  }
  if (made) {
    const auto same = assign_partitions(swept.view, again->rules);
    WEFT_ASSERT(same.has_value() && same->keys == made->keys && same->foreign.size() == made->foreign.size());
  }
  return 0;
}
