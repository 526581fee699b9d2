#include "cli/subnet_command.h"

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "cli/subnet_output.h"
#include "cli/terminal.h"
#include "subnet/discovery_text.h"
#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"

namespace weft::cli {
namespace {

/// What a part of the command found, in both forms.
struct Said {
  std::string text;
  nlohmann::ordered_json json;
  int exit_status = kSuccess;
};

LineWidth columns(const SubnetText& text) { return terminal_columns(text.json == "-" ? stderr : stdout); }

/// The ends of routes that --from and --to name: the first LID of a source, all LIDs of a destination.
Result<std::vector<TracedRoute>> trace(const SubnetText& text, const ManagedSubnet& managed) {
  std::vector<subnet::EndPort> ends;
  for (const auto& [option, name] : {std::pair("--from", &text.from), std::pair("--to", &text.to)}) {
    const Result<subnet::NodeIndex> node = subnet::find_node(managed.subnet, *name);
    if (!node) {
      return fail("{}: {}", option, node.error().message);
    }
    const auto end = std::ranges::find_if(managed.view.end_ports,
                                          [&](const subnet::EndPort& port) { return port.place.node == *node; });
    if (end == managed.view.end_ports.end()) {
      return fail("{}: '{}' has no port with a LID", option, *name);
    }
    ends.push_back(*end);
  }
  std::vector<TracedRoute> routes;
  for (std::uint32_t i = 0; i < ends[1].lids; ++i) {
    const subnet::RouteEnds between{.from = ends[0].lid, .to = static_cast<subnet::Lid>(ends[1].lid + i)};
    Result<std::vector<subnet::Egress>> path = subnet::trace_route(managed.view, managed.routes.routes.tables, between);
    if (!path) {
      return pass_on(path);
    }
    routes.push_back(
        {.ends = between, .lane = managed.routes.routes.plan.lane(between.from, between.to), .path = std::move(*path)});
  }
  return routes;
}

Result<Said> show(const SubnetText& text, const ManagedSubnet& managed) {
  if (!text.write.empty()) {
    if (Result<void> written = write_text(text.write, subnet::write_ibnetdiscover(managed.subnet)); !written) {
      return pass_on(written);
    }
  }
  return Said{.text = nodes_text(managed, columns(text)), .json = nodes_json(managed)};
}

Result<Said> routes(const SubnetText& text, const ManagedSubnet& managed) {
  if (!text.write.empty()) {
    const std::string dump = subnet::write_lfts(managed.subnet, managed.view, managed.routes.routes.tables);
    if (Result<void> written = write_text(text.write, dump); !written) {
      return pass_on(written);
    }
  }
  if (text.from.empty() && text.to.empty()) {
    const subnet::RouteReport report = subnet::report_routes(managed.view, managed.routes.routes);
    return Said{.text = balance_text(managed, report, columns(text)), .json = balance_json(managed, report)};
  }
  const Result<std::vector<TracedRoute>> traced = trace(text, managed);
  if (!traced) {
    return tl::unexpected(traced.error());
  }
  return Said{.text = traces_text(managed, *traced), .json = traces_json(managed, *traced)};
}

Result<Said> check(const SubnetText& /*text*/, const ManagedSubnet& managed) {
  const subnet::RouteReport report = subnet::report_routes(managed.view, managed.routes.routes);
  return Said{.text = check_text(managed, report),
              .json = check_json(managed, report),
              .exit_status = report.broken > 0 || report.has_cycle() ? kFault : kSuccess};
}

using Part = Result<Said> (*)(const SubnetText& text, const ManagedSubnet& managed);

int run(std::string_view command, const SubnetText& text, Part part) {
  for (const std::string& output : {text.json, text.write}) {
    if (const Result<void> possible = check_text_output(output); !possible) {
      return complain(command, possible.error(), kFault);
    }
  }
  const Result<ManagedSubnet> managed = read_subnet(text);
  if (!managed) {
    return complain(command, managed.error(), kUsageError);
  }
  const Result<Said> said = part(text, *managed);
  if (!said) {
    return complain(command, said.error(), kUsageError);
  }
  if (!text.quiet) {
    fmt::print(text.json == "-" || text.write == "-" ? stderr : stdout, "{}", said->text);
  }
  if (!text.json.empty()) {
    if (const Result<void> written = write_json(text.json, said->json); !written) {
      return complain(command, written.error(), kFault);
    }
  }
  return said->exit_status;
}

}  // namespace

void add_subnet_command(CLI::App& app, SubnetText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("subnet", "Show, route and check an InfiniBand subnet as its manager does");
  command->require_subcommand(1);

  CLI::App* of_show = command->add_subcommand("show", "List nodes with the LIDs that the manager assigns");
  add_subnet_options(*of_show, text);
  of_show->add_option("--write", text.write, "Write the subnet as ibnetdiscover does; - = standard output");
  of_show->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  of_show->callback([&text, &exit_status] { exit_status = run("subnet show", text, show); });

  CLI::App* of_routes = command->add_subcommand("routes", "Show the path between two nodes, or routes on all cables");
  add_subnet_options(*of_routes, text);
  CLI::Option* from = of_routes->add_option("--from", text.from, "Node where the path begins");
  CLI::Option* to = of_routes->add_option("--to", text.to, "Node where it ends");
  from->needs(to);
  to->needs(from);
  of_routes->add_option("--write", text.write, "Write forwarding tables as OpenSM does; - = standard output");
  of_routes->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  of_routes->callback([&text, &exit_status] { exit_status = run("subnet routes", text, routes); });

  CLI::App* of_check = command->add_subcommand("check", "Look for broken routes and for cycles of buffers, per lane");
  add_subnet_options(*of_check, text);
  of_check->footer("Exit status: 0 nothing found, 1 a broken route or a cycle, 2 wrong input.");
  of_check->callback([&text, &exit_status] { exit_status = run("subnet check", text, check); });
}

}  // namespace weft::cli
