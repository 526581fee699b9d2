#include "live/process_pool.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace weft::live {
namespace {

constexpr int kTickMilliseconds = 100;
/// What a child writes before its text: whether there is one.
constexpr char kHasText = '+';
constexpr char kInterrupted = '-';
constexpr char kFault = '!';

bool write_all(int pipe, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(pipe, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    sent += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

}  // namespace

struct ProcessPool::Child {
  std::size_t piece = 0;
  pid_t process = 0;
  int pipe = -1;
  std::string received;
};

class ProcessPool::Children {
 public:
  explicit Children(Work work) : work_(std::move(work)) {}
  ~Children() {
    for (const Child& child : children_) {
      ::kill(child.process, SIGKILL);
      ::close(child.pipe);
      while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  [[nodiscard]] std::size_t size() const { return children_.size(); }

  void begin(std::size_t piece) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      work_.done(piece, {.text = {}, .fault = fmt::format("no pipe: {}", std::strerror(errno))});
      return;
    }
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) {
      ::close(ends[0]);
      ::close(ends[1]);
      work_.done(piece, {.text = {}, .fault = fmt::format("cannot create a process: {}", std::strerror(errno))});
      return;
    }
    if (process == 0) {
      // Nobody would read what is worked out for a parent that was killed.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) {
        work_.end(1);
      }
      ::close(ends[0]);
      const bool written = write_all(ends[1], text_of(piece));
      work_.end(written ? 0 : 1);
    }
    ::close(ends[1]);
    children_.push_back({.piece = piece, .process = process, .pipe = ends[0], .received = {}});
  }

  void interrupt() {
    if (!std::exchange(interrupted_, true)) {
      for (const Child& child : children_) {
        ::kill(child.process, SIGINT);
      }
    }
  }

  void listen(int milliseconds) {
    std::vector<pollfd> waiting;
    for (const Child& child : children_) {
      waiting.push_back({.fd = child.pipe, .events = POLLIN, .revents = 0});
    }
    if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) {
      return;
    }
    for (std::size_t i = waiting.size(); i-- > 0;) {
      if (waiting[i].revents != 0 && !receive(children_[i])) {
        Child child = std::move(children_[i]);
        children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
        finish(child);
      }
    }
  }

 private:
  /// Nothing that is thrown may leave the child: it would run the parent's code from there.
  [[nodiscard]] std::string text_of(std::size_t piece) const {
    try {
      const std::optional<std::string> text = work_.run(piece);
      return text ? kHasText + *text : std::string(1, kInterrupted);
    } catch (const std::exception& error) {
      return kFault + std::string(error.what());
    }
  }

  /// False at the end of what the child says.
  static bool receive(Child& child) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(child.pipe, buffer.data(), buffer.size());
    if (count > 0) {
      child.received.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
  }

  void finish(Child& child) {
    ::close(child.pipe);
    int status = 0;
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
      work_.done(child.piece,
                 {.text = {}, .fault = fmt::format("ended by signal {}", WTERMSIG(status)), .was_killed = true});
    } else if (!child.received.empty() && child.received.front() == kHasText) {
      work_.done(child.piece, {.text = child.received.substr(1)});
    } else {
      const bool fault = !child.received.empty() && child.received.front() == kFault;
      work_.done(child.piece, {.text = {}, .fault = fault ? child.received.substr(1) : "interrupted"});
    }
  }

  Work work_;
  bool interrupted_ = false;
  std::vector<Child> children_;
};

ProcessPool::ProcessPool(Work work) : children_(std::make_unique<Children>(std::move(work))) {}
ProcessPool::~ProcessPool() = default;
void ProcessPool::begin(std::size_t piece) { children_->begin(piece); }
std::size_t ProcessPool::under_way() const { return children_->size(); }
void ProcessPool::interrupt() { children_->interrupt(); }
void ProcessPool::listen(int milliseconds) { children_->listen(milliseconds); }

void run_pool(const PoolWork& work) {
  ProcessPool pool(work.work);
  std::size_t end = work.pieces;
  for (std::size_t next = 0; next < end || pool.under_way() > 0;) {
    if (!work.keep_going(pool.under_way())) {
      end = next;
      pool.interrupt();
    }
    while (next < end && pool.under_way() < std::max<std::size_t>(work.at_once, 1)) {
      pool.begin(next++);
    }
    pool.listen(kTickMilliseconds);
  }
}

}  // namespace weft::live
