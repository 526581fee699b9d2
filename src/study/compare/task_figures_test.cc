#include "study/compare/task_figures.h"

#include <gtest/gtest.h>

namespace weft::study::compare {
namespace {

TEST(TaskFigures, AreReadAsTheyWereWritten) {
  TaskFigures figures{.time = 0.1,
                      .run = report::RunFigures{.packet_hops = 7, .compute = 1.0 / 3, .slice_caution = "short"},
                      .small_message_cdf = {{{.x = 1.5, .y = 0.5}, {.x = 2, .y = 1}}}};
  figures.run->parts = {{.name = "dp", .communication = true, .exposed = 1e-9}};
  const std::string text = task_figures_text(figures);
  const auto read = parse_task_figures(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(task_figures_text(*read), text);
  EXPECT_EQ(read->run->compute, 1.0 / 3);
  EXPECT_EQ(read->run->parts->front().exposed, 1e-9);
  EXPECT_FALSE(read->failed);
}

TEST(TaskFigures, AFileThatIsNotWholeHasNone) {
  const std::string text = task_figures_text({.failed = "why"});
  EXPECT_EQ(parse_task_figures(text)->failed, "why");
  EXPECT_FALSE(parse_task_figures(text.substr(0, text.size() - 1)));
  EXPECT_FALSE(parse_task_figures(""));
  EXPECT_FALSE(parse_task_figures("[]"));
}

}  // namespace
}  // namespace weft::study::compare
