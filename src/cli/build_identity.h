// Which build of the program this is: what kept results depend on beside their input.
#pragma once

#include <string>

namespace weft::cli {

/// "0.1.0-0123456789abcdef": the version, and a hash of the program's file. Changes with every build.
[[nodiscard]] const std::string& build_identity();

}  // namespace weft::cli
