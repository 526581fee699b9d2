#include "live/perf_server.h"

#include <poll.h>

#include "live/perf_responder.h"

namespace weft::live {
namespace {

Result<Hello> hello_of(const SideMessage& message, const SocketAddress& peer) {
  const Hello* const hello = std::get_if<Hello>(&message);
  if (hello == nullptr)
    return fail("{} sent no hello", to_string(peer));
  if (is_atomic(hello->plan.op) && hello->plan.size != 8)
    return fail("an atomic has 8 bytes, not {}", hello->plan.size);
  return *hello;
}

/// Both sides must speak the same.
Result<void> agree(const PerfPlan& plan, const PerfSideOptions& side) {
  if (plan.transport != side.transport) {
    return fail("the client asks for --transport {}; this server serves {}", to_string(plan.transport),
                to_string(side.transport));
  }
  const PerfSecurity own = side.key ? PerfSecurity::kTss : PerfSecurity::kNone;
  if (plan.security != own) {
    return fail("the client {}; this server {}",
                plan.security == PerfSecurity::kTss ? "encrypts" : "does not encrypt (--encrypt)",
                own == PerfSecurity::kTss ? "encrypts" : "has no key (--encrypt)");
  }
  return {};
}

/// Tells the client why, and the caller.
tl::unexpected<Error> refuse(SideChannel& channel, Error error) {
  (void)channel.send(Refuse{.reason = error.message});
  return tl::unexpected<Error>(std::move(error));
}

Result<std::uint64_t> serve_row(PerfEndpoint& endpoint, PerfSession& session, PerfRow row) {
  PerfResponder responder(endpoint, row);
  if (Result<void> prepared = responder.prepare(); !prepared)
    return pass_on(prepared);
  if (Result<void> sent = session.send(Ready{}); !sent)
    return pass_on(sent);
  Result<SideMessage> message = session.next_message(&responder);
  if (!message)
    return pass_on(message);
  if (!std::holds_alternative<Done>(*message))
    return fail("the client sent '{}' during a row", format_side_message(*message));
  if (Result<void> drained = session.run(responder); !drained)
    return pass_on(drained);
  const std::uint64_t wrong = responder.count_wrong();
  if (Result<void> sent = session.send(Verdict{.wrong = wrong}); !sent)
    return pass_on(sent);
  return wrong;
}

}  // namespace

Result<PerfServer> PerfServer::open(const PerfServerOptions& options) {
  Result<SideListener> listener = SideListener::open(options.local);
  if (!listener)
    return pass_on(listener);
  return PerfServer(options, std::move(*listener));
}

Result<std::optional<PerfVisit>> PerfServer::serve_one(const StopFlag& stop) {
  while (!stop.load()) {
    if (Result<void> admitted = admit(); !admitted)
      return pass_on(admitted);
    if (std::optional<PerfVisit> visit = next_visit(stop))
      return visit;
    wait_for_news();
  }
  return std::nullopt;
}

Result<void> PerfServer::admit() {
  while (newcomers_.size() < kMostNewcomers) {
    Result<std::optional<SideChannel>> channel = listener_.accept();
    if (!channel)
      return pass_on(channel);
    if (!*channel)
      break;
    newcomers_.push_back({.channel = std::move(**channel), .since = clock_.now()});
  }
  return {};
}

std::optional<PerfVisit> PerfServer::next_visit(const StopFlag& stop) {
  for (auto newcomer = newcomers_.begin(); newcomer != newcomers_.end(); ++newcomer) {
    SideMessage message;
    Result<bool> came = newcomer->channel.poll(message);
    const bool too_late = clock_.now() - newcomer->since > options_.side.idle_timeout;
    if (came && !*came && !too_late)
      continue;
    SideChannel channel = std::move(newcomer->channel);
    newcomers_.erase(newcomer);
    PerfVisit visit{.connection = {.local = channel.local_address(), .peer = channel.peer_address()}};
    Result<void> served;
    if (!came)
      served = refuse(channel, came.error());
    else if (*came)
      served = greet(channel, message, visit, stop);
    else
      served = refuse(channel, {fmt::format("no message from {} for {} ms", to_string(channel.peer_address()),
                                            options_.side.idle_timeout / Duration::milliseconds(1))});
    if (!served)
      visit.error = std::move(served.error());
    return visit;
  }
  return std::nullopt;
}

// Until somebody connects or says something; also now and then, for those whose time has run out.
void PerfServer::wait_for_news() const {
  std::vector<pollfd> waited;
  if (newcomers_.size() < kMostNewcomers)
    waited.push_back({.fd = listener_.descriptor(), .events = POLLIN, .revents = 0});
  for (const Newcomer& newcomer : newcomers_)
    waited.push_back({.fd = newcomer.channel.descriptor(), .events = POLLIN, .revents = 0});
  (void)::poll(waited.data(), waited.size(), static_cast<int>(Driver::kLongestSleep / Duration::milliseconds(1)));
}

Result<void> PerfServer::greet(SideChannel& channel, const SideMessage& message, PerfVisit& visit,
                               const StopFlag& stop) {
  const Result<Hello> hello = hello_of(message, channel.peer_address());
  return hello ? serve(channel, *hello, visit, stop) : refuse(channel, hello.error());
}

Result<void> PerfServer::serve(SideChannel& channel, const Hello& hello, PerfVisit& visit, const StopFlag& stop) {
  visit.connection.plan = hello.plan;
  if (Result<void> agreed = agree(hello.plan, options_.side); !agreed)
    return refuse(channel, agreed.error());
  Result<std::unique_ptr<PerfEndpoint>> endpoint = PerfEndpoint::open(
      {.plan = hello.plan, .side = options_.side, .local = channel.local_address(), .path_mtu = channel.path_mtu()});
  if (!endpoint)
    return refuse(channel, endpoint.error());
  if (Result<void> connected = (*endpoint)->connect(hello.peer, channel.peer_address()); !connected)
    return refuse(channel, connected.error());
  const PeerParameters own = (*endpoint)->parameters();
  visit.connection.mtu = own.mtu;
  visit.connection.local_qpn = own.qpn;
  visit.connection.peer_qpn = hello.peer.qpn;
  if (Result<void> sent = channel.send(Welcome{.peer = own}); !sent)
    return sent;
  Result<void> served = serve_rows(**endpoint, channel, visit, stop);
  visit.counters = (*endpoint)->counters();
  return served;
}

Result<void> PerfServer::serve_rows(PerfEndpoint& endpoint, SideChannel& channel, PerfVisit& visit,
                                    const StopFlag& stop) {
  PerfSession session(endpoint, channel, stop, options_.side.idle_timeout);
  while (true) {
    Result<SideMessage> message = session.next_message(nullptr);
    if (!message)
      return pass_on(message);
    if (std::holds_alternative<Bye>(*message))
      return {};
    const Start* const start = std::get_if<Start>(&*message);
    if (start == nullptr || start->size > visit.connection.plan.size)
      return fail("the client sent '{}' between rows", format_side_message(*message));
    if (is_atomic(visit.connection.plan.op) && start->size != 8)
      return fail("an atomic has 8 bytes, not {}", start->size);
    Result<std::uint64_t> wrong = serve_row(endpoint, session, {.size = start->size, .iterations = start->iterations});
    if (!wrong)
      return pass_on(wrong);
    visit.wrong += *wrong;
    ++visit.rows;
  }
}

}  // namespace weft::live
