// Words of a command line that a user can paste.
#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

/// As it is where a POSIX shell takes it for one word; in single quotes otherwise.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace weft::cli
