// Independent pieces of work in child processes, a few at a time; each hands back one text.
//
// A child is a fork of this process: it has everything that this one has, and what it does to memory stays with it.
// Interrupts reach the children as well (they are in the same process group); what they have not finished is lost.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace weft::live {

struct PoolWork {
  std::size_t pieces = 0;
  std::size_t at_once = 1;
  /// In the child: the piece's text; none: it was interrupted.
  std::function<std::optional<std::string>(std::size_t)> run;
  /// In the child, behind that: ends it with this status at once, without the destructors and buffers that belong to
  /// the parent. Does not come back.
  std::function<void(int)> end;
  /// Here, as each child ends. `text`: none if it was interrupted or killed; `fault` says then what by.
  std::function<void(std::size_t piece, std::optional<std::string> text, const std::string& fault)> done;
  /// Here, some ten times a second. False: no new piece is begun, and those under way are interrupted.
  std::function<bool(std::size_t under_way)> keep_going;
};

/// Runs all pieces in their order, as far as `keep_going` lets it. Ends when no child is left.
void run_pool(const PoolWork& work);

}  // namespace weft::live
