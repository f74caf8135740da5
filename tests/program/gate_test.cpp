// The gate over whole runs: whatever is scored, by which features and models, on which frames, reports of
// every backend are those of the CPU byte for byte, but for what they say of the run itself.
#include <regex>

#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

using nlohmann::ordered_json;

struct Row {
  std::string title;
  Words words;
  bool may_be_refused = false;
};

Words pair(const std::string& reference, const std::string& distorted, const Words& more = {}) {
  return joined({"-r", clip(reference), "-d", clip(distorted), "--align", "off"}, more);
}

bool runs_on_devices(const FeatureInfo& info) { return device_support(info) != nullptr; }

// --feature for each that there is, or for each that runs on devices.
Words with_features(bool on_devices_alone = false) {
  Words words;
  for (const FeatureInfo* info : features()) {
    if (!on_devices_alone || runs_on_devices(*info))
      words.insert(words.end(), {"--feature", std::string(info->name)});
  }
  return words;
}

// Of what are no reports.
std::string errors_of(const std::map<std::string, std::string>& found) {
  return found.contains("errors") ? ": " + found.at("errors") : "";
}

const Words kSky = pair("sky_640x360_8b_ref.mp4", "sky_640x360_8b.mp4");

class RunGate : public SpoiltDeviceTest {
 protected:
  // Reports of a run, without what differs from run to run; the errors where there are none.
  std::map<std::string, std::string> reports(const Words& words, const std::string& backend,
                                             const ProgramOptions& options = {}) const {
    Words all = joined(words, {"-q", "--extended", "--precision", "max", "--backend", backend});
    for (const char* form : {"json", "xml", "csv", "sub"})
      all.insert(all.end(), {"-o", in_folder("r." + std::string(form))});
    const ProgramResult result = run_program(all, options);
    if (result.code != 0) {
      return {{"code", std::to_string(result.code)},
              {"errors", ::testing::PrintToString(message_lines(result.err).errors)}};
    }
    static const std::regex kFps("fps=\"[^\"]*\"");
    std::map<std::string, std::string> found;
    for (const char* form : {"xml", "csv", "sub"})
      found[form] = std::regex_replace(read_file(in_folder("r." + std::string(form))), kFps, "");
    ordered_json report = ordered_json::parse(read_file(in_folder("r.json")));
    EXPECT_FALSE(report.at("frames").empty());
    EXPECT_EQ(report.at("run").at("backend"), backend);
    report.erase("run");
    report.erase("fps");
    found["json"] = report.dump(1);
    return found;
  }

  // Returns whether there were reports: what is refused is so on every backend, with the same words.
  bool expect_same(const Row& row, const Words& backends) const {
    const auto expected = reports(row.words, "cpu");
    for (const std::string& backend : backends) {
      const auto found = reports(row.words, backend);
      EXPECT_TRUE(found == expected) << row.title << ", " << backend << errors_of(found);
    }
    return !expected.contains("errors");
  }
};

// What decides which frames are looked at, and what becomes of their values.
std::vector<Row> few_rows() {
  return {{.title = "all features",
           .words = pair("colour_357x355_8b_ref.mkv", "colour_357x355_8b_fade.mkv",
                         joined(with_features(), {"--frame_cnt", "2"}))},
          {.title = "VMAF v1, every other frame",
           .words = joined(kSky, {"-m", "version=vmaf_v1.0.16_3d0h", "--feature", "psnr=enable_apsnr=true",
                                  "--frame_cnt", "4", "--subsample", "2"})},
          {.title = "VMAF v0.6.1 and segments",
           .words = joined(kSky, {"-m", "version=vmaf_v0.6.1", "--feature", "psnr=enable_apsnr=true",
                                  "--start", "3", "--end", "6", "--segments", "vmaf:60"})},
          {.title = "skipped frames, depths and chroma samplings that differ",
           .words = pair("colour_640x360_10b_ref.mp4", "colour_640x360_444_crushed.mp4",
                         joined(with_features(), {"--frame_skip_ref", "1", "--frame_cnt", "2"}))}};
}

std::vector<Row> all_rows() {
  std::vector<Row> rows = few_rows();
  const Words everything = with_features();
  for (const auto& [reference, distorted] : std::vector<std::pair<std::string, std::string>>{
           {"sky_640x360_8b_ref.mp4", "sky_640x360_8b.mp4"},
           {"clouds_1280x720_8b_ref.mp4", "clouds_1280x720_8b.mp4"},
           {"colour_1280x720_10b_ref.mp4", "colour_1280x720_10b_fade.mp4"},
           {"colour_384x320_12b_ref.mkv", "colour_384x320_12b_blur.mkv"},
           {"colour_357x355_8b_ref.mkv", "colour_357x355_8b_fade.mkv"},
           {"colour_640x360_422_ref.mp4", "colour_640x360_422_fade.mp4"},
           {"colour_640x360_444_ref.mp4", "colour_640x360_444_crushed.mp4"},
           {"colour_640x360_8b_ref.mp4", "colour_640x360_10b_band.mp4"},
           {"colour_640x360_10b_ref.mp4", "colour_640x360_8b_shift.mp4"},
           {"colour_640x360_422_ref.mp4", "colour_640x360_8b_crushed.mp4"},
           {"colour_640x360_10b_ref.mp4", "colour_640x360_444_crushed.mp4"},
           {"static_640x360_8b.mp4", "sky_640x360_8b.mp4"},
           {"dusk_1280x720_10b_pq.mp4", "dusk_1280x720_8b.webm"}}) {
    const Words videos = pair(reference, distorted);
    rows.push_back({.title = "features of " + distorted,
                    .words = joined(videos, joined(everything, {"--frame_cnt", "4"}))});
    for (const char* model :
         {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h_2160", "vmaf_v0.6.1", "vmaf_v0.6.1neg"}) {
      rows.push_back({.title = std::string(model) + " of " + distorted,
                      .words = joined(videos, {"-m", std::string("version=") + model})});
    }
  }
  for (const char* text : {"--subsample 3", "--frame_skip_ref 2 --frame_skip_dist 5 --frame_cnt 4",
                           "--start 4", "--crop 322:206:100:50", "--scale-to 480x270", "--score-bits 10",
                           "--frame_cnt 1", "--threads 1", "--threads 5 --decoders 3"}) {
    const Words more = words_of(text);
    rows.push_back({.title = "features with " + more[0], .words = joined(kSky, joined(everything, more))});
  }
  // Not every feature takes such videos.
  for (const FeatureInfo* info : features()) {
    if (!runs_on_devices(*info)) continue;
    const Words feature = {"--feature", std::string(info->name)};
    for (const Words& videos : {pair("colour_384x320_16b_ref.mkv", "colour_384x320_16b_shift.mkv"),
                                pair("tiny_128x96_8b.mp4", "tiny_128x96_8b.mp4")}) {
      rows.push_back({.title = feature[1] + " of " + videos[1],
                      .words = joined(videos, feature),
                      .may_be_refused = true});
    }
  }
  return rows;
}

TEST_F(RunGate, ReportsOfAllBackendsAreTheSame) {
  for (const Row& row : few_rows()) EXPECT_TRUE(expect_same(row, {"hybrid", "vulkan"})) << row.title;
}

// Threads enough that each would want memory of its own on the device.
TEST_F(RunGate, ASmallDeviceFindsTheSame) {
  const Words cambi = {"--feature", "cambi", "--enc", "250x180", "--threads", "16"};
  struct Lack {
    const char *what, *backend;
    Words words;
  };
  for (const auto& [what, backend, features] : {Lack{"everything", "vulkan", with_features(true)},
                                                {"everything", "hybrid", cambi},
                                                {"conform", "hybrid", cambi},
                                                {"allocations", "hybrid", cambi},
                                                {"work groups", "vulkan", cambi},
                                                {"coherent memory", "vulkan", cambi}}) {
    const Words words = joined(kSky, joined(features, {"--frame_cnt", "3"}));
    EXPECT_TRUE(reports(words, backend, spoilt("CAMBI_VULKAN_LACKS", what)) == reports(words, "cpu")) << what;
  }
}

class RunGateOfEverySize : public RunGate {};

TEST_F(RunGateOfEverySize, ReportsOfAllBackendsAreTheSame) {
  for (const Row& row : all_rows())
    EXPECT_TRUE(expect_same(row, {"scalar", "hybrid", "vulkan"}) || row.may_be_refused) << row.title;
}

// Devices that lack something on which no score may depend; the last are software with subgroups of 4 and
// of 16.
TEST_F(RunGateOfEverySize, LesserDevicesFindTheSame) {
  std::vector<std::pair<std::string, ProgramOptions>> devices;
  for (const char* what : {"everything", "coherent memory", "conform", "speed"})
    devices.emplace_back(what, spoilt("CAMBI_VULKAN_LACKS", what));
  for (const char* width : {"128", "512"})
    devices.push_back({width, {.environment = {{"LP_NATIVE_VECTOR_WIDTH", width}}}});
  for (const Row& row : few_rows()) {
    const auto expected = reports(row.words, "cpu");
    for (const auto& [name, options] : devices) {
      for (const char* backend : {"hybrid", "vulkan"}) {
        const auto found = reports(row.words, backend, options);
        EXPECT_TRUE(found == expected) << row.title << ", " << backend << ", " << name << errors_of(found);
      }
    }
  }
}

// What is too little for a feature is said; where it is enough, that finds the same.
TEST_F(RunGateOfEverySize, DevicesThatLackTooMuchAreRefused) {
  for (const FeatureInfo* info : features()) {
    if (!runs_on_devices(*info)) continue;
    const Words words = joined(kSky, {"--feature", std::string(info->name), "--frame_cnt", "2"});
    const auto expected = reports(words, "cpu");
    for (const char* what : {"version", "invocations", "buffers", "shared memory", "work groups",
                             "allocations", "large buffers"}) {
      auto found = reports(words, "vulkan", spoilt("CAMBI_VULKAN_LACKS", what));
      if (found["code"] == "4") {
        EXPECT_THAT(found["errors"], HasSubstr("--backend cpu")) << info->name << ", " << what;
      } else {
        found.erase("code");
        EXPECT_TRUE(found == expected) << info->name << ", " << what << ": " << found["errors"];
      }
    }
  }
}

}  // namespace
}  // namespace vq::cli::test
