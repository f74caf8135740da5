// Plans, shards and merges as a user calls them: what is merged is what one run writes, byte for byte.
#include <regex>

#include "tests/support/bad_input.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

// What differs from run to run: times, and of an extended report the limit that follows from them.
std::string without_times(std::string text) {
  const std::pair<const char*, const char*> kTimes[] = {
      {R"re(("fps"|"wall_seconds"|"opening"|"decoding"|"preparing"|"submitting"|"scoring"|"reporting"|"milliseconds"): [0-9.e+-]+)re",
       "$1: 0"},
      {R"re("limit": "[a-z]+")re", "\"limit\": \"\""},
      {R"re(fps="[0-9.]+")re", "fps=\"0\""}};
  for (const auto& [pattern, to] : kTimes) text = std::regex_replace(text, std::regex(pattern), to);
  return text;
}

struct MergeCase {
  const char* name;
  const char* file;       // made by ffmpeg
  const char* encoder;    // and how
  const char* reference;  // the same; null: none
  const char* flags;      // words apart by blanks
};

void PrintTo(const MergeCase& one, std::ostream* out) { *out << one.name; }

constexpr const char* kH264 = "-c:v libx264 -g 24 -bf 3 -threads 1";
constexpr const char* kHevc =
    "-c:v libx265 -x265-params keyint=24:bframes=4:log-level=none:pools=1:frame-threads=1";

const MergeCase kCases[] = {
    {"h264", "a.mp4", kH264, nullptr, ""},
    {"open_hevc", "a.mkv", kHevc, nullptr, ""},
    {"deep_hevc", "a.mp4",
     "-pix_fmt yuv420p10le -c:v libx265 -x265-params keyint=24:log-level=none:pools=1:frame-threads=1",
     nullptr, ""},
    {"vp9", "a.webm", "-c:v libvpx-vp9 -g 24 -cpu-used 8 -threads 1", nullptr, ""},
    {"av1", "a.mkv", "-c:v libaom-av1 -g 24 -cpu-used 8 -row-mt 0 -threads 1", nullptr, ""},
    {"y4m", "a.y4m", "", nullptr, ""},
    {"not_cut", "a.ts", kH264, nullptr, ""},
    {"not_cut_freezes", "a.mp4", kH264, nullptr, "--feature stretches=freeze=0.2"},
    {"subsample", "a.mp4", kH264, nullptr, "--subsample 5"},
    {"spread_subsample", "a.mp4", kH264, nullptr, "--subsample 3:spread"},
    {"subsample_in_step", "a.mp4", kH264, nullptr, "--subsample 2"},
    {"range", "a.mp4", kH264, nullptr, "--start 0.7s --end 100 --frame_skip_dist 3"},
    {"count", "a.mkv", kH264, nullptr, "--frame_cnt 77"},
    {"crop", "a.mp4", kH264, nullptr, "--crop 256:218:16:2"},
    {"crop_of_each", "a.mp4", kH264, "r.mkv", "--feature psnr --crop 256:218:16:2 --crop-ref 256:218:20:4"},
    {"every_feature", "a.mp4", kH264, "r.mkv",
     "--feature cambi --feature psnr --feature histogram --feature bounds --feature fingerprint --feature "
     "light"},
    {"neighbours", "a.mp4", kH264, "r.mp4", "--feature motion"},
    {"neighbours_of_some", "a.mkv", kHevc, "r.mkv", "--feature motion --feature psnr --subsample 3"},
    {"mean_of_roots", "a.mp4", kH264, "r.mkv", "--feature xpsnr"},
    {"two_neighbours", "a.mkv", kHevc, "r.mkv", "--feature xpsnr=fps=50 --subsample 4"},
    {"pair", "a.mp4", kH264, "r.mkv", "--feature psnr=enable_chroma=true"},
    {"late_pair", "a.mp4", kH264, "r.mkv", "--feature psnr --align 2"},
    {"shifted_pair", "a.mp4", kH264, "late.mkv", "--feature psnr"},
    {"model", "a.mp4", kH264, "r.mkv",
     "--model version=vmaf_v1.0.16_3d0h:name=mine --scale-to 480x270 --score-bits 10"},
    {"collection", "a.mp4", kH264, "r.mkv", "--model version=vmaf_b_v0.6.3 --feature cambi"},
    {"features_of_a_model", "a.mp4", kH264, "r.mkv", "--model auto --no_prediction"},
    {"uneven_pair", "a.mp4", kH264, "short.mkv", "--feature psnr --compare-anyway"},
};

class Merge : public testing::TestWithParam<MergeCase>, protected Folder {
 protected:
  std::string plan() const { return in_folder("plan.json"); }

  // A scene cut, pictures that stand still, and noise between.
  void make(const std::string& name, const std::string& encoder) const {
    const std::string frames = name.starts_with("short") ? "110" : "130";
    const std::string from = name.starts_with("late") ? ",trim=start_frame=4,setpts=PTS-STARTPTS" : "";
    run_ffmpeg(
        "-f lavfi -i "
        "\"testsrc2=s=288x224:r=25:d=3,loop=12:1:30,noise=alls=4:allf=t:all_seed=3:enable='lt(n,25)'[a];"
        "mandelbrot=s=288x224:r=25,trim=end_frame=90,setpts=PTS-STARTPTS[b];[a][b]concat" +
        from + "\" -frames:v " + frames + " -pix_fmt yuv420p " + encoder + " " + in_folder(name));
  }

  // Plans the video, scores all shards and returns how many there were.
  int64_t score_shards(const Words& flags, const std::string& length) const {
    Words words = {"plan", in_folder(GetParam().file), "-o", plan(), "--shard-frames", length, "--threads",
                   "2"};
    if (GetParam().reference != nullptr) words.insert(words.end(), {"-r", in_folder(GetParam().reference)});
    run_well(joined(words, flags));
    const int64_t shards = read_json(plan()).at("shard_count");
    // In any order.
    for (int64_t i = shards - 1; i >= 0; --i)
      run_well({"shard", plan(), "--index", std::to_string(i), "--quiet"});
    return shards;
  }
};

TEST_P(Merge, IsWhatOneRunWrites) {
  make(GetParam().file, GetParam().encoder);
  if (GetParam().reference != nullptr)
    make(GetParam().reference, "-c:v libx264 -g 17 -bf 2 -qp 10 -threads 1");
  const int64_t shards = score_shards(words_of(GetParam().flags), "40");
  EXPECT_EQ(shards > 1, !std::string(GetParam().name).starts_with("not_cut")) << shards;
  std::vector<Words> forms = {{"-o", in_folder("out.json"), "--extended", "--precision", "max"}};
  if (std::string(GetParam().name) == "h264") {  // forms do not depend on how the video is coded
    for (const char* const name : {"out.json", "out.csv", "out.xml", "out.sub"})
      forms.push_back({"-o", in_folder(name)});
    forms.push_back({"-o", in_folder("out.json"), "--extended", "--worst", "3", "--segments", "1",
                     "--fail-above", "max>1000"});
    write_file(in_folder("scenes.json"),
               R"({"scenes": [{"start_frame": 0}, {"start_frame": 30}, {"start_frame": 70}]})");
    forms.push_back({"-o", in_folder("out.json"), "--extended", "--segments", "scenes:0", "--scenes-from",
                     in_folder("scenes.json")});
    forms.push_back({"--scenes", in_folder("out.csv")});
  }
  for (const Words& form : forms) {
    SCOPED_TRACE(form[1]);
    const ProgramResult merged = run_well(joined({"merge", plan()}, form));
    const std::string text = read_file(form[1]);
    // As merge calls it, which the report says.
    Words single = read_json(plan()).at("arguments");
    for (size_t i = 0; i < form.size(); ++i) {
      if (form[i] == "-o") {
        single.push_back("--output=" + form[++i]);
      } else if (i + 1 < form.size() && !form[i + 1].starts_with("-")) {
        single.push_back(form[i] + "=" + form[i + 1]);
        ++i;
      } else {
        single.push_back(form[i]);
      }
    }
    if (GetParam().reference != nullptr) single.push_back("--reference=" + in_folder(GetParam().reference));
    single.push_back(in_folder(GetParam().file));
    const ProgramResult one = run_well(single);
    const std::string expected = read_file(form[1]);
    EXPECT_EQ(without_times(text), without_times(expected));
    EXPECT_EQ(message_lines(merged.err).warnings, message_lines(one.err).warnings);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Merge, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

class ClusterProgram : public FolderTest {
 protected:
  std::string plan() const { return in_folder("plan.json"); }
  void make(const std::string& name) const {
    fs::create_directories(fs::path(in_folder(name)).parent_path());
    run_ffmpeg(
        "-f lavfi -i testsrc2=s=288x224:r=25 -frames:v 100 -pix_fmt yuv420p -c:v libx264 -g 20 -threads 1 " +
        in_folder(name));
  }
  // Four shards of 25 frames, or so.
  void planned() const {
    make("v/a.mkv");
    run_well({"plan", in_folder("v/a.mkv"), "-o", plan(), "--shards", "4"});
  }
  ProgramResult shard(const std::string& index, const Words& more = {}) const {
    return run_program(joined({"shard", plan(), "--index", index}, more));
  }
};

TEST_F(ClusterProgram, TheSameShardTwiceAtOnceIsWhole) {
  planned();
  std::vector<std::unique_ptr<RunningProgram>> running;
  for (int i = 0; i < 4; ++i)
    running.push_back(std::make_unique<RunningProgram>(Words{"shard", plan(), "--index", "0-3"}));
  for (const auto& one : running) EXPECT_EQ(one->wait().code, 0);
  EXPECT_EQ(run_program({"merge", plan(), "-o", in_folder("out.json")}).code, 0);
  for (const auto& entry : fs::directory_iterator(in_folder("plan.shards/0000/000000")))
    EXPECT_EQ(entry.path().extension(), ".shard") << "nothing else is left";
}

TEST_F(ClusterProgram, WhatIsMissingIsListedAndTheFramesBeforeItAreKept) {
  planned();
  for (const char* const index : {"0", "1", "3"}) EXPECT_EQ(shard(index).code, 0);
  const ProgramResult merged = run_program({"merge", plan(), "-o", in_folder("out.json"), "--extended"});
  EXPECT_EQ(merged.code, 6);
  EXPECT_THAT(merged.err, testing::ContainsRegex("[^0-9]2[^0-9]"));
  EXPECT_FALSE(fs::exists(in_folder("out.json")));
  const auto partial = read_json(in_folder("out.json.partial"));
  EXPECT_FALSE(partial.at("run").at("complete").get<bool>());
  const size_t frames = partial.at("frames").size();
  EXPECT_GT(frames, 30U);
  EXPECT_LT(frames, 70U);
  EXPECT_EQ(shard("2").code, 0);
  EXPECT_EQ(run_program({"merge", plan(), "-o", in_folder("out.json"), "--extended"}).code, 0);
  const auto whole = read_json(in_folder("out.json"));
  EXPECT_EQ(whole.at("frames").size(), 100U);
  for (size_t i = 0; i < frames; ++i) EXPECT_EQ(partial.at("frames")[i], whole.at("frames")[i]);
}

TEST_F(ClusterProgram, ManyTitlesHaveAReportEachAndASummary) {
  for (const char* const name : {"v/s1/a.mkv", "v/s1/b.mkv", "v/s2/a.mkv"}) make(name);
  write_file(in_folder("v/broken.mkv"), "no video");
  const ProgramResult plan_result = run_program(
      {"plan", in_folder("v"), "-o", plan(), "--shard-frames", "40", "--results", in_folder("shards")});
  EXPECT_EQ(plan_result.code, 2) << "of the one that cannot be read";
  EXPECT_THAT(plan_result.err, HasSubstr("broken.mkv"));
  EXPECT_EQ(shard("0-7", {"--quiet"}).code, 0);
  const std::vector<std::string> merge = {"merge", plan(), "--reports", in_folder("reports"), "--formats",
                                          "csv",   "--by", "p95",       "--fail-above",       "max>99"};
  const ProgramResult partial = run_program(merge);
  EXPECT_EQ(partial.code, 6);
  EXPECT_TRUE(fs::exists(in_folder("reports/s2/a.mkv.json.partial")));
  EXPECT_EQ(shard("8").code, 0);
  run_well(merge);
  for (const char* const name :
       {"s1/a.mkv.json", "s1/b.mkv.json", "s2/a.mkv.json", "s2/a.mkv.csv", "summary.json", "summary.csv"}) {
    EXPECT_TRUE(fs::exists(in_folder("reports/") + name)) << name;
  }
  const auto summary = read_json(in_folder("reports/summary.json"));
  EXPECT_EQ(summary.at("counts").at("scored"), 3);
  // A batch finds nothing left to do, since these are its reports.
  fs::remove(in_folder("v/broken.mkv"));
  run_well({"batch", in_folder("v"), "--reports", in_folder("reports"), "--formats", "csv", "--fail-above",
            "max>99"});
  const auto videos = read_json(in_folder("reports/summary.json")).at("videos");
  ASSERT_EQ(videos.size(), 3U);
  for (const auto& video : videos) EXPECT_EQ(video.at("state"), "kept");
  EXPECT_EQ(run_program({"merge", plan(), "--reports", in_folder("reports"), "--fail-above", "max>-1"}).code,
            7);
}

// Shards are scored in folders of their own.
TEST_F(ClusterProgram, FilesOfModelsAreNamedFromTheRootOn) {
  planned();
  write_file(in_folder("m.json"), synthetic_model({"Cambi_feature_cambi_score"}).dump());
  const std::string relative = fs::relative(in_folder("m.json")).string();
  ASSERT_FALSE(relative.starts_with("/"));
  run_well({"plan", in_folder("v/a.mkv"), "-r", in_folder("v/a.mkv"), "-o", plan(), "--model",
            "path=" + relative + ":name=mine:disable_clip:cambi.topk=0.5", "--model", "version=vmaf_v0.6.1"});
  const std::vector<std::string> words = read_json(plan()).at("arguments");
  EXPECT_THAT(words,
              ElementsAre("--model=path=" + in_folder("m.json") + ":name=mine:disable_clip:cambi.topk=0.5",
                          "--model=version=vmaf_v0.6.1:name=vmaf"));
}

}  // namespace
}  // namespace vq::cli::test
