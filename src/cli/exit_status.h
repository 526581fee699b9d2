// The exit statuses of weft, the same for every subcommand.
#pragma once

namespace weft::cli {

/// The work was done and nothing was wrong.
constexpr int kSuccess = 0;
/// The work was done and found faults, or its output could not be written.
constexpr int kFault = 1;
/// The command line is wrong, or names a file that cannot be read.
constexpr int kUsageError = 2;
/// Ended by Ctrl-C, as a shell would say it.
constexpr int kInterrupted = 130;

}  // namespace weft::cli
