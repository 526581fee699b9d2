#include "cli/collective_sizes.h"

#include "base/format_quantity.h"
#include "base/parse_quantity.h"

namespace weft::cli {
namespace {

Result<Bytes> one_size(std::string_view text) {
  Result<Bytes> size = parse_bytes(text);
  if (size && *size < Bytes(1))
    return fail("a size of {}; it must be at least 1 B", *size);
  return size;
}

Result<void> add_range(std::string_view text, std::vector<Bytes>& sizes) {
  const std::size_t dots = text.find("..");
  Result<Bytes> first = one_size(text.substr(0, dots));
  if (!first)
    return pass_on(first);
  Result<Bytes> last = dots == std::string_view::npos ? first : one_size(text.substr(dots + 2));
  if (!last)
    return pass_on(last);
  if (*last < *first)
    return fail("the sizes {} end before they begin", text);
  for (Bytes size = *first; size <= *last; size = size * 2)
    sizes.push_back(size);
  return {};
}

}  // namespace

Result<std::vector<Bytes>> parse_sizes(std::string_view text) {
  std::vector<Bytes> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (Result<void> added = add_range(text.substr(begin, end - begin), sizes); !added)
      return pass_on(added);
    begin = end + 1;
  }
  return sizes;
}

}  // namespace weft::cli
