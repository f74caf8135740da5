// Times CAMBI's stages on a Vulkan device, for every way to make c-values that is named:
// gpu_score_bench [--device N|NAME] [--frames N] [--window N] [--tiles THREADS,WORDS,ROWS,KEEP]... [--scan]
// INPUT... Each INPUT is as in tests/program/raw_input.h. Without --tiles it is the way that the device would
// get; --scan adds the direct window scan. `cambi bench` measures everything else.
#include <algorithm>
#include <cstdio>
#include <map>

#include "core/error.h"
#include "core/metric.h"
#include "core/text.h"
#include "feature/cambi/device.h"
#include "feature/device_feature.h"
#include "tests/program/raw_input.h"
#include "vulkan/shader.h"

namespace vq::cambi {
namespace {

using gpu::Scoring;
using gpu::ScoringChoice;
constexpr std::chrono::seconds kTimeout{60};
constexpr int kWarmUp = 5;

struct Arguments {
  std::string device;
  int frames = 100, window = 65;
  bool scan = false;
  std::vector<gpu::CValueTiles> tiles;
  std::vector<std::string> inputs;
};

gpu::CValueTiles parse_tiles(const std::string& text) {
  gpu::CValueTiles tiles;
  int keep = 1;
  if (std::sscanf(text.c_str(), "%u,%u,%u,%d", &tiles.threads, &tiles.row_words, &tiles.rows_each, &keep) !=
      4) {
    throw Error(ErrorKind::kUsage, words("tiles are THREADS,WORDS,ROWS,KEEP, not {}", text));
  }
  tiles.keep_planes = keep != 0;
  return tiles;
}

Arguments parse(int count, char** given) {
  Arguments result;
  for (int i = 1; i < count; ++i) {
    const std::string word = given[i];
    if (word.substr(0, 2) != "--") {
      result.inputs.push_back(word);
      continue;
    }
    if (word == "--scan") {
      result.scan = true;
      continue;
    }
    if (++i == count) throw Error(ErrorKind::kUsage, words("{} lacks a value", word));
    const std::string value = given[i];
    if (word == "--device") {
      result.device = value;
    } else if (word == "--frames") {
      result.frames = std::max(1, std::atoi(value.c_str()));
    } else if (word == "--window") {
      result.window = std::atoi(value.c_str());
    } else if (word == "--tiles") {
      result.tiles.push_back(parse_tiles(value));
    } else {
      throw Error(ErrorKind::kUsage, words("there is no flag {}", word));
    }
  }
  if (result.inputs.empty()) result.inputs = {"banded:3840x2160@8"};
  return result;
}

// Prints the stages' median times in a row, and their sum without the upload.
void measure(vulkan::Context& context, const CambiPlan& plan, const Input& input, const ScoringChoice& choice,
             int frames) {
  gpu::ScoredPicture picture(context, plan, choice);
  vulkan::Recorder recorder(context.device());
  vulkan::DevicePicture luma(context.device(), input.format, 1);
  recorder.begin_stage("upload");
  luma.record(recorder);
  picture.record(recorder, luma.plane(0));
  vulkan::CommandList list = recorder.finish();
  std::map<std::string, std::vector<double>> times;
  std::vector<double> inner;
  double score = 0;
  for (int i = 0; i < kWarmUp + frames; ++i) {
    luma.upload(input.frames[static_cast<size_t>(i) % input.frames.size()]);
    list.submit();
    list.wait(kTimeout);
    if (i < static_cast<int>(input.frames.size())) score += frame_score(plan, picture.sums());
    if (i < kWarmUp) continue;
    inner.push_back(0);
    for (const vulkan::StageTime& time : list.times()) {
      times[time.stage].push_back(time.milliseconds);
      if (time.stage != "upload") inner.back() += time.milliseconds;
    }
  }
  const gpu::CValueTiles& tiles = choice.tiles;
  if (choice.method == Scoring::Method::kScan) {
    std::printf("  %-13s", "scan");
  } else {
    std::printf("  %3u,%u,%2u,%d   ", tiles.threads, tiles.row_words, tiles.rows_each,
                tiles.keep_planes ? 1 : 0);
  }
  for (const vulkan::StageTime& time : list.times())
    std::printf(" %s %.4f", time.stage.c_str(), median(times[time.stage]));
  std::printf(" | all but upload %.4f | scores %.12f\n", median(inner), score);
  std::fflush(stdout);
}

void measure_all(const Arguments& arguments) {
  const auto device = vulkan::Device::open({.selector = arguments.device});
  const vulkan::DeviceInfo& info = device->info();
  std::printf("%s, Vulkan %s, subgroups of %d, %lld bytes shared\n", device->label().c_str(),
              info.api_version.c_str(), info.subgroup_size, static_cast<long long>(info.shared_memory_bytes));
  vulkan::Context context(device);
  for (const std::string& text : arguments.inputs) {
    const Input input = open_input(text);
    CambiOptions options;
    options.window_size = arguments.window;
    const CambiPlan plan = make_plans(options, {.distorted = input.format, .reference = {}}).distorted;
    std::printf("%s, %zu frames, window %d\n", text.c_str(), input.frames.size(), plan.window);
    const gpu::CValueTiles chosen = gpu::choose_tiles(plan, info);
    for (const gpu::CValueTiles& tiles :
         arguments.tiles.empty() ? std::vector{chosen} : arguments.tiles) {
      const vulkan::ShaderNeeds needs = gpu::kCValuesShader.needs(tiles.constants(plan));
      if (unsupported_reason(info, needs).empty())
        measure(context, plan, input, {.tiles = tiles}, arguments.frames);
    }
    if (arguments.scan) {
      measure(context, plan, input, {.tiles = chosen, .method = Scoring::Method::kScan},
              std::max(3, arguments.frames / 20));
    }
  }
}

}  // namespace
}  // namespace vq::cambi

int main(int count, char** words) {
  return vq::cambi::exit_code_of("gpu_score_bench", [&] {
    vq::cambi::measure_all(vq::cambi::parse(count, words));
    return 0;
  });
}
