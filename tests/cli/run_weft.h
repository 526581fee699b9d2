// Runs the built `weft` as a user would, for tests of its command line.
//
// The arguments are shell words; standard output and standard error are kept apart. Works from any directory.
#pragma once

#include <string>

namespace weft::test {

struct Outcome {
  int exit_status = -1;
  std::string out;
  std::string err;
};

/// Runs `weft <arguments>` through the shell and waits. The arguments may end in a pipe ("pcap list x | head -1");
/// then the status is that of the last command.
Outcome run_weft(const std::string& arguments);

/// What `weft <arguments>` shows on a terminal with so many columns, standard error included; line ends are "\n".
/// `environment` stands before the program: "NO_COLOR=1". TERM is xterm.
struct Shown {
  int exit_status = -1;
  std::string text;
};
Shown show_weft(const std::string& arguments, unsigned short columns, const std::string& environment = "");

}  // namespace weft::test
