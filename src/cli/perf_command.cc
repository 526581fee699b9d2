#include "cli/perf_command.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/perf_print.h"
#include "cli/terminal.h"

namespace weft::cli {
namespace {

// A signal handler can reach nothing but what has static storage.
live::StopFlag stop_requested{false};
static_assert(live::StopFlag::is_always_lock_free);

void request_stop(int /*signal*/) { stop_requested.store(true); }

/// Without SA_RESTART, so that a sleeping loop wakes.
void catch_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int complain_unless_stopped(std::string_view side, const Error& error, int status) {
  return stop_requested.load() ? kInterrupted : complain(fmt::format("perf {}", side), error, status);
}

/// Standard output carries the JSON alone if that was asked for; the table goes to standard error then.
std::FILE* text_stream(const PerfSideText& text) { return text.json == "-" ? stderr : stdout; }

Result<void> write_report(const std::string& json, const std::string& where) {
  if (where == "-") {
    fmt::print("{}", json);
    return {};
  }
  return write_file(where, json);
}

Result<std::optional<live::PacketTap>> open_tap(const std::string& file) {
  if (file.empty())
    return std::nullopt;
  Result<live::PacketTap> tap = live::PacketTap::create(file);
  if (!tap)
    return pass_on(tap);
  return std::optional<live::PacketTap>(std::move(*tap));
}

int finish_tap(std::string_view side, std::optional<live::PacketTap>& tap, int status) {
  if (!tap)
    return status;
  Result<void> closed = tap->close();
  return closed ? status : complain_unless_stopped(side, closed.error(), kFault);
}

int report_client(const PerfClientText& text, const live::PerfClientReport& report) {
  fmt::print(text_stream(text.side), "{}", summary_text(report, terminal_columns(text_stream(text.side))));
  if (!text.side.json.empty()) {
    if (Result<void> written = write_report(to_json(report), text.side.json); !written)
      return complain_unless_stopped("client", written.error(), kFault);
  }
  return report.wrong() == 0 ? kSuccess : kFault;
}

int run_client(const PerfClientText& text) {
  Result<live::PerfClientOptions> options = to_options(text);
  if (!options)
    return complain_unless_stopped("client", options.error(), kUsageError);
  Result<std::optional<live::PacketTap>> tap = open_tap(text.side.pcap);
  if (!tap)
    return complain_unless_stopped("client", tap.error(), kUsageError);
  if (*tap)
    options->side.tap = &**tap;
  catch_signals();
  std::FILE* const out = text_stream(text.side);
  const live::PerfListener listener{.on_connected =
                                        [out](const live::PerfConnection& connection) {
                                          fmt::print(out, "{}", connection_text(connection, terminal_columns(out)));
                                        },
                                    .on_row =
                                        [out](const live::PerfConnection& connection, const live::RowResult& row) {
                                          fmt::print(out, "{}", row_text(connection, row, terminal_columns(out)));
                                          std::fflush(out);
                                        }};
  const auto report = live::run_perf_client(*options, listener, stop_requested);
  int status = kSuccess;
  if (report) {
    status = report_client(text, *report);
  } else {
    const bool never_began = report.error().stage == live::PerfFailure::Stage::kConnecting;
    status = complain_unless_stopped("client", report.error().error, never_began ? kUsageError : kFault);
  }
  return finish_tap("client", *tap, status);
}

int serve(live::PerfServer& server, const PerfServerText& text) {
  while (true) {
    Result<std::optional<live::PerfVisit>> visit = server.serve_one(stop_requested);
    if (!visit)
      return complain_unless_stopped("server", visit.error(), kFault);
    if (!*visit)
      return kInterrupted;
    std::FILE* const out = text_stream(text.side);
    fmt::print(out, "{}", visit_text(**visit));
    std::fflush(out);
    if (!text.side.json.empty()) {
      if (Result<void> written = write_report(to_json(**visit), text.side.json); !written)
        return complain_unless_stopped("server", written.error(), kFault);
      std::fflush(stdout);
    }
    if (stop_requested.load())
      return kInterrupted;
    if (text.once)
      return (*visit)->error || (*visit)->wrong != 0 ? kFault : kSuccess;
  }
}

int run_server(const PerfServerText& text) {
  Result<live::PerfServerOptions> options = to_options(text);
  if (!options)
    return complain_unless_stopped("server", options.error(), kUsageError);
  Result<std::optional<live::PacketTap>> tap = open_tap(text.side.pcap);
  if (!tap)
    return complain_unless_stopped("server", tap.error(), kUsageError);
  if (*tap)
    options->side.tap = &**tap;
  Result<live::PerfServer> server = live::PerfServer::open(*options);
  if (!server)
    return complain_unless_stopped("server", server.error(), kUsageError);
  catch_signals();
  std::FILE* const out = text_stream(text.side);
  fmt::print(out, "listening on {}\n", to_string(server->local_address()));
  if (!server->local_address().is_loopback()) {
    fmt::print(stderr,
               "weft perf server: whoever can reach this address may start tests, and is told memory keys and PSNs in "
               "clear: only for networks you trust\n");
  }
  std::fflush(out);
  return finish_tap("server", *tap, serve(*server, text));
}

}  // namespace

void add_perf_command(CLI::App& app, PerfText& text, int& exit_status) {
  CLI::App* perf =
      app.add_subcommand("perf", "Measure the engine of RoCEv2 or Ultra Ethernet between two processes over UDP");
  perf->require_subcommand(1);

  CLI::App* server = perf->add_subcommand("server", "Serve clients, one after another, until Ctrl-C");
  add_options(*server, text.server);
  server->footer("Exit status: 0 served (--once), 1 a client failed (--once), 2 cannot start, 130 Ctrl-C.");
  server->callback([&text, &exit_status] { exit_status = run_server(text.server); });

  CLI::App* client = perf->add_subcommand("client", "Run one test against a server");
  add_options(*client, text.client);
  client->footer("Exit status: 0 done, 1 aborted or wrong data, 2 cannot start, 130 Ctrl-C.");
  client->callback([&text, &exit_status] { exit_status = run_client(text.client); });
}

}  // namespace weft::cli
