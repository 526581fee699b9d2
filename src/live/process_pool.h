// Independent pieces of work in child processes, a few at a time; each hands back one text.
//
// A child is a fork of this process: it has everything that this one has, and what it does to memory stays with it.
// Interrupts reach the children as well (they are in the same process group); what they have not finished is lost.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft::live {

/// What became of a piece.
struct PieceEnd {
  std::optional<std::string> text;  // none: interrupted, killed, or it could not begin
  std::string fault{};              // says then what by
  bool was_killed = false;          // the child ended by a signal
};

/// Children that are begun one by one.
class ProcessPool {
 public:
  struct Work {
    /// In the child: the piece's text; none: it was interrupted.
    std::function<std::optional<std::string>(std::size_t)> run;
    /// In the child, behind that: ends it with this status at once, without the destructors and buffers that belong to
    /// the parent. Does not come back.
    std::function<void(int)> end;
    /// Here, as each child ends.
    std::function<void(std::size_t piece, PieceEnd end)> done;
  };

  explicit ProcessPool(Work work);
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  /// Children that are still there are killed.
  ~ProcessPool();

  void begin(std::size_t piece);
  [[nodiscard]] std::size_t under_way() const;
  /// Interrupts all children, once.
  void interrupt();
  /// Waits so long at most for something of the children, and takes it: calls `done` for those that have ended.
  void listen(int milliseconds);

 private:
  struct Child;
  class Children;
  std::unique_ptr<Children> children_;
};

struct PoolWork {
  std::size_t pieces = 0;
  std::size_t at_once = 1;
  ProcessPool::Work work;
  /// Here, some ten times a second. False: no new piece is begun, and those under way are interrupted.
  std::function<bool(std::size_t under_way)> keep_going;
};

/// Runs all pieces in their order, as far as `keep_going` lets it. Ends when no child is left.
void run_pool(const PoolWork& work);

}  // namespace weft::live
