// Scores that are imported, of models and of collections; reports; figures of the reference.

#include "tests/libvmaf/client.h"
#include "tests/support/temporary_folder.h"

namespace client {
namespace {

using vq::test::TemporaryFolder;
using vq::test::Variable;

constexpr const char* kInputs[] = {
    "VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};

void import(const Context& context, unsigned index) {
  double value = 0.75;
  for (const char* name : kInputs)
    ASSERT_EQ(vmaf_import_feature_score(context.get(), name, value += 0.03, index), 0);
}

// Made by the reference, version 3.2.0, of the pictures that draw() makes: 384x288, 4:2:0, four frames.
struct Golden {
  unsigned bits;
  const char* name;
  double values[4];
};
constexpr Golden kGolden[] = {
#include "testdata/golden/libvmaf.inc"
};

TEST(LibvmafScores, AreThoseOfTheReference) {
  const Model vmaf = load("vmaf_v0.6.1"), v1 = load("vmaf_v1.0.16_3d0h", "v1"),
              phone = load("vmaf_v0.6.1", "phone", VMAF_MODEL_FLAG_ENABLE_TRANSFORM),
              neg = load("vmaf_v0.6.1neg", "neg");
  for (const unsigned bits : {8U, 10U}) {
    const Context context = open();
    for (const Model* model : {&vmaf, &v1, &phone, &neg})
      ASSERT_EQ(vmaf_use_features_from_model(context.get(), model->get()), 0);
    for (const char* extractor :
         {"psnr", "psnr_hvs", "float_ssim", "float_ms_ssim", "ciede", "speed_temporal"})
      ASSERT_EQ(use(context, extractor), 0) << extractor;
    feed(context, {VMAF_PIX_FMT_YUV420P, bits}, 4);
    for (const Model* model : {&vmaf, &v1, &phone, &neg})
      ASSERT_TRUE(pooled(context, *model, VMAF_POOL_METHOD_MEAN, 0, 3));
    for (const Golden& golden : kGolden) {
      if (golden.bits != bits) continue;
      for (unsigned index = 0; index < 4; ++index)
        EXPECT_EQ(score(context, golden.name, index), golden.values[index])
            << golden.name << ", frame " << index << ", " << bits << " bits";
    }
  }
}

// The first frame has none before, whatever the rate. Sides of chroma are rounded down.
TEST(LibvmafScores, XpsnrIsThereByNameAndTakesTheRate) {
  const Context slow = open(), fast = open();
  ASSERT_EQ(use(slow, "xpsnr"), 0);
  ASSERT_EQ(use(fast, "xpsnr", {{"fps", "60"}}), 0);
  const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 383, 287};
  for (const Context* context : {&slow, &fast}) feed(*context, shape, 3);
  for (const char* name : {"xpsnr_y", "xpsnr_u", "xpsnr_v", "xpsnr_min", "xpsnr_weighted"}) {
    ASSERT_TRUE(score(slow, name, 0)) << name;
    EXPECT_EQ(score(slow, name, 0), score(fast, name, 0)) << name;
    EXPECT_TRUE(score(slow, name, 2)) << name;
  }
  EXPECT_NE(score(slow, "xpsnr_y", 1), score(fast, "xpsnr_y", 1));
  EXPECT_NE(score(slow, "xpsnr_y", 2), score(fast, "xpsnr_y", 2));
}

TEST(LibvmafScores, AModelScoresWhatWasImported) {
  const Context context = open();
  const Model model = load("vmaf_v0.6.1"), other = load("vmaf_v0.6.1neg", "other"),
              same = load("vmaf_4k_v0.6.1");
  import(context, 7);
  EXPECT_EQ(vmaf_import_feature_score(context.get(), kInputs[0], 0.78, 7), -EINVAL);
  const std::optional<double> found = score(context, model, 7);
  ASSERT_TRUE(found);
  EXPECT_EQ(score(context, "vmaf", 7), found);
  EXPECT_EQ(score(context, same, 7), found);  // the name decides
  EXPECT_FALSE(score(context, other, 7));     // its features have other names
  EXPECT_FALSE(score(context, model, 6));
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "vmaf", 12.5, 6), 0);
  EXPECT_EQ(pooled(context, model, VMAF_POOL_METHOD_MIN, 6, 7), 12.5);
  EXPECT_EQ(pooled(context, model, VMAF_POOL_METHOD_MAX, 6, 7), found);
  EXPECT_EQ(pooled(context, model, VMAF_POOL_METHOD_MEAN, 6, 7), (12.5 + *found) / 2);
  EXPECT_EQ(pooled(context, model, VMAF_POOL_METHOD_HARMONIC_MEAN, 6, 7),
            2 / (1 / (12.5 + 1) + 1 / (*found + 1)) - 1);
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "far", 1, 4294967295U), 0);
  EXPECT_EQ(score(context, "far", 4294967295U), 1);
}

TEST(LibvmafScores, WhatIsImportedIsInTheWayOfAnExtractor) {
  const Context context = open();
  ASSERT_EQ(use(context, "adm"), 0);
  import(context, 1);
  EXPECT_EQ(read(context, {}, 0), 0);
  EXPECT_EQ(read(context, {}, 1), -EINVAL);
  EXPECT_EQ(read(context, {}, 2), 0);
  EXPECT_EQ(score(context, kInputs[0], 1), 0.78);
}

TEST(LibvmafScores, ACollectionAnswersAsOftenAsItIsAsked) {
  VmafModel* plain = nullptr;
  VmafModelCollection* members = nullptr;
  VmafModelConfig configuration = {"boot", 0};
  ASSERT_EQ(vmaf_model_collection_load(&plain, &members, &configuration, "vmaf_b_v0.6.3"), 0);
  const Model model(plain);
  const Collection collection(members);
  const Context context = open();
  ASSERT_EQ(vmaf_use_features_from_model_collection(context.get(), members), 0);
  feed(context, {}, 2);
  VmafModelCollectionScore first = {}, again = {}, least = {};
  ASSERT_EQ(vmaf_score_at_index_model_collection(context.get(), members, &first, 1), 0);
  ASSERT_EQ(vmaf_score_at_index_model_collection(context.get(), members, &again, 1), 0);
  EXPECT_EQ(first.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
  EXPECT_EQ(first.bootstrap.bagging_score, again.bootstrap.bagging_score);
  EXPECT_EQ(first.bootstrap.stddev, score(context, "boot_stddev", 1));
  EXPECT_LT(first.bootstrap.ci.p95.lo, first.bootstrap.ci.p95.hi);
  EXPECT_TRUE(score(context, "boot_0020", 1));
  EXPECT_TRUE(score(context, model, 1));
  ASSERT_EQ(vmaf_score_pooled_model_collection(context.get(), members, VMAF_POOL_METHOD_MIN, &least, 0, 1),
            0);
  EXPECT_EQ(least.bootstrap.bagging_score,
            std::min(*score(context, "boot_bagging", 0), *score(context, "boot_bagging", 1)));
  EXPECT_EQ(vmaf_score_at_index_model_collection(context.get(), members, &again, 2), -EINVAL);
}

VmafFeatureDictionary* dictionary(const char* key, const char* value) {
  VmafFeatureDictionary* made = nullptr;
  EXPECT_EQ(vmaf_feature_dictionary_set(&made, key, value), 0);
  return made;
}

TEST(LibvmafScores, OverloadsMakeTheModelWithoutGain) {
  const Model neg = load("vmaf_v0.6.1neg", "neg"), changed = load("vmaf_v0.6.1", "changed");
  const Context before = open_with(changed);
  for (int round = 0; round < 2; ++round) {  // as some programs do for each context
    ASSERT_EQ(vmaf_model_feature_overload(changed.get(), "vif", dictionary("vif_enhn_gain_limit", "1.0")), 0);
    ASSERT_EQ(vmaf_model_feature_overload(changed.get(), "adm", dictionary("adm_enhn_gain_limit", "1")), 0);
    ASSERT_EQ(vmaf_model_feature_overload(changed.get(), "cambi", dictionary("topk", "0.5")), 0);
    ASSERT_EQ(vmaf_model_feature_overload(changed.get(), "nothing", dictionary("a", "b")), 0);
  }
  const Context context = open_with(neg);
  ASSERT_EQ(vmaf_use_features_from_model(context.get(), changed.get()), 0);
  feed(context, {}, 2);
  EXPECT_EQ(score(context, neg, 1).value(), score(context, changed, 1).value());
  feed(before, {}, 1);
  EXPECT_TRUE(score(before, kInputs[2], 0));  // registered before the overload
  ASSERT_EQ(vmaf_model_feature_overload(changed.get(), "adm", dictionary("adm_enhn_gain_limit", "0.5")), 0);
  EXPECT_EQ(vmaf_use_features_from_model(open().get(), changed.get()), -EINVAL);  // out of range
}

TEST(LibvmafScores, AFileThatIsNoModelLeavesThePlaceAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/model.json";
  std::ofstream(path) << "{\"model_dict\": 1}";
  VmafModel* model = reinterpret_cast<VmafModel*>(&model);
  EXPECT_EQ(vmaf_model_load_from_path(&model, nullptr, path.c_str()), -EINVAL);
  EXPECT_EQ(model, reinterpret_cast<VmafModel*>(&model));
}

// With holes, special values, and a beginning that is not frame 0.
TEST(LibvmafReport, SaysWhatThereIs) {
  const Context context = open();
  const double infinite = std::numeric_limits<double>::infinity();
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "plain", 1.5, 3), 0);
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "special", infinite, 3), 0);
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "VMAF_integer_feature_adm2_score", 1.25e-9, 5), 0);
  ASSERT_EQ(vmaf_import_feature_score(context.get(), "special", -2, 5), 0);
  EXPECT_EQ(report(context, VMAF_OUTPUT_FORMAT_CSV),
            "Frame,plain,special,integer_adm2,\n3,1.500000,inf,\n5,-2.000000,0.0000000012500000,\n");
  EXPECT_EQ(report(context, VMAF_OUTPUT_FORMAT_SUB),
            "{3}{4}frame: 3|plain: 1.500000|special: inf|\n"
            "{5}{6}frame: 5|special: -2.000000|integer_adm2: 0.0000000012500000|\n");
  EXPECT_EQ(
      report(context, VMAF_OUTPUT_FORMAT_XML),
      "<VMAF version=\"3.2.0\">\n  <params qualityWidth=\"0\" qualityHeight=\"0\" />\n"
      "  <fyi fps=\"x\" />\n  <frames>\n"
      "    <frame frameNum=\"3\" plain=\"1.500000\" special=\"inf\" />\n"
      "    <frame frameNum=\"5\" special=\"-2.000000\" integer_adm2=\"0.0000000012500000\" />\n"
      "  </frames>\n  <pooled_metrics>\n    <metric name=\"plain\" />\n    <metric name=\"special\" />\n"
      "    <metric name=\"integer_adm2\" />\n  </pooled_metrics>\n  <aggregate_metrics />\n</VMAF>\n");
  EXPECT_EQ(report(context, VMAF_OUTPUT_FORMAT_JSON),
            "{\n  \"version\": \"3.2.0\",\n  \"fps\": x,\n  \"frames\": [\n    {\n      \"frameNum\": 3,\n"
            "      \"metrics\": {\n        \"plain\": 1.500000,\n        \"special\": null      }\n    },\n"
            "    {\n      \"frameNum\": 5,\n      \"metrics\": {\n        \"special\": -2.000000,\n"
            "        \"integer_adm2\": 0.0000000012500000\n      }\n    }\n  ],\n  \"pooled_metrics\": {\n"
            "    \"plain\": {\n    },\n    \"special\": {\n    },\n    \"integer_adm2\": {\n    }\n  },\n"
            "  \"aggregate_metrics\": {\n  }\n}\n");
}

TEST(LibvmafReport, HasOneOrderOfColumnsWithAndWithoutThreads) {
  const Model model = load("vmaf_v0.6.1");
  std::vector<std::string> reports;
  for (const unsigned threads : {0U, 1U, 3U, 4294967295U}) {
    const Context context = open_with(model, threads);
    ASSERT_EQ(read(context, {}, 0), 0);
    EXPECT_TRUE(score(context, model, 0));  // early, and yet behind what the flush brings
    ASSERT_EQ(read(context, {}, 1), 0);
    ASSERT_EQ(flush(context), 0);
    EXPECT_TRUE(pooled(context, model, VMAF_POOL_METHOD_MEAN, 0, 1));
    reports.push_back(report(context, VMAF_OUTPUT_FORMAT_JSON));
    const std::string csv = report(context, VMAF_OUTPUT_FORMAT_CSV);
    const std::string header = csv.substr(0, csv.find('\n'));
    EXPECT_TRUE(header.ends_with(",integer_motion2,integer_motion3,vmaf,")) << header;
  }
  for (const std::string& one : reports) EXPECT_EQ(one, reports.front());
}

TEST(LibvmafReport, HasAggregatesAndPooledScores) {
  const Context context = open();
  ASSERT_EQ(use(context, "psnr", {{"enable_chroma", "false"}, {"enable_apsnr", "true"}}), 0);
  feed(context, {}, 2);
  const std::string text = report(context, VMAF_OUTPUT_FORMAT_JSON);
  EXPECT_NE(text.find("\"psnr_y\": {\n      \"min\": "), std::string::npos) << text;
  EXPECT_NE(text.find("\"apsnr_cb\": null,\n    \"apsnr_cr\": null\n  }\n}\n"), std::string::npos) << text;
}

TEST(LibvmafReport, IsWrittenToAFileWhoseNameIsUtf8) {
  const Context context = open();
  import(context, 0);
  const TemporaryFolder folder;
  const std::filesystem::path path = std::filesystem::path(folder.path()) / u8"B\u00e4nder_\u5f71.json";
  const std::u8string name = path.u8string();
  EXPECT_EQ(
      vmaf_write_output(context.get(), reinterpret_cast<const char*>(name.c_str()), VMAF_OUTPUT_FORMAT_JSON),
      0);
  EXPECT_GT(std::filesystem::file_size(path), 0U);
}

TEST(LibvmafMetadata, TellsScoresAsTheyCome) {
  const Model model = load("vmaf_v0.6.1");
  const Context context = open_with(model);
  ASSERT_EQ(use(context, "psnr"), 0);
  std::vector<std::string> told;
  std::string names[] = {"vmaf", "psnr_y", "never"};
  const auto tell = [](void* data, Metadata* metadata) {
    static_cast<std::vector<std::string>*>(data)->push_back(metadata->feature_name +
                                                            std::to_string(metadata->picture_index));
  };
  for (std::string& name : names)
    ASSERT_EQ(vmaf_register_metadata_handler(context.get(), {name.data(), tell, &told}), 0);
  EXPECT_EQ(vmaf_register_metadata_handler(context.get(), {nullptr, tell, &told}), -EINVAL);
  for (unsigned index = 0; index < 2; ++index) ASSERT_EQ(read(context, {}, index), 0);
  EXPECT_EQ(told, (std::vector<std::string>{"psnr_y0", "psnr_y1"}));
  ASSERT_EQ(flush(context), 0);
  EXPECT_EQ(told, (std::vector<std::string>{"psnr_y0", "psnr_y1", "vmaf0", "vmaf1"}));
}

VmafPicture banded(unsigned time) {
  VmafPicture picture = alloc({VMAF_PIX_FMT_YUV420P, 8, 357, 259});
  for (unsigned y = 0; y < picture.h[0]; ++y) {
    auto* const row = static_cast<unsigned char*>(picture.data[0]) + picture.stride[0] * y;
    for (unsigned x = 0; x < picture.w[0]; ++x) row[x] = static_cast<unsigned char>(40 + (x + 9 * time) / 30);
  }
  return picture;
}

std::vector<std::string> heatmaps_with(unsigned threads, const char* backend) {
  const Variable variable("CAMBI_BACKEND", backend);
  const TemporaryFolder parent;
  const std::string folder = parent.path() + "/deeper";
  {
    const Context context = open(threads);
    EXPECT_EQ(use(context, "cambi", {{"heatmaps_path", folder.c_str()}}), 0);
    for (unsigned index = 0; index < 3; ++index) {
      VmafPicture reference = banded(index), distorted = banded(index);
      EXPECT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, index), 0);
    }
    EXPECT_EQ(flush(context), 0);
  }
  std::vector<std::string> maps;
  for (const char* name : {"0_357x259", "1_179x130", "2_90x65", "3_45x33", "4_23x17"}) {
    std::ifstream file(folder + "/cambi_heatmap_scale_" + name + "_16b.gray", std::ios::binary);
    maps.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return maps;
}

TEST(LibvmafHeatmaps, AreFilesOfRawFrames) {
  const std::vector<std::string> maps = heatmaps_with(0, "");
  const size_t samples[] = {357 * 259, 179 * 130, 90 * 65, 45 * 33, 23 * 17};
  for (size_t i = 0; i < maps.size(); ++i) EXPECT_EQ(maps[i].size(), 3 * 2 * samples[i]) << i;
  EXPECT_GT(std::ranges::count_if(maps[0], [](char byte) { return byte != 0; }), 100);
  EXPECT_EQ(heatmaps_with(3, "scalar"), maps);
  const Context context = open();
  ASSERT_EQ(use(context, "cambi", {{"heatmaps_path", "/proc/no/folder"}}), 0);
  EXPECT_EQ(read(context, {}, 0), -EINVAL);
}

TEST(LibvmafBackendOnDevice, DrawsTheSameHeatmaps) {
  EXPECT_EQ(heatmaps_with(2, "vulkan"), heatmaps_with(2, "cpu"));
}

std::vector<double> scores_with(const char* backend) {
  const Variable variable("CAMBI_BACKEND", backend);
  const Model model = load("vmaf_v1.0.16_3d0h");
  std::vector<double> scores;
  for (const unsigned threads : {0U, 2U}) {
    const Context context = open_with(model, threads);
    EXPECT_EQ(use(context, "ciede"), 0);
    feed(context, {VMAF_PIX_FMT_YUV420P, 8, 357, 259}, 3);
    for (unsigned index = 0; index < 3; ++index) {
      scores.push_back(score(context, model, index).value_or(-1));
      scores.push_back(score(context, "ciede2000", index).value_or(-1));
    }
  }
  return scores;
}

TEST(LibvmafBackend, EachFindsTheSame) {
  const std::vector<double> expected = scores_with("");
  EXPECT_EQ(std::ranges::count(expected, -1), 0);
  for (const char* backend : {"auto", "cpu", "scalar"}) EXPECT_EQ(scores_with(backend), expected) << backend;
}

TEST(LibvmafBackendOnDevice, FindsTheSame) {
  const std::vector<double> expected = scores_with("cpu");
  for (const char* backend : {"hybrid", "vulkan"}) EXPECT_EQ(scores_with(backend), expected) << backend;
}

// Compiling them takes a GPU's driver seconds.
TEST(LibvmafBackendOnDevice, KeepsCompiledPipelinesForTheNextProcess) {
  const TemporaryFolder folder;
  {
    const Variable cache("XDG_CACHE_HOME", folder.path()), backend("CAMBI_BACKEND", "vulkan");
    const Context context = open();
    ASSERT_EQ(use(context, "psnr"), 0);
    feed(context, {}, 1);
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder.path() + "/cambi"));
}

TEST(LibvmafBackendOnDevice, OneThatThereIsNotIsRefusedWithTheFirstFrame) {
  for (const auto& [name, value] :
       {std::pair("CAMBI_BACKEND", "fast"), std::pair("CAMBI_DEVICE", "no such device")}) {
    const Variable device("CAMBI_BACKEND", "vulkan"), variable(name, value);
    const Context context = open();
    ASSERT_EQ(use(context, "psnr"), 0);
    EXPECT_EQ(read(context, {}, 0), -EINVAL);
  }
}

TEST(LibvmafBackend, ACallerMayForbidDevices) {
  const Variable variable("CAMBI_BACKEND", "vulkan"), device("CAMBI_DEVICE", "no such device");
  VmafConfiguration configuration = {};
  configuration.gpumask = 0x5a5a;
  VmafContext* made = nullptr;
  ASSERT_EQ(vmaf_init(&made, configuration), 0);
  const Context context(made);
  ASSERT_EQ(use(context, "psnr"), 0);
  EXPECT_EQ(read(context, {}, 0), 0);
}

// The queue is bounded by bytes, and a number that is none counts for nothing.
TEST(LibvmafBackend, ThreadsAndTheQueueAreTheEnvironments) {
  const Model model = load("vmaf_v0.6.1");
  const Context plain = open_with(model);
  feed(plain, {}, 6);
  for (const auto& [threads, megabytes] :
       {std::pair("0", "0"), std::pair("3", "1"), std::pair("many", "-1")}) {
    const Variable first("CAMBI_THREADS", threads), second("CAMBI_QUEUE_MB", megabytes);
    const Context context = open_with(model);
    feed(context, {}, 6);
    EXPECT_EQ(pooled(context, model, VMAF_POOL_METHOD_MEAN, 0, 5),
              pooled(plain, model, VMAF_POOL_METHOD_MEAN, 0, 5));
  }
}

}  // namespace
}  // namespace client
