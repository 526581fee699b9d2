#include "cli/idle_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace weft::cli {

// "0.20 0.18 0.12 1/80 11206": of 80 tasks one wants to run, which is this one.
std::size_t idle_cores(std::size_t cores, std::string_view loadavg) {
  cores = std::max<std::size_t>(cores, 1);
  const std::size_t slash = loadavg.find('/');
  if (slash == std::string_view::npos) {
    return cores;
  }
  const std::size_t begin = loadavg.find_last_of(' ', slash) + 1;
  std::size_t running = 0;
  const auto [end, error] = std::from_chars(loadavg.data() + begin, loadavg.data() + slash, running);
  if (error != std::errc() || end != loadavg.data() + slash || running <= 1) {
    return cores;
  }
  return std::max<std::size_t>(cores - std::min(cores, running - 1), 1);
}

std::size_t idle_cores() {
  std::string line;
  std::ifstream file("/proc/loadavg");
  std::getline(file, line);
  // What others run may be anywhere, so that of fewer cores than all a part may be idle that this takes for busy.
  return idle_cores(lent_cores(), line);
}

// hardware_concurrency() counts all processors of the machine.
std::size_t lent_cores() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return count > 0 ? static_cast<std::size_t>(count) : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace weft::cli
