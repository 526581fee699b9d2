#include "cli/subnet_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/partition_output.h"
#include "cli/run_output.h"
#include "cli/subnet_output.h"
#include "cli/subnet_serve.h"
#include "cli/subnet_sweep.h"
#include "cli/terminal.h"
#include "subnet/discovery_text.h"
#include "subnet/forwarding_dump.h"
#include "subnet/multicast/multicast_dump.h"
#include "subnet/partitions/partitions.h"
#include "subnet/route_report.h"

namespace weft::cli {
namespace {

/// What a part of the command found, in both forms.
struct Said {
  std::string text;
  nlohmann::ordered_json json;
  std::string file{};                             // what --write asks for
  std::vector<study::results::CsvFile> tables{};  // what --csv asks for
  std::vector<std::string> warnings{};
  int exit_status = kSuccess;
};

constexpr ReadLimit kLargestConf{.bytes = std::uint64_t{1} << 26};

LineWidth columns(const SubnetText& text) {
  return terminal_columns(text.json == "-" || text.csv == "-" ? stderr : stdout);
}

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
  return Said{.text = nodes_text(managed, columns(text)),
              .json = nodes_json(managed),
              .file = text.write.empty() ? std::string() : subnet::write_ibnetdiscover(managed.subnet)};
}

Result<Said> routes(const SubnetText& text, const ManagedSubnet& managed) {
  std::string dump;
  if (!text.write.empty()) {
    dump = subnet::write_lfts(managed.subnet, managed.view, managed.routes.routes.tables);
  }
  if (text.from.empty() && text.to.empty()) {
    const subnet::RouteReport report = subnet::report_routes(managed.view, managed.routes.routes);
    return Said{.text = balance_text(managed, report, columns(text)),
                .json = balance_json(managed, report),
                .file = std::move(dump)};
  }
  const Result<std::vector<TracedRoute>> traced = trace(text, managed);
  if (!traced) {
    return tl::unexpected(traced.error());
  }
  return Said{.text = traces_text(managed, *traced), .json = traces_json(managed, *traced), .file = std::move(dump)};
}

Result<Said> check(const SubnetText& /*text*/, const ManagedSubnet& managed) {
  const subnet::RouteReport report = subnet::report_routes(managed.view, managed.routes.routes);
  return Said{.text = check_text(managed, report),
              .json = check_json(managed, report),
              .exit_status = report.broken > 0 || report.has_cycle() || !managed.unreached.empty() ? kFault : kSuccess};
}

Result<Said> groups(const SubnetText& text, const ManagedSubnet& managed) {
  const Result<RoutedGroups> routed = route_groups(text, managed);
  if (!routed) {
    return tl::unexpected(routed.error());
  }
  const bool sound = std::ranges::all_of(routed->checks, &subnet::MulticastCheck::is_sound);
  return Said{.text = groups_text(managed, *routed, columns(text)),
              .json = groups_json(managed, *routed),
              .file = text.write.empty() ? std::string() : subnet::write_mcfdbs(managed.view, routed->routes.tables),
              .exit_status = sound ? kSuccess : kFault};
}

Result<Said> sweeps(const SubnetText& text, const ManagedSubnet& managed) {
  const Result<subnet::SweepPlan> plan = sweep_plan(text, managed);
  if (!plan) {
    return tl::unexpected(plan.error());
  }
  const Result<subnet::SweepStudy> study = subnet::study_sweeps(managed.subnet, *plan);
  if (!study) {
    return tl::unexpected(study.error());
  }
  const StudiedSweep swept{.plan = *plan,
                           .study = *study,
                           .manager = managed.subnet[plan->manager.node].description,
                           .later = plan->later ? managed.subnet[plan->later->at.node].description : std::string()};
  return Said{.text = sweep_text(swept, columns(text)), .json = sweep_json(swept)};
}

Result<Said> partitions(const SubnetText& text, const ManagedSubnet& managed) {
  const std::string& conf = text.conf.empty() ? managed.partition_file : text.conf;
  if (conf.empty()) {
    return fail("--conf: no partitions.conf is named; give one, or keys.partition_file in a scenario");
  }
  const Result<std::string> contents = read_file(conf, kLargestConf);
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  Result<subnet::PartitionFile> file = subnet::parse_partitions({.text = *contents, .name = conf});
  if (!file) {
    return fail(
        "{} (of a file that it refuses OpenSM takes nothing: every port is then a full member of the default "
        "partition)",
        file.error().message);
  }
  const Result<subnet::Partitions> made = subnet::assign_partitions(managed.view, file->rules);
  if (!made) {
    return fail("{}: {}", conf, made.error().message);
  }
  std::vector<std::string> warnings = std::move(file->warnings);
  for (const subnet::MemberRule& rule : made->unknown) {
    warnings.push_back(fmt::format("{}:{}:{}: no end port of the subnet has the GUID 0x{:016x}", conf, rule.line,
                                   rule.column, rule.port.value));
  }
  for (const subnet::MulticastRule& group : made->foreign) {
    warnings.push_back(
        fmt::format("{}:{}:{}: the IP group '{}' has the P_Key of another partition; OpenSM leaves it out", conf,
                    group.line, group.column, group.mgid));
  }
  const PartitionView view(managed, *made);
  nlohmann::ordered_json json = view.json();
  json["warnings"] = warnings;
  return Said{.text = view.text(columns(text)),
              .json = std::move(json),
              .file = text.write.empty() ? std::string() : subnet::write_partitions(file->rules),
              .tables = text.csv.empty() ? std::vector<study::results::CsvFile>() : view.csv(),
              .warnings = std::move(warnings)};
}

struct Part {
  std::string_view command;
  Result<ManagedSubnet> (*read)(const SubnetText& text);
  Result<Said> (*say)(const SubnetText& text, const ManagedSubnet& managed);
};

int run(const SubnetText& text, const Part& part) {
  const std::string_view command = part.command;
  const std::array outputs = {std::pair("--json", &text.json), std::pair("--write", &text.write),
                              std::pair("--csv", &text.csv)};
  std::vector<std::string_view> to_terminal;
  for (const auto& [option, where] : outputs) {
    if (*where == "-") {
      to_terminal.emplace_back(option);
    }
  }
  if (to_terminal.size() > 1) {
    return complain(command,
                    Error{fmt::format("{} - and {} - both mean standard output; write one of them to a file",
                                      to_terminal[0], to_terminal[1])},
                    kUsageError);
  }
  if (const Result<void> possible = check_csv_output(text.csv); !possible) {
    return complain(command, possible.error(), kFault);
  }
  for (const std::string& output : {text.json, text.write}) {
    if (const Result<void> possible = check_text_output(output); !possible) {
      return complain(command, possible.error(), kFault);
    }
  }
  const Result<ManagedSubnet> managed = part.read(text);
  if (!managed) {
    return complain(command, managed.error(), kUsageError);
  }
  const Result<Said> said = part.say(text, *managed);
  if (!said) {
    return complain(command, said.error(), kUsageError);
  }
  for (const std::string& warning : said->warnings) {
    fmt::print(stderr, "weft {}: {}\n", command, terminal_text(warning));
  }
  if (!text.csv.empty()) {
    if (const Result<void> written = write_csv_files(text.csv, said->tables); !written) {
      return complain(command, written.error(), kFault);
    }
  }
  if (!text.write.empty()) {
    if (const Result<void> written = write_text(text.write, said->file); !written) {
      return complain(command, written.error(), kFault);
    }
  }
  if (!text.quiet) {
    fmt::print(to_terminal.empty() ? stdout : stderr, "{}", said->text);
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
  of_show->callback([&text, &exit_status] { exit_status = run(text, {"subnet show", read_subnet, show}); });

  CLI::App* of_routes = command->add_subcommand("routes", "Show the path between two nodes, or routes on all cables");
  add_subnet_options(*of_routes, text);
  add_route_options(*of_routes, text);
  CLI::Option* from = of_routes->add_option("--from", text.from, "Node where the path begins");
  CLI::Option* to = of_routes->add_option("--to", text.to, "Node where it ends");
  from->needs(to);
  to->needs(from);
  of_routes->add_option("--write", text.write, "Write forwarding tables as OpenSM does; - = standard output");
  of_routes->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  of_routes->callback([&text, &exit_status] {
    exit_status = run(text, {"subnet routes", read_routed_subnet, routes});
  });

  CLI::App* of_check =
      command->add_subcommand("check", "Look for nodes out of reach, broken routes, and cycles of buffers per lane");
  add_subnet_options(*of_check, text);
  add_route_options(*of_check, text);
  of_check->footer("Exit status: 0 nothing found, 1 a broken route, a cycle or nodes out of reach, 2 wrong input.");
  of_check->callback([&text, &exit_status] { exit_status = run(text, {"subnet check", read_routed_subnet, check}); });

  CLI::App* of_groups = command->add_subcommand("groups", "Show the multicast trees of groups, and their tables");
  add_subnet_options(*of_groups, text);
  add_engine_options(*of_groups, text);
  of_groups->add_option("--group", text.groups, "A group NAME=NODE,NODE,... or NAME=ALL; may be given several times")
      ->required();
  of_groups->add_option("--write", text.write, "Write multicast tables as OpenSM does; - = standard output");
  of_groups->footer("Exit status: 0 done, 1 a member is not reached or a file not written, 2 wrong input.");
  of_groups->callback([&text, &exit_status] {
    exit_status = run(text, {"subnet groups", read_routed_subnet, groups});
  });

  CLI::App* of_sweep = command->add_subcommand("sweep", "Time a subnet manager: bring-up, light sweep, failures");
  add_subnet_options(*of_sweep, text);
  add_sweep_options(*of_sweep, text);
  of_sweep->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  of_sweep->callback([&text, &exit_status] { exit_status = run(text, {"subnet sweep", read_subnet, sweeps}); });
  add_subnet_serve(*command, text, exit_status);

  CLI::App* of_partitions = command->add_subcommand("partitions", "Show who may talk to whom by a partitions.conf");
  add_subnet_options(*of_partitions, text);
  of_partitions->add_option("--conf", text.conf,
                            "Partitions as OpenSM reads them (partitions.conf); default: the scenario's");
  of_partitions->add_option("--write", text.write,
                            "Write the partitions with nothing left to defaults; - = standard "
                            "output");
  of_partitions->add_option("--csv", text.csv,
                            "Write members and the matrix as CSV to this folder; - = standard output");
  of_partitions->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  of_partitions->callback([&text, &exit_status] {
    exit_status = run(text, {"subnet partitions", read_subnet, partitions});
  });
}

}  // namespace weft::cli
