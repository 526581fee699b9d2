// Sizes as a command line lists them: "1MiB", "1MiB,5MB", or "1MiB..1GiB", which doubles from the first to the last.
#pragma once

#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"

namespace weft::cli {

/// Errors: what is no size, a size of nothing, a range that ends before it begins.
[[nodiscard]] Result<std::vector<Bytes>> parse_sizes(std::string_view text);

}  // namespace weft::cli
