#include "live/udp_socket.h"

#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"

namespace weft::live {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(std::uint16_t));
constexpr std::size_t kReceiveControlBytes = CMSG_SPACE(sizeof(int));

bool set_option(int socket, int level, int name, int value) {
  return setsockopt(socket, level, name, &value, sizeof(value)) == 0;
}

int get_option(int socket, int level, int name) {
  int value = 0;
  socklen_t size = sizeof(value);
  return getsockopt(socket, level, name, &value, &size) == 0 ? value : 0;
}

/// Errors of one datagram or run that another attempt would not mend, and that concern no other.
bool concerns_segmentation(int error) { return error == EIO || error == EINVAL || error == EMSGSIZE; }

bool is_full(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS; }

}  // namespace

struct UdpSocket::SendScratch {
  std::array<mmsghdr, kSendBatch> messages{};
  std::array<iovec, kSendBatch> pieces{};
  std::array<std::uint16_t, kSendBatch> datagrams{};  // in each message
  alignas(cmsghdr) std::array<std::array<std::byte, kControlBytes>, kSendBatch> controls{};
};

struct UdpSocket::ReceiveScratch {
  std::array<mmsghdr, kReceiveBatch> messages{};
  std::array<iovec, kReceiveBatch> pieces{};
  std::array<sockaddr_storage, kReceiveBatch> sources{};
  alignas(cmsghdr) std::array<std::array<std::byte, kReceiveControlBytes>, kReceiveBatch> controls{};
  std::vector<std::byte> bytes = std::vector<std::byte>(kReceiveBatch * kBufferBytes);
};

void UdpSocket::ScratchDeleter::operator()(SendScratch* scratch) const { delete scratch; }
void UdpSocket::ScratchDeleter::operator()(ReceiveScratch* scratch) const { delete scratch; }

UdpSocket::UdpSocket(FileDescriptor socket)
    : socket_(std::move(socket)), send_scratch_(new SendScratch), receive_scratch_(new ReceiveScratch) {
  ReceiveScratch& scratch = *receive_scratch_;
  for (std::size_t i = 0; i < kReceiveBatch; ++i) {
    scratch.pieces[i] = {.iov_base = scratch.bytes.data() + i * kBufferBytes, .iov_len = kBufferBytes};
    msghdr& header = scratch.messages[i].msg_hdr;
    header.msg_iov = &scratch.pieces[i];
    header.msg_iovlen = 1;
    header.msg_name = &scratch.sources[i];
    header.msg_control = scratch.controls[i].data();
  }
}

Result<UdpSocket> UdpSocket::open(const UdpSocketOptions& options) {
  const int family = options.local.is_ipv4() ? AF_INET : AF_INET6;
  FileDescriptor descriptor(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor.is_open())
    return fail("cannot make a UDP socket: {}", std::strerror(errno));
  UdpSocket socket(std::move(descriptor));
  if (Result<void> configured = socket.configure(options); !configured)
    return pass_on(configured);
  return socket;
}

Result<void> UdpSocket::configure(const UdpSocketOptions& options) {
  const int fd = socket_.get();
  const bool is_ipv4 = options.local.is_ipv4();
  const bool whole = is_ipv4 ? set_option(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
                             : set_option(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
  if (!whole)
    return fail("cannot forbid fragmentation: {}", std::strerror(errno));
  const auto buffer = static_cast<int>(options.buffer.count());
  // Without the room a burst is lost and repeated; that costs time only, so what the kernel gives is good enough.
  (void)set_option(fd, SOL_SOCKET, SO_RCVBUF, buffer);
  (void)set_option(fd, SOL_SOCKET, SO_SNDBUF, buffer);
  receive_buffer_ = Bytes(get_option(fd, SOL_SOCKET, SO_RCVBUF));
  if (bind(fd, options.local.data(), options.local.size()) != 0)
    return fail("cannot use UDP port {}: {}", to_string(options.local), std::strerror(errno));
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    return fail("cannot read the address of a socket: {}", std::strerror(errno));
  local_ = SocketAddress::from(bound);
  if (options.offload == UdpSocketOptions::Offload::kProbe) {
    // A kernel without the option does not know its number; the value 0 leaves plain sends as they are.
    segments_ = set_option(fd, IPPROTO_UDP, UDP_SEGMENT, 0);
    coalesces_ = set_option(fd, IPPROTO_UDP, UDP_GRO, 1);
  }
  return {};
}

std::size_t UdpSocket::send(std::span<const OutgoingDatagram> datagrams, Time /*now*/) {
  std::size_t taken = 0;
  while (taken < datagrams.size()) {
    const std::size_t count = std::min(datagrams.size() - taken, kSendBatch);
    const std::size_t sent = send_some(datagrams.subspan(taken, count));
    taken += sent;
    if (sent == 0)
      break;
  }
  return taken;
}

// At most kSendBatch datagrams. Returns those taken; zero means that there is no room.
std::size_t UdpSocket::send_some(std::span<const OutgoingDatagram> datagrams) {
  SendScratch& scratch = *send_scratch_;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < datagrams.size(); ++i) {
    const OutgoingDatagram& datagram = datagrams[i];
    scratch.pieces[i] = {.iov_base = const_cast<std::byte*>(datagram.bytes.data()), .iov_len = datagram.bytes.size()};
    if (datagram.segment != 0 && segments_ && i != 0) {
      ++scratch.messages[runs - 1].msg_hdr.msg_iovlen;
      ++scratch.datagrams[runs - 1];
      continue;
    }
    msghdr& header = scratch.messages[runs].msg_hdr;
    header = {};
    header.msg_name = const_cast<sockaddr*>(datagram.to->data());
    header.msg_namelen = datagram.to->size();
    header.msg_iov = &scratch.pieces[i];
    header.msg_iovlen = 1;
    scratch.datagrams[runs++] = 1;
  }
  for (std::size_t run = 0; run < runs; ++run) {
    msghdr& header = scratch.messages[run].msg_hdr;
    if (header.msg_iovlen == 1)
      continue;
    header.msg_control = scratch.controls[run].data();
    header.msg_controllen = kControlBytes;
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = IPPROTO_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(header.msg_iov->iov_len);
    std::memcpy(CMSG_DATA(control), &size, sizeof(size));
  }
  const int sent = sendmmsg(socket_.get(), scratch.messages.data(), static_cast<unsigned>(runs), MSG_DONTWAIT);
  if (sent > 0) {
    std::size_t taken = 0;
    for (std::size_t run = 0; run < static_cast<std::size_t>(sent); ++run)
      taken += scratch.datagrams[run];
    return taken;
  }
  if (is_full(errno) || errno == EINTR)
    return 0;
  if (scratch.datagrams[0] > 1 && concerns_segmentation(errno)) {
    segments_ = false;
    return send_some(datagrams);
  }
  ++refused_;
  return 1;
}

std::span<const IncomingDatagram> UdpSocket::receive(Time /*now*/) {
  ReceiveScratch& scratch = *receive_scratch_;
  for (mmsghdr& message : scratch.messages) {
    message.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
    message.msg_hdr.msg_controllen = kReceiveControlBytes;
  }
  incoming_.clear();
  const int received = recvmmsg(socket_.get(), scratch.messages.data(), kReceiveBatch, MSG_DONTWAIT, nullptr);
  for (int i = 0; i < received; ++i)
    split(static_cast<std::size_t>(i), scratch.messages[static_cast<std::size_t>(i)].msg_len);
  return incoming_;
}

// One buffer of the kernel may hold several datagrams of one size, the last of them shorter.
void UdpSocket::split(std::size_t index, std::size_t bytes) {
  ReceiveScratch& scratch = *receive_scratch_;
  msghdr& header = scratch.messages[index].msg_hdr;
  std::size_t segment = bytes;
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr; control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level == IPPROTO_UDP && control->cmsg_type == UDP_GRO) {
      int size = 0;
      std::memcpy(&size, CMSG_DATA(control), sizeof(size));
      segment = static_cast<std::size_t>(size);
    }
  }
  const SocketAddress from = SocketAddress::from(scratch.sources[index]);
  std::span<const std::byte> rest(scratch.bytes.data() + index * kBufferBytes, bytes);
  do {
    const std::size_t size = segment == 0 ? rest.size() : std::min(segment, rest.size());
    incoming_.push_back({.from = from, .bytes = rest.first(size)});
    rest = rest.subspan(size);
  } while (!rest.empty());
}

}  // namespace weft::live
