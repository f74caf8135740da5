// Measures plans and merges of catalogues that are made up, in time and memory:
//   cluster_bench plan TITLES FRAMES [SHARD_FRAMES]    writes a plan of so many titles of so many frames, and
//   reads it cluster_bench merge TITLES SHARDS FRAMES           shards of each title, of so many frames each,
//   that `cambi merge` merges
// Both work in a folder of their own below the current one, which goes with what is in it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/cluster/cutting.h"
#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "cli/run/run_facts.h"
#include "core/error.h"
#include "core/version.h"
#include "feature/registry.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kGroup = 48;  // pictures from key frame to key frame
constexpr double kMebi = 1024.0 * 1024.0;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of this process so far.
double peak_mebibytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Folder {
 public:
  Folder() {
    std::string pattern = "cluster_bench_XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw Error(ErrorKind::kOutput, "cannot make a folder here");
    path_ = fs::absolute(pattern).string();
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

VideoFormat format_of(const std::string& name) {
  return {.name = name, .width = 1920, .height = 1080};
}

StreamIndex index_of(int64_t frames) {
  StreamIndex index;
  index.pictures = frames;
  index.tick_seconds = 0.001;
  index.info.format = format_of("made up");
  index.info.frame_rate_num = 25;
  for (int64_t i = 0; i < frames; ++i) {
    index.times.push_back(40 * i);
    if (i % kGroup == 0) index.starts.push_back({i, 40 * i, 40 * i - 80});
  }
  return index;
}

RunOptions options_of(const std::string& path) {
  RunOptions options;
  options.distorted = path;
  options.features.push_back({&default_feature(), OptionSet(default_feature().options)});
  options.features.front().options.set_own_defaults();
  return options;
}

PlannedTitle title_of(int64_t number, int64_t frames, const TitleCut& cut) {
  PlannedTitle title;
  const std::string name =
      "season" + std::to_string(number / 20) + "/episode" + std::to_string(number % 20) + ".mkv";
  title.name = name;
  title.distorted = {{"/videos/" + name, 4'000'000'000 + number, "1700000000.123456789", "0123456789abcdef"},
                     frames,
                     StreamLength{3'900'000'000, 8000}};
  title.frames = frames;
  title.width = 1920;
  title.height = 1080;
  title.shards = cut.shards;
  return title;
}

PlanHead write_plan(const std::string& path, int64_t titles, int64_t frames, const ShardLength& length) {
  const TitleCut cut = cut_title(options_of("made up"), index_of(frames), nullptr, length);
  PlanWriter writer(path, {.version = version(), .results = path + ".shards", .arguments = {}, .id = {}});
  for (int64_t i = 0; i < titles; ++i) writer.add(title_of(i, frames, cut));
  return writer.commit();
}

void measure_plan(int64_t titles, int64_t frames, int64_t shard_frames) {
  const Folder folder;
  const std::string path = folder.path() + "/plan.json";
  auto start = Clock::now();
  const PlanHead head =
      write_plan(path, titles, frames, {.frames = shard_frames, .seconds = {}, .shards = {}});
  std::printf("plan: %lld titles, %lld shards, %.1f MiB, written in %.2f s, peak %.1f MiB\n",
              static_cast<long long>(head.titles), static_cast<long long>(head.shards),
              static_cast<double>(fs::file_size(path)) / kMebi, seconds_since(start), peak_mebibytes());
  start = Clock::now();
  const PlanFile plan(path);
  std::printf("opened, which reads all of it: %.3f s\n", seconds_since(start));
  start = Clock::now();
  const PlannedTitle last = plan.title_of_shard(head.shards - 1);
  std::printf("the last shard found: %.3f s (title %lld)\n", seconds_since(start),
              static_cast<long long>(last.number));
  start = Clock::now();
  int64_t shards = 0;
  plan.each_title([&](const PlannedTitle& title) {
    shards += static_cast<int64_t>(title.shards.size());
    return true;
  });
  std::printf("every title read: %.2f s, %lld shards, peak %.1f MiB\n", seconds_since(start),
              static_cast<long long>(shards), peak_mebibytes());
}

// Scores and pictures that change slowly, with a scene every 97 frames.
PartFindings findings_of(const PlannedTitle& title, int64_t first, int64_t end) {
  PartFindings found;
  found.formats.distorted = format_of(title.distorted.file.path);
  found.pairs_read = end - first;
  for (int64_t i = first; i < end; ++i) {
    found.frames.push_back({.frame = i,
                            .timestamp = 0.04 * static_cast<double>(i),
                            .is_reported = true,
                            .has_reference = false,
                            .distorted_repeats = 0,
                            .reference_repeats = 0});
    found.results.emplace_back().push_back(
        {.values = {3 + 2.5 * std::sin(static_cast<double>(i + title.number) / 50)},
         .tallies = {},
         .texts = {}});
    LookedPair& pair = found.pairs.emplace_back();
    pair.frame = i;
    for (size_t k = 0; k < pair.scene.levels.size(); ++k)
      pair.scene.levels[k] = static_cast<uint16_t>(256 + (k * 37 + static_cast<size_t>(i / 97) * 911) % 3000 +
                                                   static_cast<size_t>(i % 5));
  }
  return found;
}

ShardFacts facts_of(const PlannedTitle& title) {
  RunOptions options = options_of(title.distorted.file.path);
  const VideoFormats formats{.distorted = format_of(title.distorted.file.path), .reference = {}};
  resolve(options.features.front(), formats);
  VideoInfo info;
  info.path = title.distorted.file.path;
  info.codec = info.decoder = "hevc";
  info.format = formats.distorted;
  info.frame_rate_num = 25;
  ShardFacts facts;
  facts.report.version = version();
  facts.report.width = 1920;
  facts.report.height = 1080;
  for (const std::string& name : metric_names(options.features)) facts.report.metrics.push_back({name, {}});
  facts.report.run.inputs.push_back(input_facts("distorted", info, 1, title.distorted.measured));
  facts.report.run.features.push_back(feature_facts(options.features.front()));
  facts.report.run.backend = "cpu";
  facts.report.run.wall_seconds = 10;
  return facts;
}

void write_results(const PlanFile& plan) {
  plan.each_title([&](const PlannedTitle& title) {
    for (size_t i = 0; i < title.shards.size(); ++i) {
      const PlannedShard& shard = title.shards[i];
      const auto place = static_cast<int64_t>(i);
      const int64_t end = shard.end >= 0 ? shard.end : title.frames;
      const std::string path = shard_path(plan.head(), title, place);
      fs::create_directories(fs::path(path).parent_path());
      test::write_file(path, shard_text({plan.head().id, title.first_shard + place}, facts_of(title),
                                        findings_of(title, shard.first, end)));
    }
    return true;
  });
}

int measure_merge(int64_t titles, int64_t shards, int64_t frames) {
  const Folder folder;
  const std::string path = folder.path() + "/plan.json";
  write_plan(path, titles, shards * frames, {.frames = {}, .seconds = {}, .shards = shards});
  const PlanFile plan(path);
  write_results(plan);
  std::printf("merge: %lld titles of %lld shards of about %lld frames\n", static_cast<long long>(titles),
              static_cast<long long>(plan.head().shards / titles), static_cast<long long>(frames));
  for (const char* const extended : {"", "--extended"}) {
    std::vector<std::string> words = {"merge", path, "--quiet"};
    if (titles > 1) {
      if (*extended == '\0') continue;  // reports of a folder are extended
      words.insert(words.end(), {"--reports", folder.path() + "/reports"});
    } else {
      words.insert(words.end(), {"-o", folder.path() + "/report.json"});
      if (*extended != '\0') words.emplace_back(extended);
    }
    const auto start = Clock::now();
    const test::ProgramResult result =
        test::run_program(words, {.input = {}, .environment = {}, .time_limit_s = 3600});
    std::printf("%s%.2f s, peak %.1f MiB, exit code %d %s\n",
                *extended != '\0' ? "extended: " : "compatible: ", seconds_since(start),
                static_cast<double>(result.peak_bytes) / kMebi, result.code, result.err.c_str());
    if (result.code != 0) return 1;
  }
  return 0;
}

int64_t number(char** words, int count, int at, int64_t otherwise) {
  return at < count ? std::max<int64_t>(1, std::atoll(words[at])) : otherwise;
}

int run(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "plan") {
    measure_plan(number(words, count, 2, 10'000), number(words, count, 3, 200'000),
                 number(words, count, 4, kDefaultShardFrames));
    return 0;
  }
  if (what == "merge")
    return measure_merge(number(words, count, 2, 5), number(words, count, 3, 200),
                         number(words, count, 4, 1000));
  std::fputs("cluster_bench plan TITLES FRAMES [SHARD_FRAMES] | merge TITLES SHARDS FRAMES\n", stderr);
  return 1;
}

}  // namespace
}  // namespace vq::cli

int main(int count, char** words) {
  try {
    return vq::cli::run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cluster_bench: %s\n", error.what());
    return 1;
  }
}
