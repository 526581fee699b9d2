// Over MPI. All calls are made under one lock, by whichever thread, and none of them waits: MPI_THREAD_SERIALIZED.
#define OMPI_SKIP_MPICXX 1  // the C++ binding that MPI no longer has
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "cluster/ranks.h"

namespace weft::cluster {
namespace {

constexpr std::chrono::seconds kBetweenSignsOfLife{1};

std::string text_of(int error) {
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

class Room {
 public:
  Result<void> join() {
    int given = 0;
    if (const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given); error != MPI_SUCCESS) {
      return fail("MPI does not start: {}", text_of(error));
    }
    if (given < MPI_THREAD_SERIALIZED) {
      return fail("this MPI does not let a second thread call it, even in turns (MPI_THREAD_SERIALIZED)");
    }
    // A rank that is gone is found out by its silence; nothing that MPI says of it may end the others.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // A connection that breaks must not end the process.
    std::signal(SIGPIPE, SIG_IGN);
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<std::uint32_t>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    ranks_ = static_cast<std::uint32_t>(number);
    arriving_.resize(ranks_);
    // What is exchanged must not meet those that look for any message.
    if (const int error = MPI_Comm_dup(MPI_COMM_WORLD, &exchanges_); error != MPI_SUCCESS) {
      return fail("MPI does not give a second communicator: {}", text_of(error));
    }
    MPI_Comm_set_errhandler(exchanges_, MPI_ERRORS_RETURN);
    if (ranks_ > 1) {
      alive_ = std::thread([this] { tell_alive(); });
    }
    return {};
  }

  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }

  void send(std::uint32_t to, std::uint32_t kind, std::string bytes) {
    const std::lock_guard lock(mutex_);
    send_locked(to, kind, std::move(bytes));
  }

  std::optional<Message> receive() {
    const std::lock_guard lock(mutex_);
    forget_sent();
    begin_receiving();
    for (std::uint32_t i = 0; i < ranks_; ++i) {
      const std::uint32_t from = (first_ + i) % ranks_;
      std::deque<std::unique_ptr<Transfer>>& arriving = arriving_[from];
      int done = 0;
      if (arriving.empty() || MPI_Test(&arriving.front()->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
          done == 0) {
        continue;
      }
      Message message{.from = from, .kind = arriving.front()->kind, .bytes = std::move(arriving.front()->bytes)};
      arriving.pop_front();
      first_ = from + 1;  // everyone has a turn
      return message;
    }
    return std::nullopt;
  }

  bool exchange(std::vector<std::string>& messages, const std::function<bool()>& goes_on) {
    const std::uint32_t peers = ranks_ - 1;
    const auto rank_of = [this](std::uint32_t peer) { return static_cast<int>(peer + (peer >= rank_ ? 1 : 0)); };
    std::vector<Transfer> leaving(peers);
    std::vector<Transfer> coming(peers);
    {
      const std::lock_guard lock(mutex_);
      for (std::uint32_t peer = 0; peer < peers; ++peer) {
        WEFT_ASSERT(messages[peer].size() < (std::size_t{1} << 31));
        leaving[peer].bytes = std::move(messages[peer]);
        MPI_Isend(leaving[peer].bytes.data(), static_cast<int>(leaving[peer].bytes.size()), MPI_BYTE, rank_of(peer), 0,
                  exchanges_, &leaving[peer].request);
      }
    }
    Patience patience;
    for (std::uint32_t done = 0; done < 2 * peers;) {
      done = 0;
      {
        const std::lock_guard lock(mutex_);
        for (std::uint32_t peer = 0; peer < peers; ++peer) {
          done += begin_exchange(rank_of(peer), coming[peer]) && is_done(coming[peer].request) ? 1 : 0;
          done += is_done(leaving[peer].request) ? 1 : 0;
        }
      }
      if (done < 2 * peers && !patience.wait(goes_on)) {
        // MPI may still read and write these.
        given_up_.push_back({std::move(leaving), std::move(coming)});
        return false;
      }
    }
    for (std::uint32_t peer = 0; peer < peers; ++peer) {
      messages[peer] = std::move(coming[peer].bytes);
    }
    return true;
  }

  void stop_telling() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    stopping_.notify_all();
    if (alive_.joinable()) {
      alive_.join();
    }
  }

 private:
  struct Transfer {
    MPI_Request request = MPI_REQUEST_NULL;
    std::uint32_t kind = 0;
    std::string bytes;
    bool has_begun = false;  // of one that comes in an exchange
  };

  /// Waits in short steps at first, as windows are short; then leaves the processor to others.
  class Patience {
   public:
    [[nodiscard]] bool wait(const std::function<bool()>& goes_on) {
      ++rounds_;
      if (rounds_ < kSpins) {
        return true;
      }
      if (rounds_ < kYields) {
        std::this_thread::yield();
        return true;
      }
      std::this_thread::sleep_for(kNap);
      return rounds_ % kNapsBetweenLooks != 0 || goes_on();
    }

   private:
    static constexpr std::uint32_t kSpins = 50;
    static constexpr std::uint32_t kYields = 5'000;
    static constexpr std::uint32_t kNapsBetweenLooks = 500;
    static constexpr std::chrono::microseconds kNap{100};
    std::uint32_t rounds_ = 0;
  };

  /// Whether the message of the rank has begun to come.
  bool begin_exchange(int from, Transfer& coming) {
    if (coming.has_begun) {
      return true;
    }
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Status status;
    int found = 0;
    if (MPI_Improbe(from, 0, exchanges_, &found, &matched, &status) != MPI_SUCCESS || found == 0) {
      return false;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    coming.bytes.resize(static_cast<std::size_t>(size));
    coming.has_begun = true;
    MPI_Imrecv(coming.bytes.data(), size, MPI_BYTE, &matched, &coming.request);
    return true;
  }
  [[nodiscard]] static bool is_done(MPI_Request& request) {
    int done = 0;
    return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
  }

  void send_locked(std::uint32_t to, std::uint32_t kind, std::string bytes) {
    WEFT_ASSERT(to < ranks_ && bytes.size() < (std::size_t{1} << 31));
    Transfer& sent = leaving_.emplace_back();
    sent.bytes = std::move(bytes);
    MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, static_cast<int>(to),
              static_cast<int>(kind), MPI_COMM_WORLD, &sent.request);
  }

  void forget_sent() {
    for (auto sent = leaving_.begin(); sent != leaving_.end();) {
      int done = 0;
      const int error = MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
      sent = done != 0 || error != MPI_SUCCESS ? leaving_.erase(sent) : std::next(sent);
    }
  }

  // What is large comes piece by piece, so that it is not waited for.
  void begin_receiving() {
    for (int found = 1; found != 0;) {
      MPI_Message matched = MPI_MESSAGE_NULL;
      MPI_Status status;
      found = 0;
      if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &matched, &status) != MPI_SUCCESS ||
          found == 0) {
        return;
      }
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      auto& arriving = arriving_[static_cast<std::size_t>(status.MPI_SOURCE)];
      Transfer& begun = *arriving.emplace_back(std::make_unique<Transfer>());
      begun.kind = static_cast<std::uint32_t>(status.MPI_TAG);
      begun.bytes.resize(static_cast<std::size_t>(size));
      MPI_Imrecv(begun.bytes.data(), size, MPI_BYTE, &matched, &begun.request);
    }
  }

  void tell_alive() {
    std::unique_lock lock(mutex_);
    while (!stopping_.wait_for(lock, kBetweenSignsOfLife, [this] { return stops_; })) {
      for (std::uint32_t to = rank_ == 0 ? 1 : 0; to < (rank_ == 0 ? ranks_ : 1); ++to) {
        send_locked(to, kAlive, {});
      }
      forget_sent();
    }
  }

  std::uint32_t rank_ = 0;
  std::uint32_t ranks_ = 1;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stops_ = false;
  std::thread alive_;
  MPI_Comm exchanges_ = MPI_COMM_NULL;
  std::vector<std::pair<std::vector<Transfer>, std::vector<Transfer>>> given_up_;
  std::list<Transfer> leaving_;                                  // that MPI may still read
  std::vector<std::deque<std::unique_ptr<Transfer>>> arriving_;  // by rank, in the order of sending
  std::uint32_t first_ = 0;                                      // whose turn it is to be received from
};

// MPI is one for the whole process.
Room& room() {
  static Room* const kRoom = new Room;  // never destroyed: a rank may end without leaving
  return *kRoom;
}

}  // namespace

std::string mpi_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find(','));
}

Result<void> join() { return room().join(); }
std::uint32_t rank() { return room().rank(); }
std::uint32_t ranks() { return room().ranks(); }

std::string machine() {
  std::string name(256, '\0');
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.substr(0, name.find('\0')) : std::string("?");
}

void send(std::uint32_t to, std::uint32_t kind, std::string bytes) { room().send(to, kind, std::move(bytes)); }
std::optional<Message> receive() { return room().receive(); }

bool exchange(std::vector<std::string>& messages, const std::function<bool()>& goes_on) {
  return room().exchange(messages, goes_on);
}

void leave(unsigned seconds) {
  room().stop_telling();
  ::alarm(seconds);
  MPI_Finalize();
  ::alarm(0);
}

void abandon(int status) {
  room().stop_telling();
  MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace weft::cluster
