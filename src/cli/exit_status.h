// The exit statuses of weft, the same for every subcommand.
#pragma once

namespace weft::cli {

/// The work was done and nothing was wrong.
constexpr int kSuccess = 0;
/// The work was done and found faults, or could not be done (an unreadable file, a full disk).
constexpr int kFault = 1;
/// The command line itself is wrong.
constexpr int kUsageError = 2;

}  // namespace weft::cli
