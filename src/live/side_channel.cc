#include "live/side_channel.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace weft::live {
namespace {

constexpr std::int64_t kUnknownPathMtu = 1'500;
constexpr int kBacklog = 16;

int to_milliseconds(Duration span) { return static_cast<int>(span / Duration::milliseconds(1)); }

/// True if the descriptor became ready in time.
bool wait_for(int descriptor, short events, Duration timeout) {
  pollfd waited{.fd = descriptor, .events = events, .revents = 0};
  return ::poll(&waited, 1, to_milliseconds(timeout)) > 0;
}

template <class Function>
Result<SocketAddress> address_of(int socket, Function function) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (function(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
    return fail("cannot read the address of a connection: {}", std::strerror(errno));
  return SocketAddress::from(storage);
}

bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Result<SideChannel> SideChannel::connect(const ConnectOptions& options) {
  const SocketAddress& to = options.to;
  FileDescriptor socket(::socket(to.data()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open())
    return fail("cannot make a TCP socket: {}", std::strerror(errno));
  if (options.from && bind(socket.get(), options.from->data(), options.from->size()) != 0)
    return fail("cannot use address {}: {}", to_string(*options.from), std::strerror(errno));
  if (::connect(socket.get(), to.data(), to.size()) != 0 && errno != EINPROGRESS)
    return fail("cannot connect to {}: {}", to_string(to), std::strerror(errno));
  if (!wait_for(socket.get(), POLLOUT, options.timeout))
    return fail("no reply from {} within {} ms", to_string(to), to_milliseconds(options.timeout));
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
    return fail("cannot connect to {}: {}", to_string(to), std::strerror(error));
  return take(std::move(socket));
}

Result<SideChannel> SideChannel::take(FileDescriptor socket) {
  SideChannel channel(std::move(socket));
  const int fd = channel.socket_.get();
  const int on = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  Result<SocketAddress> local = address_of(fd, getsockname);
  if (!local)
    return pass_on(local);
  Result<SocketAddress> peer = address_of(fd, getpeername);
  if (!peer)
    return pass_on(peer);
  channel.local_ = *local;
  channel.peer_ = *peer;
  return channel;
}

std::int64_t SideChannel::path_mtu() const {
  int mtu = 0;
  socklen_t size = sizeof(mtu);
  const bool is_ipv4 = local_.is_ipv4();
  const int status = is_ipv4 ? getsockopt(socket_.get(), IPPROTO_IP, IP_MTU, &mtu, &size)
                             : getsockopt(socket_.get(), IPPROTO_IPV6, IPV6_MTU, &mtu, &size);
  return status == 0 && mtu > 0 ? mtu : kUnknownPathMtu;
}

// A message is far smaller than any socket buffer: one that does not fit has a peer that reads nothing.
Result<void> SideChannel::send(const SideMessage& message) {
  const std::string line = format_side_message(message) + '\n';
  const ssize_t sent = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(line.size()))
    return {};
  return fail("the side channel to {} is broken: {}", to_string(peer_),
              sent < 0 ? std::strerror(errno) : "the peer does not read");
}

Result<bool> SideChannel::poll(SideMessage& message) {
  if (received_.find('\n') == std::string::npos) {
    std::array<char, kMaxSideLine> piece;
    const ssize_t size = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (size == 0)
      return fail("{} has closed the side channel", to_string(peer_));
    if (size < 0 && would_wait(errno))
      return false;
    if (size < 0)
      return fail("the side channel to {} is broken: {}", to_string(peer_), std::strerror(errno));
    received_.append(piece.data(), static_cast<std::size_t>(size));
  }
  return take_line(message);
}

Result<bool> SideChannel::take_line(SideMessage& message) {
  const std::size_t end = received_.find('\n');
  if (end == std::string::npos) {
    if (received_.size() >= kMaxSideLine)
      return fail("{} sent a line above {} bytes", to_string(peer_), kMaxSideLine);
    return false;
  }
  Result<SideMessage> parsed = parse_side_message(std::string_view(received_).substr(0, end));
  received_.erase(0, end + 1);
  if (!parsed)
    return tl::unexpected<Error>(std::move(parsed.error()).at(to_string(peer_)));
  message = std::move(*parsed);
  return true;
}

Result<SideListener> SideListener::open(const SocketAddress& local) {
  FileDescriptor socket(::socket(local.data()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open())
    return fail("cannot make a TCP socket: {}", std::strerror(errno));
  SideListener listener(std::move(socket));
  const int fd = listener.socket_.get();
  const int on = 1;
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, local.data(), local.size()) != 0 || listen(fd, kBacklog) != 0)
    return fail("cannot listen on TCP port {}: {}", to_string(local), std::strerror(errno));
  Result<SocketAddress> bound = address_of(fd, getsockname);
  if (!bound)
    return pass_on(bound);
  listener.local_ = *bound;
  return listener;
}

Result<std::optional<SideChannel>> SideListener::accept() {
  FileDescriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.is_open()) {
    if (would_wait(errno) || errno == ECONNABORTED)
      return std::nullopt;
    return fail("cannot accept a connection: {}", std::strerror(errno));
  }
  Result<SideChannel> channel = SideChannel::take(std::move(socket));
  if (!channel)
    return std::nullopt;  // it has gone already
  return std::optional<SideChannel>(std::move(*channel));
}

}  // namespace weft::live
