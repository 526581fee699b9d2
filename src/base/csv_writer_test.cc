#include "base/csv_writer.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(CsvWriter, QuotesWhatWouldEndAField) {
  CsvWriter csv;
  for (const char* field : {"plain", "", "a,b", "say \"x\"", "two\nlines"}) {
    csv.field(field);
  }
  csv.end_line();
  csv.field("next");
  csv.end_line();
  EXPECT_EQ(csv.take(), "plain,,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\nnext\n");
}

}  // namespace
}  // namespace weft
