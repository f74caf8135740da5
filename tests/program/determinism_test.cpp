// The same pictures give the same doubles and files, however they come and whatever else is scored.
#include <regex>

#include "feature/extractor.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

class Determinism : public BadInputTest {
 protected:
  // The reports of a run in every format, without what depends on the clock.
  std::map<std::string, std::string> reports_of(const Words& words, int threads) const {
    Words all = joined(words, {"-q", "--precision", "max"});
    const Words formats = {"json", "xml", "csv", "sub"};
    for (const std::string& format : formats) all.insert(all.end(), {"-o", in_folder("r." + format)});
    const ProgramResult result = run(all, threads);
    EXPECT_EQ(result.code, 0) << result.err;
    std::map<std::string, std::string> reports;
    for (const std::string& format : formats)
      reports[format] = std::regex_replace(read_file(in_folder("r." + format)),
                                           std::regex("(fps\": |fps=\")[0-9.]+"), "$010");
    return reports;
  }
  std::vector<double> scores(const Words& words, int threads = 1) const {
    return scores_of(json::parse(reports_of(words, threads).at("json")));
  }
};

TEST_F(Determinism, ThreadsDoNotMatter) {
  const Words runs[] = {
      {clip("sky_640x360_8b.mp4")},
      {clip("static_640x360_8b.mp4")},
      {"-r", clip("sky_640x360_8b_ref.mp4"), "-d", clip("sky_640x360_8b.mp4"), "--full-ref"},
      {"-r", clip("sky_640x360_8b_ref.mp4"), "-d", clip("sky_640x360_8b.mp4"), "--feature", "xpsnr=fps=60"},
      {clip("textured_417x235_8b.mkv"), "--subsample", "2"}};
  for (const Words& words : runs) {
    const auto one = reports_of(words, 1);
    for (const auto& [format, report] : one) EXPECT_GT(report.size(), 60U) << format;
    for (const int threads : {2, 3, 8}) EXPECT_EQ(reports_of(words, threads), one) << threads;
  }
}

TEST_F(Determinism, ThreadsDoNotMatterForHeatmaps) {
  std::vector<std::pair<std::string, std::string>> first;
  for (const int threads : {1, 2, 3, 8}) {
    const std::string maps = in_folder("maps");
    ASSERT_EQ(run({clip("sky_640x360_8b.mp4"), "--heatmaps", maps, "--heatmap-format", "gray"}, threads).code,
              0);
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& entry : state()) {
      if (entry.first.starts_with("maps/")) files.push_back(entry);
    }
    ASSERT_EQ(files.size(), 5U);
    if (first.empty()) first = files;
    EXPECT_EQ(files, first) << threads;
  }
}

TEST_F(Determinism, ContainersDoNotMatter) {
  const VideoShape shape{.width = 334, .height = 218, .frames = 5};
  const std::string y4m = made("a.y4m", y4m_video(shape)), raw = made("a.yuv", raw_video(shape));
  const std::vector<double> expected = scores({y4m});
  ASSERT_EQ(expected.size(), 5U);
  EXPECT_EQ(scores({raw, "-w", "334", "-h", "218", "-p", "420", "-b", "8"}), expected);
  const std::pair<const char*, const char*> containers[] = {
      {"ffv1", "a.mkv"},
      {"libx264 -qp 0", "a.mp4"},
      {"huffyuv -pix_fmt yuv422p", "a.avi"},
      {"rawvideo", "a.nut"},
      {"libx265 -x265-params lossless=1:log-level=none", "b.mkv"},
      {"libx264 -qp 0", "a.ts"},
      {"libvpx-vp9 -lossless 1", "a.webm"}};
  for (const auto& [codec, name] : containers) {
    run_ffmpeg("-i " + y4m + " -c:v " + codec + " " + in_folder(name));
    for (const int threads : {1, 4}) EXPECT_EQ(scores({in_folder(name)}, threads), expected) << name;
  }
}

struct Scores : ScoreSink {
  std::vector<double> values;
  void scored(const FrameScores& scores) override { values = scores.results[0].values; }
};

// CAMBI is not defined for pictures under 216, nor for a source that is wider yet shorter than the encode.
bool has_impossible_sizes(const OptionSet& set, const VideoFormat& format) {
  int width = set.get_int("enc_width"), height = set.get_int("enc_height");
  if (width == 0 || height == 0 || width > format.width || height > format.height) {
    width = format.width;
    height = format.height;
  }
  if (std::max(width, height) < 216) return true;
  int source_width = set.get_int("src_width"), source_height = set.get_int("src_height");
  if (!set.get_bool("full_ref")) return false;
  if (source_width == 0 || source_height == 0) {
    source_width = format.width;
    source_height = format.height;
  }
  return (source_width > width && source_height < height) ||
         (source_width < width && source_height > height) ||
         127 * (source_width + source_height) / 375 / 16 > 255;
}

int random_int(const OptionSpec& spec, std::mt19937& random, int largest_side) {
  const bool is_side = spec.name.ends_with("_width") || spec.name.ends_with("_height");
  const int min = static_cast<int>(spec.min), max = static_cast<int>(spec.max);
  if (!is_side || random() % 64 == 0) return std::uniform_int_distribution(min, max)(random);
  return std::uniform_int_distribution(min, std::max(min, std::min(max, largest_side)))(random);
}

std::string random_value(const OptionSpec& spec, std::mt19937& random, int largest_side) {
  switch (spec.kind) {
    case OptionKind::kBool:
      return random() % 2 != 0 ? "true" : "false";
    case OptionKind::kChoice:
      return std::string(spec.choices[random() % spec.choices.size()]);
    case OptionKind::kInt:
      if (!spec.allowed.empty()) return std::to_string(spec.allowed[random() % spec.allowed.size()]);
      return std::to_string(random_int(spec, random, largest_side));
    case OptionKind::kReal:
      return std::to_string(std::max(spec.min, std::uniform_real_distribution<>(spec.min, spec.max)(random)));
    case OptionKind::kPath:
      break;
  }
  return "";
}

// About a third of CAMBI's options of the exact form, each with a value from its range. Sides are seldom
// above `largest_side`: what is scaled up to 8K takes seconds.
OptionSet random_options(std::mt19937& random, int largest_side) {
  OptionSet set(find_feature("cambi").options);
  for (const OptionSpec& spec : set.specs()) {
    if (spec.kind == OptionKind::kPath || !spec.in_exact_form || random() % 3 != 0) continue;
    set.set(spec.name, random_value(spec, random, largest_side));
  }
  return set;
}

void expect_scores_of_random_options(int count) {
  const VideoShape shape{.width = 340, .height = 24, .frames = 1, .chroma = "400"};
  const std::string bytes = frame_bytes(shape, 0);
  VideoFormats formats;
  formats.distorted = {.name = "input", .width = shape.width, .height = shape.height};
  formats.reference = formats.distorted;
  FramePair pair;
  pair.distorted.luma().u8 = {reinterpret_cast<const uint8_t*>(bytes.data()), shape.width, shape.height,
                              shape.width};
  pair.reference = pair.distorted;
  WorkerPool pool(1);
  std::mt19937 random(5);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const OptionSet set = random_options(random, 340);
    const std::string name = set.metric_name("cambi");
    Scores scores;
    try {
      const std::vector<FeatureRequest> requests = {{&find_feature("cambi"), set}};
      const auto extractor = make_extractor(requests, formats, {.pool = &pool});
      extractor->push(pair, scores);
      extractor->finish(scores);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kMismatch) << name << ": " << error.what();
      ASSERT_TRUE(has_impossible_sizes(set, formats.distorted)) << name << ": " << error.what();
      ++refused;
      continue;
    }
    ASSERT_EQ(scores.values.size(), set.get_bool("full_ref") ? 3U : 1U);
    for (const double value : scores.values) ASSERT_TRUE(std::isfinite(value) && value >= 0) << name;
  }
  EXPECT_LT(refused, count / 5);
}

TEST(RandomOptions, InRangeGiveScores) { expect_scores_of_random_options(2000); }
TEST(RandomOptionsOfEverySize, InRangeGiveScores) { expect_scores_of_random_options(10000); }

}  // namespace
}  // namespace vq::cli::test
