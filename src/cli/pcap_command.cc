#include "cli/pcap_command.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cli/pcap_check.h"
#include "cli/pcap_list.h"

namespace weft::cli {

namespace {

CLI::Option* add_ports(CLI::App& app) {
  return app
      .add_option("--port",
                  "UDP destination ports that are RoCEv2 besides 4791, one or several with commas or given repeatedly")
      ->type_name("PORT[,PORT]...")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::TypeValidator<std::uint16_t>("a UDP port, 1 to 65535") & CLI::Range(1, 65'535));
}

std::vector<std::uint16_t> ports_of(const CLI::Option& option) {
  return option.empty() ? std::vector<std::uint16_t>{} : option.as<std::vector<std::uint16_t>>();
}

}  // namespace

void add_pcap_command(CLI::App& app, int& exit_status) {
  CLI::App* pcap = app.add_subcommand("pcap", "Check or list the RDMA packets of capture files (pcap, pcapng)");
  pcap->require_subcommand(1);

  CLI::App* check = pcap->add_subcommand(
      "check", "Verify every ICRC and MPA CRC, and that parsing and re-emitting gives the same bytes");
  const CLI::Option* files = check->add_option("FILE", "Capture files; the counts are summed")
                                 ->required()
                                 ->expected(1, -1)
                                 ->allow_extra_args();
  check->footer("Exit status: 0 no fault, 1 a packet has a fault or none is RDMA, 2 a file cannot be read.");
  // The options belong to the app, which outlives the call-backs.
  const CLI::Option* check_ports = add_ports(*check);
  check->callback(
      [files, check_ports, &exit_status] { exit_status = run_pcap_check(files->results(), ports_of(*check_ports)); });

  CLI::App* list = pcap->add_subcommand("list", "Print one line per packet");
  const CLI::Option* file = list->add_option("FILE", "A capture file")->required();
  list->footer("Exit status: 0 listed to the end, 2 the file cannot be read.");
  const CLI::Option* list_ports = add_ports(*list);
  list->callback([file, list_ports, &exit_status] {
    exit_status = run_pcap_list(file->results().front(), ports_of(*list_ports));
  });
}

}  // namespace weft::cli
