// For tests: processes that are threads of this one, which hand one another their messages.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim/peers.h"

namespace weft::sim {

/// Where they meet. Whoever leaves is gone for the others.
class MeetingPlace {
 public:
  explicit MeetingPlace(std::uint32_t processes) : boxes_(processes), calls_(processes, 0) {}

  [[nodiscard]] std::uint32_t processes() const { return static_cast<std::uint32_t>(boxes_.size()); }

  /// `messages` by process, as exchange has them by peer; false: somebody has left.
  [[nodiscard]] bool exchange(std::uint32_t own, std::vector<std::string>& messages) {
    std::unique_lock lock(mutex_);
    const std::uint64_t call = ++calls_[own];
    boxes_[own][call % 2] = std::move(messages);
    changed_.notify_all();
    const auto have_come = [&] {
      for (const std::uint64_t calls : calls_) {
        if (calls < call) {
          return false;
        }
      }
      return true;
    };
    if (!changed_.wait_for(lock, std::chrono::minutes(2), [&] { return left_ || have_come(); }) || !have_come()) {
      left_ = true;
      return false;
    }
    messages.clear();
    for (std::uint32_t from = 0; from < processes(); ++from) {
      if (from != own) {
        messages.push_back(std::move(boxes_[from][call % 2][own - (own > from ? 1 : 0)]));
      }
    }
    return true;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  // By process: of this call and the one before, which a slow one may still read.
  std::vector<std::array<std::vector<std::string>, 2>> boxes_;
  std::vector<std::uint64_t> calls_;
  bool left_ = false;
};

class ThreadPeers final : public Peers {
 public:
  ThreadPeers(MeetingPlace& place, std::uint32_t own) : place_(place), own_(own) {}

  [[nodiscard]] std::uint32_t count() const override { return place_.processes() - 1; }
  [[nodiscard]] std::uint32_t own_number() const override { return own_; }
  [[nodiscard]] bool exchange(std::vector<std::string>& messages) override {
    ++exchanges_;
    if (exchanges_ > leaves_after_) {
      place_.leave();
      is_gone_ = true;
    }
    is_gone_ = is_gone_ || !place_.exchange(own_, messages);
    return !is_gone_;
  }
  [[nodiscard]] std::string why() const override { return "a process has left"; }
  /// As one that is killed.
  void leave_after(std::uint64_t exchanges) { leaves_after_ = exchanges; }

 private:
  MeetingPlace& place_;
  std::uint32_t own_;
  std::uint64_t exchanges_ = 0;
  std::uint64_t leaves_after_ = ~std::uint64_t{0};
  bool is_gone_ = false;
};

}  // namespace weft::sim
