// What subnet administration of the real OpenSM tells to whom, which is what the simulated one does
// (subnet/manager/administration.h, host/attack/), and which P_Key it gives a path (study/assembly/port_partitions.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/manager/test_swept.h"

namespace weft::subnet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kScript = std::string(test_data_dir()) + "/../opensm/serve_trust";

class TrustOfOpensm : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(write_file(folder_ / "tree.net", fat_tree_text(4, 2, 4)));
    const std::string command =
        fmt::format("{} {} {}/tree.net {}/out", kScript, weft_binary(), folder_.string(), folder_.string());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string said(const std::string& file) const {
    const Result<std::string> text = read_file((folder_ / "out" / file).string(), {.bytes = 1U << 24U});
    EXPECT_TRUE(text.has_value()) << file;
    return text.value_or("");
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_trust_{}", getpid());  // tests run at once
};

TEST_F(TrustOfOpensm, IsBySmKeyAndAPathHasTheFirstPKeyOfItsTables) {
  EXPECT_THAT(said("port.trusted.txt"), AllOf(HasSubstr("0x1122334455667788"), HasSubstr("status 0\n")));
  EXPECT_THAT(said("port.none.txt"), AllOf(HasSubstr("Mkey:............................0x0000000000000000"),
                                           HasSubstr("status 0\n"), Not(HasSubstr("0x1122334455667788"))));
  EXPECT_THAT(said("port.other.txt"), HasSubstr("timed out"));
  EXPECT_THAT(said("osm.log"), HasSubstr("SM_Key: 0x1 != SM_Key: 0x99aabbccddeeff00; SA MAD ignored"));
  EXPECT_THAT(said("p_keys.trusted.txt"), HasSubstr("0xffff 0x8201 0x8102"));
  EXPECT_THAT(said("p_keys.none.txt"), AllOf(HasSubstr("SA_ERR_REQ_INVALID"), Not(HasSubstr("0x8201"))));
  EXPECT_THAT(said("path.txt"), HasSubstr("pkey....................0x8201"));
}

}  // namespace
}  // namespace weft::subnet
