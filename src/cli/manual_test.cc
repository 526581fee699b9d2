#include "cli/manual.h"

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using ::testing::IsEmpty;

constexpr std::string_view kDocument = R"(# Title

Introduction.

## run

Does a thing.

### Options

- `-a N`, `--all N`: First, with `code: here`,
  [there](elsewhere.md) and **bold**.
- `0`: Short.
- a plain item that goes on for so long that it needs a second line

A paragraph of
two lines.

```sh
weft run  `x`

weft run y
```

## pcap

Reads.

### Options of weft pcap list

- `FILE`: A file.
)";

TEST(Manual, ParseFindsThePagesAndSkipsWhatStandsBefore) {
  const auto pages = parse_manual(kDocument).pages;
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].name, "run");
  EXPECT_EQ(pages[1].name, "pcap");
  EXPECT_THAT(parse_manual("").pages, IsEmpty());
}

TEST(Manual, FindKnowsAPageAndItsPartsWithOptions) {
  const auto pages = parse_manual(kDocument).pages;
  EXPECT_EQ(find_page(pages, "run"), &pages[0]);
  EXPECT_EQ(find_page(pages, "pcap list"), &pages[1]);
  EXPECT_EQ(find_page(pages, "pcap check"), nullptr);
  EXPECT_EQ(find_page(pages, "runs"), nullptr);
  EXPECT_EQ(find_page(pages, ""), nullptr);
}

TEST(Manual, PageIsPlainTextInLinesThatFit) {
  EXPECT_EQ(page_text(parse_manual(kDocument).pages[0], 40),
            "weft run: Does a thing.\n"
            "\n"
            "OPTIONS\n"
            "    -a N, --all N\n"
            "        First, with code: here, there\n"
            "        and bold.\n"
            "    0   Short.\n"
            "    - a plain item that goes on for so\n"
            "      long that it needs a second line\n"
            "\n"
            "    A paragraph of two lines.\n"
            "\n"
            "    weft run  `x`\n"
            "\n"
            "    weft run y\n");
}

TEST(Manual, AWordThatIsLongerThanALineHasOneForItself) {
  EXPECT_EQ(page_text(parse_manual("## x\nA.\n\na unbreakable b\n").pages[0], 10),
            "weft x: A.\n"
            "\n"
            "    a\n"
            "    unbreakable\n"
            "    b\n");
}

TEST(Manual, UnfinishedMarksAreNoFault) {
  EXPECT_EQ(page_text(parse_manual("## x\nA [link](open\n\n```\nopen\n").pages[0], 80),
            "weft x: A [link](open\n\n    open\n");
}

TEST(Manual, EveryEmbeddedPageFindsItself) {
  const auto pages = parse_manual(manual_text()).pages;
  ASSERT_FALSE(pages.empty());
  for (const ManualPage& page : pages) {
    EXPECT_EQ(find_page(pages, page.name), &page) << page.name;
    EXPECT_FALSE(page_text(page, 80).empty()) << page.name;
  }
}

}  // namespace
}  // namespace weft::cli
