#include "tests/tshark/tshark.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "wire/pcapng_writer.h"

namespace weft::test {
namespace {

// Payload here is random bytes, and these dissectors guess an upper protocol from the first bytes of any payload on an
// unknown QP; a wrong guess is reported as malformed although the packet is right.
constexpr const char* kGuessers[] = {"eth_over_ib",           "fc_infiniband",  "iser_infiniband",    "lnet_ib",
                                     "mellanox_eoib",         "nvme_rdma",      "rpcrdma_infiniband", "sdp_infiniband",
                                     "smb_direct_infiniband", "smcr_infiniband"};

Result<void> write_capture(const std::string& path, wire::LinkType link_type,
                           std::span<const std::vector<std::byte>> packets) {
  auto writer = wire::PcapngWriter::create(path);
  if (!writer) {
    return pass_on(writer);
  }
  auto tap = writer->add_interface("tap", link_type);
  if (!tap) {
    return pass_on(tap);
  }
  Time now = Time::zero();
  for (const std::vector<std::byte>& packet : packets) {
    if (auto written = writer->write(*tap, now, packet); !written) {
      return written;
    }
    now += Duration::microseconds(1);
  }
  return writer->close();
}

Dissection split(std::string_view line, const std::vector<std::string>& fields) {
  Dissection dissection;
  std::size_t begin = 0;
  for (const std::string& field : fields) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    dissection[field] = std::string(line.substr(begin, end - begin));
    begin = std::min(end + 1, line.size());
  }
  return dissection;
}

}  // namespace

Result<std::vector<Dissection>> dissect(wire::LinkType link_type, std::span<const std::vector<std::byte>> packets,
                                        std::vector<std::string> fields, std::string_view script) {
  const std::string capture =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_sample_{}.pcapng", getpid());
  if (auto written = write_capture(capture, link_type, packets); !written) {
    return pass_on(written);
  }
  auto dissections = dissect_file(capture, std::move(fields), script);
  std::filesystem::remove(capture);
  return dissections;
}

Result<std::vector<Dissection>> dissect_file(const std::string& capture, std::vector<std::string> fields,
                                             std::string_view script) {
  // A home of its own: a user's Wireshark preferences must not change the outcome.
  const std::filesystem::path home =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_tshark_{}", getpid());
  std::filesystem::create_directories(home);
  const std::string output = home / "fields.txt";
  fields.insert(fields.end(), {"_ws.malformed", "_ws.expert.message", "_ws.col.Protocol"});
  std::string command = fmt::format(
      "HOME={} timeout 120 tshark -n -r {} -T fields -E occurrence=f -o ip.check_checksum:TRUE -o "
      "tcp.check_checksum:TRUE -o udp.ignore_ipv6_zero_checksum:TRUE",
      home.string(), capture);
  if (!script.empty()) {
    command += fmt::format(" -X 'lua_script:{}'", script);
  }
  for (const char* guesser : kGuessers) {
    command += fmt::format(" --disable-heuristic {}", guesser);
  }
  command += fmt::format(" -e {} >{} 2>{}.err", fmt::join(fields, " -e "), output, output);
  const int status = std::system(command.c_str());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail("status {} of: {}", status, command);
  }
  std::vector<Dissection> dissections;
  std::ifstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    dissections.push_back(split(line, fields));
  }
  std::filesystem::remove_all(home);
  return dissections;
}

}  // namespace weft::test
