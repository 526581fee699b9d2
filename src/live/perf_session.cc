#include "live/perf_session.h"

#include <poll.h>

namespace weft::live {
namespace {

/// While busy polling, the side channel is read this often; when the loop sleeps, readiness wakes it.
constexpr Duration kLookInterval = Duration::milliseconds(1);

}  // namespace

Result<SideMessage> await_message(SideChannel& channel, Duration timeout, const StopFlag& stop) {
  const Clock clock;
  SideMessage message;
  while (true) {
    Result<bool> came = channel.poll(message);
    if (!came)
      return pass_on(came);
    if (*came)
      return message;
    if (stop.load())
      return fail("interrupted");
    if (clock.now() - Time::zero() > timeout)
      return fail("no message from {} for {} ms", to_string(channel.peer_address()),
                  timeout / Duration::milliseconds(1));
    pollfd waited{.fd = channel.descriptor(), .events = POLLIN, .revents = 0};
    (void)::poll(&waited, 1, static_cast<int>(Driver::kLongestSleep / Duration::milliseconds(1)));
  }
}

PerfSession::PerfSession(PerfEndpoint& endpoint, SideChannel& channel, const StopFlag& stop, Duration idle_timeout)
    : endpoint_(endpoint),
      channel_(channel),
      stop_(stop),
      idle_timeout_(idle_timeout),
      heard_(endpoint.clock().now()),
      looked_(heard_) {}

Result<void> PerfSession::run(PerfProgram& program) {
  while (!program.finished()) {
    Result<bool> came = turn(&program);
    if (!came)
      return pass_on(came);
    if (*came)
      return fail("unexpected message from {}", to_string(channel_.peer_address()));
  }
  return {};
}

Result<SideMessage> PerfSession::next_message(PerfProgram* program) {
  while (true) {
    Result<bool> came = turn(program);
    if (!came)
      return pass_on(came);
    if (*came)
      return message_;
  }
}

Result<bool> PerfSession::turn(PerfProgram* program) {
  if (stop_.load(std::memory_order_relaxed))
    return fail("interrupted");
  Driver& driver = endpoint_.driver();
  bool moved = driver.receive();
  if (program != nullptr) {
    if (Result<void> stepped = program->step(endpoint_.device().now()); !stepped)
      return pass_on(stepped);
  }
  moved |= driver.transmit();
  const bool told = !moved && driver.wait({.also = channel_.descriptor()});
  const Time now = endpoint_.device().now();
  if (told || now - looked_ >= kLookInterval)
    return look_at_channel(now);
  return false;
}

Result<bool> PerfSession::look_at_channel(Time now) {
  looked_ = now;
  Result<bool> came = channel_.poll(message_);
  if (!came)
    return came;
  if (const std::uint64_t received = endpoint_.driver().counters().received; *came || received != received_) {
    received_ = received;
    heard_ = now;
  }
  if (now - heard_ > idle_timeout_) {
    return fail("no message from {} for {} ms", to_string(channel_.peer_address()),
                idle_timeout_ / Duration::milliseconds(1));
  }
  return came;
}

}  // namespace weft::live
