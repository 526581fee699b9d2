#include "cli/subnet_serve.h"

#include <fmt/core.h>

#include <cstdio>

#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/serve_console.h"
#include "cli/serve_counters.h"
#include "live/umad_server.h"
#include "subnet/agent/managed_state.h"
#include "subnet/forwarding_dump.h"
#include "subnet/multicast/multicast_dump.h"

namespace weft::cli {
namespace {

constexpr std::string_view kCommand = "subnet serve";
constexpr int kStandardInput = 0;

/// At once, also into a pipe: what waits for the server reads it. Beside standard output where the tables go there.
void say(const SubnetText& text, const std::string& line) {
  std::FILE* const stream = text.write == "-" || text.write_groups == "-" ? stderr : stdout;
  fmt::print(stream, "{}", line);
  std::fflush(stream);
}

/// Where programs attach that name no node.
subnet::PortPlace default_place(const subnet::Subnet& subnet) {
  const Result<subnet::PortPlace> manager = subnet::manager_port(subnet);
  return manager ? *manager : subnet::PortPlace{.node = subnet::NodeIndex(0), .port = 0};
}

/// The tables that the manager has set, as OpenSM dumps them.
Result<void> write_tables(const std::string& file, const subnet::Subnet& subnet, const subnet::ServedSubnet& served) {
  const Result<subnet::ManagedState> state = subnet::managed_state(subnet, served);
  if (!state) {
    return fail("--write: {}", state.error().message);
  }
  return write_text(file, subnet::write_lfts(state->swept.subnet, state->swept.view, state->tables));
}

/// Those of multicast.
Result<void> write_groups(const std::string& file, const subnet::Subnet& subnet, const subnet::ServedSubnet& served) {
  const Result<subnet::ManagedState> state = subnet::managed_state(subnet, served);
  if (!state) {
    return fail("--write-groups: {}", state.error().message);
  }
  return write_text(file, subnet::write_mcfdbs(state->swept.view, state->groups));
}

std::string final_text(const subnet::ServedSubnet& served, const subnet::UmadService& service,
                       const live::UmadServer::Counts& counts) {
  const subnet::LostMads& lost = served.lost();
  return fmt::format(
      "{} requests answered; {} MADs lost: {} without a route, {} at links that are down, {} in loops, {} with a wrong "
      "M_Key, {} malformed; {} for no program; {} requests returned without an answer; {} datagrams refused, {} "
      "packets that programs did not take\n",
      served.answered(), lost.total(), lost.no_route, lost.link_down, lost.loops, lost.wrong_key, lost.malformed,
      service.unclaimed(), service.returned(), counts.refused, counts.unwritten);
}

Result<void> take_counters(const std::string& file, const subnet::Subnet& subnet, subnet::ServedSubnet& served) {
  if (file.empty()) {
    return {};
  }
  const Result<study::results::RunResults> run = read_counters(file);
  Result<void> added = run ? add_run_counters(*run, subnet, served) : Result<void>(tl::unexpected(run.error()));
  return added ? added : fail("--counters: {}", added.error().message);
}

/// Until the user ends it.
Result<void> serve_programs(const SubnetText& text, live::UmadServer& server, ServeConsole& console,
                            subnet::UmadService& service, subnet::ServedSubnet& served) {
  const live::UmadServer::Options options{.keep_going = [] { return !interrupted(); },
                                          .console = kStandardInput,
                                          .on_line =
                                              [&](std::string_view line) {
                                                const ServeConsole::Outcome outcome = console.take(line);
                                                if (!outcome.error.empty()) {
                                                  complain(kCommand, Error{outcome.error}, kUsageError);
                                                }
                                                say(text, outcome.text);
                                                return !outcome.ends;
                                              },
                                          .note =
                                              [&](const std::string& note) {
                                                if (!text.quiet) {
                                                  say(text, terminal_text(note) + "\n");
                                                }
                                              }};
  const Result<live::UmadServer::Counts> counts = server.serve(options, service, served);
  if (!counts) {
    return tl::unexpected(counts.error());
  }
  if (!text.quiet) {
    say(text, final_text(served, service, *counts));
  }
  return {};
}

int serve(const SubnetText& text) {
  if (text.write == "-" && text.write_groups == "-") {
    return complain(kCommand,
                    Error{"--write - and --write-groups - both mean standard output; write one of them to a file"},
                    kUsageError);
  }
  for (const std::string& output : {text.write, text.write_groups}) {
    if (const Result<void> possible = check_text_output(output); !possible) {
      return complain(kCommand, possible.error(), kFault);
    }
  }
  const Result<ReadSubnet> read = read_topology(text);
  if (!read) {
    return complain(kCommand, read.error(), kUsageError);
  }
  const subnet::Subnet& subnet = read->subnet;
  subnet::ServedSubnet served(subnet);
  if (const Result<void> taken = take_counters(text.counters, subnet, served); !taken) {
    return complain(kCommand, taken.error(), kUsageError);
  }
  subnet::UmadService service({.subnet = subnet, .anywhere = default_place(subnet)}, served);
  Result<live::UmadServer> server = live::UmadServer::open(text.server);
  if (!server) {
    return complain(kCommand, Error{fmt::format("--name: {}", server.error().message)}, kUsageError);
  }
  catch_interrupts();
  ServeConsole console(subnet, served, service);
  if (!text.quiet) {
    say(text, fmt::format(
                  "serving {} nodes as '{}'; attach programs with IBSIM_SOCKNAME={} SIM_HOST=NODE ibsim-run PROGRAM\n",
                  subnet.nodes.size(), text.server, text.server));
  }
  if (const Result<void> served_them = serve_programs(text, *server, console, service, served); !served_them) {
    return complain(kCommand, served_them.error(), kFault);
  }
  if (!text.write.empty()) {
    if (const Result<void> written = write_tables(text.write, subnet, served); !written) {
      return complain(kCommand, written.error(), kFault);
    }
  }
  if (!text.write_groups.empty()) {
    if (const Result<void> written = write_groups(text.write_groups, subnet, served); !written) {
      return complain(kCommand, written.error(), kFault);
    }
  }
  return interrupted() ? kInterrupted : kSuccess;
}

}  // namespace

void add_subnet_serve(CLI::App& command, SubnetText& text, int& exit_status) {
  CLI::App* of_serve = command.add_subcommand("serve", "Let a real OpenSM and its tools manage the subnet");
  add_subnet_file_options(*of_serve, text);
  text.server = "sim";
  of_serve->add_option("--name", text.server, "Name of its sockets; default: sim, as in ibsim")
      ->envname("IBSIM_SOCKNAME");
  of_serve->add_option("--counters", text.counters, "Results (.weft) of a run whose counters the ports have");
  of_serve->add_option("--write", text.write,
                       "At the end, write the forwarding tables that the manager has set; - = standard output");
  of_serve->add_option("--write-groups", text.write_groups,
                       "At the end, write the multicast tables that the manager has set; - = standard output");
  of_serve->add_flag("-q,--quiet", text.quiet, "No text but answers to commands");
  of_serve->footer("Exit status: 0 ended by quit, 1 a file cannot be written, 2 wrong input, 130 Ctrl-C.");
  of_serve->callback([&text, &exit_status] { exit_status = serve(text); });
}

}  // namespace weft::cli
