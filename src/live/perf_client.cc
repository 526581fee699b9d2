#include "live/perf_client.h"

#include "live/perf_requester.h"

namespace weft::live {
namespace {

tl::unexpected<PerfFailure> failed(PerfFailure::Stage stage, Error error) {
  return tl::unexpected<PerfFailure>({.stage = stage, .error = std::move(error)});
}

template <class Expected>
Result<Expected> expect(Result<SideMessage> message) {
  if (!message)
    return pass_on(message);
  if (Expected* const found = std::get_if<Expected>(&*message); found != nullptr)
    return std::move(*found);
  if (const Refuse* const refuse = std::get_if<Refuse>(&*message); refuse != nullptr)
    return fail("the server refuses: {}", refuse->reason);
  return fail("unexpected reply from the server: '{}'", format_side_message(*message));
}

Result<PerfConnection> introduce(PerfEndpoint& endpoint, SideChannel& channel, const PerfClientOptions& options,
                                 const StopFlag& stop) {
  if (Result<void> sent = channel.send(Hello{.plan = options.plan, .peer = endpoint.parameters()}); !sent)
    return pass_on(sent);
  Result<Welcome> welcome = expect<Welcome>(await_message(channel, options.side.idle_timeout, stop));
  if (!welcome)
    return pass_on(welcome);
  const std::uint32_t qpn = endpoint.parameters().qpn;
  if (Result<void> connected = endpoint.connect(welcome->peer, channel.peer_address()); !connected)
    return pass_on(connected);
  return PerfConnection{
      .plan = options.plan,
      .local = channel.local_address().with_port(static_cast<std::uint16_t>(endpoint.parameters().udp_port)),
      .peer = channel.peer_address().with_port(static_cast<std::uint16_t>(welcome->peer.udp_port)),
      .mtu = verbs::to_bytes(endpoint.mtu()).count(),
      .local_qpn = qpn,
      .peer_qpn = welcome->peer.qpn};
}

Result<RowResult> run_row(PerfEndpoint& endpoint, PerfSession& session, PerfRow row) {
  PerfRequester requester(endpoint, row);
  if (Result<void> sent = session.send(Start{.size = row.size, .iterations = row.iterations}); !sent)
    return pass_on(sent);
  if (Result<Ready> ready = expect<Ready>(session.next_message(nullptr)); !ready)
    return pass_on(ready);
  if (Result<void> run = session.run(requester); !run)
    return pass_on(run);
  if (Result<void> sent = session.send(Done{}); !sent)
    return pass_on(sent);
  Result<Verdict> verdict = expect<Verdict>(session.next_message(nullptr));
  if (!verdict)
    return pass_on(verdict);
  RowResult result = requester.result();
  result.wrong += verdict->wrong;
  return result;
}

}  // namespace

std::uint64_t PerfClientReport::wrong() const {
  std::uint64_t sum = 0;
  for (const RowResult& row : rows)
    sum += row.wrong;
  return sum;
}

tl::expected<PerfClientReport, PerfFailure> run_perf_client(const PerfClientOptions& options,
                                                            const PerfListener& listener, const StopFlag& stop) {
  using Stage = PerfFailure::Stage;
  Result<SideChannel> channel =
      SideChannel::connect({.to = options.server, .from = options.local, .timeout = options.side.idle_timeout});
  if (!channel)
    return failed(Stage::kConnecting, channel.error());
  Result<std::unique_ptr<PerfEndpoint>> opened = PerfEndpoint::open(
      {.plan = options.plan, .side = options.side, .local = channel->local_address(), .path_mtu = channel->path_mtu()});
  if (!opened)
    return failed(Stage::kConnecting, opened.error());
  PerfEndpoint& endpoint = **opened;
  Result<PerfConnection> connection = introduce(endpoint, *channel, options, stop);
  if (!connection)
    return failed(Stage::kConnecting, connection.error());
  if (listener.on_connected)
    listener.on_connected(*connection);

  PerfSession session(endpoint, *channel, stop, options.side.idle_timeout);
  PerfClientReport report{.connection = *connection};
  for (const PerfRow row : options.rows) {
    Result<RowResult> result = run_row(endpoint, session, row);
    if (!result)
      return failed(Stage::kRunning, result.error());
    if (listener.on_row)
      listener.on_row(*connection, *result);
    report.rows.push_back(*result);
  }
  (void)session.send(Bye{});
  report.counters = endpoint.counters();
  return report;
}

}  // namespace weft::live
