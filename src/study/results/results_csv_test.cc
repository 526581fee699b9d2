#include "study/results/results_csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "study/results/results_test_run.h"

namespace weft::study::results {
namespace {

/// Fields of a line, quotes respected.
std::size_t fields(std::string_view line) {
  std::size_t count = 1;
  bool quoted = false;
  for (const char c : line) {
    quoted = c == '"' ? !quoted : quoted;
    count += c == ',' && !quoted ? 1 : 0;
  }
  return count;
}

TEST(ResultsCsv, EveryRowHasTheFieldsOfTheHeading) {
  RunResults run = testing::small_run();
  run.run.case_name = "a, \"b\"";
  for (const CsvFile& file : to_csv(std::vector<RunResults>{run})) {
    const std::size_t first_end = file.text.find('\n');
    const std::size_t wanted = fields(std::string_view(file.text).substr(0, first_end));
    std::size_t rows = 0;
    for (std::size_t begin = first_end + 1; begin < file.text.size(); ++rows) {
      const std::size_t end = file.text.find('\n', begin);
      EXPECT_EQ(fields(std::string_view(file.text).substr(begin, end - begin)), wanted) << file.name;
      begin = end + 1;
    }
    EXPECT_GT(rows, 0U) << file.name;
  }
}

TEST(ResultsCsv, AMessageHasItsTimesInPicoseconds) {
  const std::vector<RunResults> runs = {testing::small_run()};
  const CsvFile messages = to_csv(runs).front();
  EXPECT_EQ(messages.name, "messages.csv");
  EXPECT_NE(messages.text.find("0123456789abcdef,first,incast,host0/nic0,host2/nic0,0,0,1048576,write,success,1000000,"
                               "41000000,,25000000\n"),
            std::string::npos)
      << messages.text;
}

}  // namespace
}  // namespace weft::study::results
