// Ctrl-C during a run: the first asks it to stop cleanly, the second ends the program at once.
#pragma once

namespace weft::cli {

/// From now on SIGINT and SIGTERM are noted; the next one has its usual effect.
void catch_interrupts();
[[nodiscard]] bool interrupted();

/// While one lives, a signal ends the program at once, with 130: nothing has been run yet that could be kept, and what
/// is under way looks at no signals, such as the set-up of a large network.
class EndsAtOnce {
 public:
  EndsAtOnce();
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

}  // namespace weft::cli
