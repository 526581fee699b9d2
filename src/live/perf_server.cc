#include "live/perf_server.h"

#include "live/perf_responder.h"

namespace weft::live {
namespace {

Result<Hello> await_hello(SideChannel& channel, Duration timeout, const StopFlag& stop) {
  Result<SideMessage> message = await_message(channel, timeout, stop);
  if (!message)
    return pass_on(message);
  const Hello* const hello = std::get_if<Hello>(&*message);
  if (hello == nullptr)
    return fail("{} sent no hello", to_string(channel.peer_address()));
  if (is_atomic(hello->plan.op) && hello->plan.size != 8)
    return fail("an atomic has 8 bytes, not {}", hello->plan.size);
  return *hello;
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
    Result<std::optional<SideChannel>> channel = listener_.accept();
    if (!channel)
      return pass_on(channel);
    if (!*channel) {
      listener_.wait(Driver::kLongestSleep);
      continue;
    }
    PerfVisit visit{.connection = {.local = (*channel)->local_address(), .peer = (*channel)->peer_address()}};
    if (Result<void> served = serve(**channel, visit, stop); !served)
      visit.error = std::move(served.error());
    return std::optional<PerfVisit>(std::move(visit));
  }
  return std::nullopt;
}

Result<void> PerfServer::serve(SideChannel& channel, PerfVisit& visit, const StopFlag& stop) {
  const auto refuse = [&channel](Error& error) {
    (void)channel.send(Refuse{.reason = error.message});
    return tl::unexpected<Error>(std::move(error));
  };
  Result<Hello> hello = await_hello(channel, options_.side.idle_timeout, stop);
  if (!hello)
    return refuse(hello.error());
  visit.connection.plan = hello->plan;
  Result<std::unique_ptr<PerfEndpoint>> endpoint = PerfEndpoint::open(
      {.plan = hello->plan, .side = options_.side, .local = channel.local_address(), .path_mtu = channel.path_mtu()});
  if (!endpoint)
    return refuse(endpoint.error());
  if (Result<void> connected = (*endpoint)->connect(hello->peer, channel.peer_address()); !connected)
    return refuse(connected.error());
  const PeerParameters own = (*endpoint)->parameters();
  visit.connection.mtu = own.mtu;
  visit.connection.local_qpn = own.qpn;
  visit.connection.peer_qpn = hello->peer.qpn;
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
