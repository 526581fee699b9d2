#include "subnet/umad/open_requests.h"

#include <algorithm>

namespace weft::subnet {
namespace {

Duration time_of(UmadTransaction transaction) {
  const bool is_management =
      transaction.first == wire::kClassSubnetLidRouted || transaction.first == wire::kClassSubnetDirectedRoute;
  return is_management ? OpenRequests::kManagementTime : OpenRequests::kOtherTime;
}

}  // namespace

template <class Ended>
std::vector<OpenRequests::Request> OpenRequests::take(Ended ended) {
  std::vector<Request> taken;
  std::vector<Open> kept;
  for (Open& each : open_) {
    if (ended(each)) {
      taken.push_back(std::move(each.request));
    } else {
      kept.push_back(std::move(each));
    }
  }
  open_ = std::move(kept);
  return taken;
}

std::optional<OpenRequests::Request> OpenRequests::add(Request request, Time now) {
  answer(request.from, request.transaction);
  std::optional<Request> oldest;
  if (open_.size() == kMost) {
    oldest = std::move(open_.front().request);
    open_.erase(open_.begin());
  }
  const Time deadline = now + time_of(request.transaction);
  open_.push_back({.request = std::move(request), .deadline = deadline});
  return oldest;
}

void OpenRequests::answer(UmadClientId asked, UmadTransaction transaction) {
  std::erase_if(
      open_, [&](const Open& each) { return each.request.from == asked && each.request.transaction == transaction; });
}

std::vector<OpenRequests::Request> OpenRequests::forget(UmadClientId client) {
  std::erase_if(open_, [&](const Open& each) { return each.request.from == client; });
  return take([&](Open& each) {
    std::erase(each.request.takers, client);
    return each.request.takers.empty();
  });
}

Time OpenRequests::next_timeout() const {
  Time next = Time::never();
  for (const Open& each : open_) {
    next = std::min(next, each.deadline);
  }
  return next;
}

std::vector<OpenRequests::Request> OpenRequests::on_timeout(Time now) {
  return take([&](const Open& each) { return each.deadline <= now; });
}

}  // namespace weft::subnet
