#include "cli/concepts.h"

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kDocument = R"(# Title

Introduction.

## Go-back-N

First sentence with `code`.
Second sentence, see [there](elsewhere.md).

- Folder: `src/transport/`
- Scenario key: —
- Example: `weft help go-back-n`

## Connection management (CM)

Text.

- Folder: `src/wire/`
- Scenario key: `cm`
- Example: one
)";

TEST(Concepts, ParseKeepsTheFieldsAndDropsTheMarks) {
  const auto concepts = parse_concepts(kDocument);
  ASSERT_EQ(concepts.size(), 2U);
  EXPECT_EQ(concepts[0].term, "Go-back-N");
  EXPECT_EQ(concepts[0].text, "First sentence with code. Second sentence, see there.");
  EXPECT_EQ(concepts[0].folder, "src/transport/");
  EXPECT_EQ(concepts[0].scenario_key, "—");
  EXPECT_EQ(concepts[1].scenario_key, "cm");
  EXPECT_EQ(concepts[1].example, "one");
}

TEST(Concepts, ParseSurvivesAnUnfinishedLinkAndNoFinalNewline) {
  const auto concepts = parse_concepts("## A\ntext [link](open");
  ASSERT_EQ(concepts.size(), 1U);
  EXPECT_EQ(concepts[0].text, "text [link](open");
}

TEST(Concepts, ParseOfNothingIsNothing) { EXPECT_THAT(parse_concepts(""), IsEmpty()); }

TEST(Concepts, FindIgnoresCaseAndTheKindOfSeparator) {
  const auto concepts = parse_concepts(kDocument);
  for (const auto* spelling : {"Go-back-N", "go back n", "GO_BACK_N"}) {
    EXPECT_EQ(find_concept(concepts, spelling), &concepts[0]) << spelling;
  }
}

TEST(Concepts, FindKnowsTheLongNameAndTheAbbreviation) {
  const auto concepts = parse_concepts(kDocument);
  for (const auto* spelling : {"connection management (cm)", "Connection management", "CM"}) {
    EXPECT_EQ(find_concept(concepts, spelling), &concepts[1]) << spelling;
  }
  EXPECT_EQ(find_concept(concepts, "connection"), nullptr);
}

TEST(Concepts, NearestFindsAMistypedTermAMistypedWordAndAPart) {
  const auto concepts = parse_concepts(kDocument);
  EXPECT_THAT(nearest_concepts(concepts, "mc", 3), ElementsAre("Connection management (CM)"));
  EXPECT_THAT(nearest_concepts(concepts, "conection", 3), ElementsAre("Connection management (CM)"));
  EXPECT_THAT(nearest_concepts(concepts, "go-bakc-n", 3), ElementsAre("Go-back-N"));
  EXPECT_THAT(nearest_concepts(concepts, "manage", 3), ElementsAre("Connection management (CM)"));
  EXPECT_THAT(nearest_concepts(concepts, "0123456789", 3), IsEmpty());
}

TEST(Concepts, NearestListsEveryTermThatContainsThePart) {
  const auto concepts = parse_concepts("## Link credits\n## Crebits\n## End-to-end credits\n");
  EXPECT_THAT(nearest_concepts(concepts, "credit", 3), ElementsAre("Link credits", "End-to-end credits"));
}

TEST(Concepts, NearestGivesNoMoreThanTheLimit) {
  const auto concepts = parse_concepts("## PSN1\n## PSN2\n## PSN3\n");
  EXPECT_THAT(nearest_concepts(concepts, "psn", 2), ElementsAre("PSN1", "PSN2"));
}

TEST(Concepts, EveryEmbeddedEntryIsCompleteAndFindsItself) {
  const auto concepts = parse_concepts(concepts_text());
  ASSERT_FALSE(concepts.empty());
  for (const Concept& entry : concepts) {
    EXPECT_FALSE(entry.text.empty()) << entry.term;
    EXPECT_FALSE(entry.folder.empty()) << entry.term;
    EXPECT_FALSE(entry.scenario_key.empty()) << entry.term;
    EXPECT_FALSE(entry.example.empty()) << entry.term;
    EXPECT_EQ(find_concept(concepts, entry.term), &entry) << entry.term;
  }
}

}  // namespace
}  // namespace weft::cli
