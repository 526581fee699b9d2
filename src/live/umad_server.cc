#include "live/umad_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace weft::live {
namespace {

using subnet::UmadClientId;
using subnet::UmadControl;
using subnet::UmadPacket;

constexpr int kLongestWait = 250;                         // milliseconds
constexpr Duration kBetweenLooks = Duration::seconds(1);  // for processes that have ended
constexpr int kPacketsAtOnce = 64;                        // of one client, before others have their turn
constexpr std::size_t kLongestLine = 4'096;
constexpr std::int64_t kPicosecondsPerMillisecond = 1'000'000'000;

struct AbstractName {
  sockaddr_un address{};
  socklen_t size = 0;
};

/// Names end with a zero that counts, as libumad2sim makes them.
AbstractName abstract_name(const std::string& name) {
  AbstractName made;
  made.address.sun_family = AF_UNIX;
  std::memcpy(made.address.sun_path + 1, name.data(), name.size());
  made.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  return made;
}

const sockaddr* generic(const AbstractName& name) { return reinterpret_cast<const sockaddr*>(&name.address); }

/// Error: the system's number for why not.
tl::expected<FileDescriptor, int> bound_socket(const std::string& name) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const AbstractName address = abstract_name(name);
  if (!socket.is_open() || ::bind(socket.get(), generic(address), address.size) != 0) {
    return tl::unexpected(errno);
  }
  return socket;
}

/// Of a terminal, only the process group in front may read.
bool may_read(int descriptor) { return ::isatty(descriptor) == 0 || ::tcgetpgrp(descriptor) == ::getpgrp(); }

}  // namespace

Result<UmadServer> UmadServer::open(const std::string& name) {
  if (name.empty() || name.size() > kLongestName || name.find('\0') != std::string::npos) {
    return fail("a server's name has 1 to {} characters; found {}", kLongestName, name.size());
  }
  tl::expected<FileDescriptor, int> control = bound_socket(name + ":ctl");
  if (!control && control.error() == EADDRINUSE) {
    return fail("another server has the name '{}'; give this one another", name);
  }
  if (!control) {
    return fail("cannot bind '{}:ctl': {}", name, std::strerror(control.error()));
  }
  return UmadServer(name, std::move(*control));
}

Result<UmadServer::Counts> UmadServer::serve(const Options& options, subnet::UmadService& service,
                                             subnet::ServedSubnet& served) {
  last_look_ = clock_.now();
  while (options.keep_going()) {
    if (Result<void> waited = wait(options, std::min(served.next_timeout(), service.next_timeout())); !waited) {
      return pass_on(waited);
    }
    if (control_ready_) {
      take_control(options, service);
    }
    take_packets(options, service);
    if (console_ready_ && !take_lines(options)) {
      break;
    }
    if (const Time now = clock_.now(); served.next_timeout() <= now) {
      served.on_timeout(now);
    }
    if (const Time now = clock_.now(); service.next_timeout() <= now) {
      service.on_timeout(now);
    }
    write_packets(options, service);
    if (clock_.now() - last_look_ >= kBetweenLooks) {
      detach_ended(options, service);
    }
  }
  return counts_;
}

/// Until there is something to do, or a quarter of a second is over.
Result<void> UmadServer::wait(const Options& options, Time next_timeout) {
  std::vector<pollfd> polled{{.fd = control_.get(), .events = POLLIN, .revents = 0},
                             {.fd = -1, .events = POLLIN, .revents = 0}};
  if (console_open_ && options.console >= 0 && may_read(options.console)) {
    polled[1].fd = options.console;
  }
  std::vector<UmadClientId> clients;
  for (const auto& [client, connection] : connections_) {
    clients.push_back(client);
    const auto events = static_cast<short>(connection.waiting.empty() ? POLLIN : POLLIN | POLLOUT);
    polled.push_back({.fd = connection.socket.get(), .events = events, .revents = 0});
  }
  int milliseconds = kLongestWait;
  if (!next_timeout.is_never()) {
    const std::int64_t left = (next_timeout - clock_.now()).picoseconds() / kPicosecondsPerMillisecond + 1;
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongestWait));
  }
  const int ready = ::poll(polled.data(), polled.size(), milliseconds);
  if (ready < 0 && errno != EINTR) {
    return fail("cannot wait for clients: {}", std::strerror(errno));
  }
  control_ready_ = ready > 0 && polled[0].revents != 0;
  console_ready_ = ready > 0 && polled[1].revents != 0;
  readable_.clear();
  for (std::size_t i = 0; ready > 0 && i < clients.size(); ++i) {
    if (polled[i + 2].revents != 0) {
      readable_.push_back(clients[i]);
    }
  }
  return {};
}

Result<FileDescriptor> UmadServer::connect_client(UmadClientId client, std::uint32_t process) const {
  tl::expected<FileDescriptor, int> socket = bound_socket(fmt::format("{}:out{}", name_, client));
  if (!socket) {
    return fail("cannot bind '{}:out{}': {}", name_, client, std::strerror(socket.error()));
  }
  const AbstractName in = abstract_name(fmt::format("{}:in{}", name_, process));
  if (::connect(socket->get(), generic(in), in.size) != 0) {
    return fail("cannot reach process {}: {}", process, std::strerror(errno));
  }
  return std::move(*socket);
}

void UmadServer::take_control(const Options& options, subnet::UmadService& service) {
  std::array<std::byte, UmadControl::kSize + 1> bytes{};  // one more, so that what is too long is seen
  AbstractName from;
  from.size = sizeof from.address;
  const ssize_t size =
      ::recvfrom(control_.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from.address), &from.size);
  if (size < 0) {
    return;
  }
  const auto message = std::span<const std::byte>(bytes).first(static_cast<std::size_t>(size));
  detach_ended_before(message, options, service);
  Result<subnet::UmadService::ControlOutcome> outcome = service.on_control(message);
  if (!outcome) {
    ++counts_.refused;
    options.note(outcome.error().message);
    return;
  }
  if (outcome->attached) {
    const UmadClientId client = *outcome->attached;
    const subnet::UmadService::Client& attached = service.clients().at(client);
    Result<FileDescriptor> socket = connect_client(client, attached.process);
    if (socket) {
      options.note(fmt::format("client {} of process {} attached", client, attached.process));
      connections_[client] = {.socket = std::move(*socket), .process = attached.process};
    } else {
      outcome->problem = socket.error().message;
      outcome->reply.type = subnet::UmadControlType::kError;
      service.detach(client);
    }
  }
  if (outcome->detached) {
    options.note(fmt::format("client {} left", *outcome->detached));
    connections_.erase(*outcome->detached);
  }
  if (!outcome->problem.empty()) {
    options.note(outcome->problem);
  }
  const auto reply = outcome->reply.emit();
  if (::sendto(control_.get(), reply.data(), reply.size(), MSG_DONTWAIT, generic(from), from.size) < 0) {
    ++counts_.unwritten;  // a program that has ended meanwhile
  }
}

void UmadServer::take_packets(const Options& options, subnet::UmadService& service) {
  std::array<std::byte, UmadPacket::kSize + 1> bytes{};
  for (const UmadClientId client : readable_) {
    for (int i = 0; i < kPacketsAtOnce; ++i) {
      const auto connection = connections_.find(client);
      if (connection == connections_.end()) {
        break;
      }
      const ssize_t size = ::recv(connection->second.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size < 0) {
        break;
      }
      ++counts_.packets;
      const Result<void> taken =
          service.on_packet(client, std::span(bytes).first(static_cast<std::size_t>(size)), clock_.now());
      if (!taken) {
        ++counts_.refused;
        options.note(fmt::format("client {}: {}", client, taken.error().message));
      }
      write_packets(options, service);
    }
  }
}

void UmadServer::write_packets(const Options& options, subnet::UmadService& service) {
  write_waiting(options, service);
  while (const std::optional<subnet::UmadService::Output> output = service.poll_output()) {
    const auto connection = connections_.find(output->to);
    if (connection == connections_.end()) {
      continue;
    }
    std::deque<std::array<std::byte, UmadPacket::kSize>>& waiting = connection->second.waiting;
    if (waiting.empty() &&
        ::send(connection->second.socket.get(), output->bytes.data(), output->bytes.size(), MSG_DONTWAIT) >= 0) {
      continue;
    }
    if (waiting.size() < kMostWaiting) {
      waiting.push_back(output->bytes);
    } else {
      ++counts_.unwritten;
    }
  }
}

/// What clients had no room for before; of a client that has ended nothing waits any longer.
void UmadServer::write_waiting(const Options& options, subnet::UmadService& service) {
  std::vector<UmadClientId> ended;
  for (auto& [client, connection] : connections_) {
    while (!connection.waiting.empty()) {
      const auto& bytes = connection.waiting.front();
      if (::send(connection.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) < 0) {
        if (errno != EAGAIN && errno != EINTR) {
          ended.push_back(client);
        }
        break;
      }
      connection.waiting.pop_front();
    }
  }
  for (const UmadClientId client : ended) {
    const std::size_t waiting = connections_.at(client).waiting.size();
    options.note(fmt::format("client {} has ended without a word; {} packets waited for it", client, waiting));
    counts_.unwritten += waiting;
    connections_.erase(client);
    service.detach(client);
  }
}

/// Connecting again says whether the program's socket is still there.
void UmadServer::detach_ended(const Options& options, subnet::UmadService& service) {
  last_look_ = clock_.now();
  std::vector<UmadClientId> ended;
  for (const auto& [client, connection] : connections_) {
    const AbstractName in = abstract_name(fmt::format("{}:in{}", name_, connection.process));
    if (::connect(connection.socket.get(), generic(in), in.size) != 0 && errno == ECONNREFUSED) {
      ended.push_back(client);
    }
  }
  for (const UmadClientId client : ended) {
    options.note(fmt::format("client {} has ended without a word", client));
    counts_.unwritten += connections_.at(client).waiting.size();
    connections_.erase(client);
    service.detach(client);
  }
}

/// A manager that is started again finds no trace of its last process.
void UmadServer::detach_ended_before(std::span<const std::byte> control, const Options& options,
                                     subnet::UmadService& service) {
  const Result<UmadControl> message = UmadControl::parse(control);
  if (message &&
      (message->type == subnet::UmadControlType::kConnect || message->type == subnet::UmadControlType::kSetIsSm)) {
    detach_ended(options, service);
  }
}

/// Lines that are complete; false: one of them ends serving.
bool UmadServer::take_lines(const Options& options) {
  std::array<char, kLongestLine> bytes{};
  const ssize_t size = ::read(options.console, bytes.data(), bytes.size());
  if (size <= 0) {
    console_open_ = size < 0 && (errno == EAGAIN || errno == EINTR);
    const std::string last = console_open_ ? std::string() : std::exchange(line_, {});
    return last.empty() || options.on_line(last);
  }
  line_.append(bytes.data(), static_cast<std::size_t>(size));
  for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
    const std::string line = line_.substr(0, end);
    line_.erase(0, end + 1);
    if (!options.on_line(line)) {
      return false;
    }
  }
  if (line_.size() > kLongestLine) {
    options.note(fmt::format("a command has at most {} characters", kLongestLine));
    line_.clear();
  }
  return true;
}

}  // namespace weft::live
