#include "study/scenario/model_catalogue.h"

#include <gtest/gtest.h>

#include "workload/training/known_models.h"

namespace weft::study::scenario {
namespace {

ModelCatalogue embedded() {
  auto catalogue = ModelCatalogue::load(std::nullopt);
  EXPECT_TRUE(catalogue) << catalogue.error().message;
  return catalogue ? *std::move(catalogue) : ModelCatalogue();
}

Result<ModelCatalogue> read(std::string text) {
  const std::vector<Catalogue::File> files{{.name = "a.toml", .text = std::move(text)}};
  return ModelCatalogue::read(files);
}

std::string error_of(std::string text) {
  const auto catalogue = read(std::move(text));
  return catalogue ? "" : catalogue.error().message;
}

TEST(ModelCatalogue, HasTheModelsAndGpusThatAreRequired) {
  const ModelCatalogue catalogue = embedded();
  EXPECT_EQ(catalogue.models().size(), 16U);
  for (const char* name : {"gpt3-175b", "megatron-1_7b", "megatron-1008b", "llama3-8b", "llama3-70b", "llama3-405b",
                           "mixtral-8x7b", "deepseek-v3"}) {
    EXPECT_TRUE(catalogue.find_model(name)) << name;
  }
  for (const char* name :
       {"v100-32gb", "a100-40gb", "a100-80gb", "h100-sxm", "h800-sxm", "h200-sxm", "b200", "gb200", "mi300x"}) {
    EXPECT_TRUE(catalogue.find_gpu(name)) << name;
  }
}

TEST(ModelCatalogue, ShapesAreThoseOfTheWorkloadsTests) {
  const ModelCatalogue catalogue = embedded();
  for (const workload::ModelShape& known : {workload::test::llama3_8b(), workload::test::llama3_70b(),
                                            workload::test::llama3_405b(), workload::test::deepseek_v3()}) {
    EXPECT_EQ((*catalogue.find_model(known.name))->shape, known) << known.name;
  }
  EXPECT_NEAR(static_cast<double>(parameter_count((*catalogue.find_model("gpt3-175b"))->shape)) * 1e-9, 175, 0.5);
}

TEST(ModelCatalogue, EveryValueHasAMarkAndASource) {
  const ModelCatalogue catalogue = embedded();
  for (const ModelEntry& entry : catalogue.models()) {
    EXPECT_FALSE(entry.about.empty());
    EXPECT_GE(entry.origins.size(), 9U);
    for (const ValueOrigin& origin : entry.origins) {
      EXPECT_EQ(origin.mark, Mark::kSpecified);
      EXPECT_FALSE(origin.source.empty());
    }
  }
  for (const GpuEntry& entry : catalogue.gpus()) {
    EXPECT_GE(entry.origins.size(), 9U);
  }
}

TEST(ModelCatalogue, LaterEntriesTakeThePlaceOfEarlierOnes) {
  const std::string model =
      "[model.m]\nmark = \"guess\"\nsource = \"s\"\nlayers = 2\nhidden = 8\nheads = 2\n"
      "feed_forward = 32\nvocabulary = 16\nsequence = 4\n";
  std::string other = model;
  other.replace(other.find("layers = 2"), 10, "layers = 3");
  const std::vector<Catalogue::File> files{{.name = "a.toml", .text = model}, {.name = "b.toml", .text = other}};
  const auto catalogue = ModelCatalogue::read(files);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  ASSERT_EQ(catalogue->models().size(), 1U);
  EXPECT_EQ(catalogue->models()[0].shape.layers, 3);
  EXPECT_EQ(catalogue->models()[0].shape.kv_heads, 2);
  EXPECT_EQ(catalogue->models()[0].shape.head_size, 4);
}

TEST(ModelCatalogue, WrongEntriesAreRefusedWithTheirPlace) {
  EXPECT_EQ(error_of("[model.m]\nlayer = 2\n"),
            "a.toml:2:1: unknown key 'layer'; did you mean 'layers'? one of layers, hidden, heads, kv_heads, "
            "head_size, feed_forward, vocabulary, sequence, style, feed_forward_kind, embeddings, latent, experts");
  EXPECT_EQ(error_of("[model.m]\nlayers = 2\n"),
            "a.toml:1:8: layers: needs a mark and a source, its own or the entry's");
  EXPECT_NE(error_of("[model.m]\nlayers = \"two\"\n").find("expected an integer"), std::string::npos);
  EXPECT_NE(error_of("[model.m]\nmark = \"sure\"\n").find("unknown mark 'sure'"), std::string::npos);
  EXPECT_NE(error_of("[model.m]\nmark = \"guess\"\nsource = \"s\"\nlayers = 2\n").find("hidden = 0"),
            std::string::npos);
  EXPECT_NE(error_of("[gpu.g]\nmemory = { value = \"80 GB\", mark = \"guess\" }\n")
                .find("needs a value, a mark and a source"),
            std::string::npos);
  EXPECT_NE(error_of("[gpu.g]\nmemory = { value = \"80 Gb\", mark = \"guess\", source = \"s\" }\n").find("'Gb'"),
            std::string::npos);
  EXPECT_NE(error_of("[gpu.g]\nmark = \"guess\"\nsource = \"s\"\nbf16_tflops = -1\n").find("-1 Tflop/s"),
            std::string::npos);
  EXPECT_NE(error_of("model = 3\n").find("expected a table"), std::string::npos);
}

TEST(ModelCatalogue, UnknownNamesSuggestTheNearest) {
  const ModelCatalogue catalogue = embedded();
  EXPECT_NE(catalogue.find_model("llama3-80b").error().message.find("did you mean 'llama3-8b'"), std::string::npos);
  EXPECT_NE(catalogue.find_gpu("h100").error().message.find("unknown GPU 'h100'"), std::string::npos);
}

TEST(ModelCatalogue, TheScenariosCatalogueLeavesModelsAndGpusAlone) {
  const std::vector<Catalogue::File> files{{.name = "a.toml", .text = "[model.m]\nlayers = 2\n[gpu.g]\n"}};
  const auto catalogue = Catalogue::read(files);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  EXPECT_TRUE(catalogue->entries().empty());
}

}  // namespace
}  // namespace weft::study::scenario
