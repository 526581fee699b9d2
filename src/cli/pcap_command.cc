#include "cli/pcap_command.h"

#include <string>
#include <vector>

#include "cli/pcap_check.h"
#include "cli/pcap_list.h"

namespace weft::cli {

void add_pcap_command(CLI::App& app, int& exit_status) {
  CLI::App* pcap = app.add_subcommand("pcap", "Check or list the RDMA packets of capture files (pcap, pcapng)");
  pcap->require_subcommand(1);

  CLI::App* check = pcap->add_subcommand(
      "check", "Verify every ICRC and MPA CRC, and that parsing and re-emitting gives the same bytes");
  const CLI::Option* files = check->add_option("FILE", "Capture files; the counts are summed")
                                 ->required()
                                 ->expected(1, -1)
                                 ->allow_extra_args();
  check->footer("Exit status: 0 no fault, 1 a packet has a fault, 2 a file cannot be read.");
  // The options belong to the app, which outlives the call-backs.
  check->callback([files, &exit_status] { exit_status = run_pcap_check(files->results()); });

  CLI::App* list = pcap->add_subcommand("list", "Print one line per packet");
  const CLI::Option* file = list->add_option("FILE", "A capture file")->required();
  list->footer("Exit status: 0 listed to the end, 2 the file cannot be read.");
  list->callback([file, &exit_status] { exit_status = run_pcap_list(file->results().front()); });
}

}  // namespace weft::cli
