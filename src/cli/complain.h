// How a command ends that cannot go on: one line on standard error, and an exit status.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::cli {

/// The message as a terminal may have it: printable, and not without end, whatever a file held.
[[nodiscard]] std::string shown_message(const Error& error);

/// Prints "weft COMMAND: MESSAGE" to standard error; returns `status`, one of exit_status.h.
int complain(std::string_view command, const Error& error, int status);

}  // namespace weft::cli
