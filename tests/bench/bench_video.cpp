#include "tests/bench/bench_video.h"

#include <random>

#include "cli/decoding/open_video.h"
#include "cli/decoding/video_source.h"
#include "core/error.h"

namespace vq::cambi::bench {
namespace {

constexpr int kFrames = 2;
constexpr int kWidth = 1920, kHeight = 1080;

// What a worst case differs in from the default options.
struct Setting {
  int log_contrast = 2;
  int window = 0;  // 0: the picture's own
  bool all_masked = false;
};

// A picture from a function of position and noise, as 10-bit samples.
template <typename Sample>
Video make_picture(const std::string& name, const Setting& setting, Sample sample) {
  const auto samples = std::make_shared<std::vector<uint16_t>>();
  std::minstd_rand random(7);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      samples->push_back(static_cast<uint16_t>(sample(x, y, static_cast<int>(random() >> 8))));
    }
  }
  Frame frame;
  frame.luma().u16 = {samples->data(), kWidth, kHeight, kWidth};
  frame.bit_depth = 10;
  frame.owner = samples;

  Video video;
  video.name = name;
  video.all_masked = setting.all_masked;
  video.frames = {frame};
  video.formats.distorted = {.name = name, .width = kWidth, .height = kHeight, .bit_depth = 10};
  CambiOptions options;
  options.max_log_contrast = setting.log_contrast;
  if (setting.log_contrast > 2) options.tvi_threshold = 0.0001;  // so that every contrast counts
  video.plans = make_plans(options, video.formats);
  CambiPlan& plan = video.plans.distorted;
  if (setting.window != 0) {
    plan.window = setting.window;
    plan.half_window = setting.window / 2;
    plan.reciprocals = make_reciprocals(setting.window);
  }
  return video;
}

}  // namespace

Video read_video(const std::string& path) {
  cli::SourceOptions options;
  options.path = path;
  const std::unique_ptr<cli::VideoSource> source = cli::open_video(options);
  Video video;
  video.path = path;
  video.name = path.substr(path.rfind('/') + 1);
  video.name.resize(std::min(video.name.size(), video.name.rfind('.')));
  video.formats.distorted = source->info().format;
  while (video.frames.size() < kFrames) {
    std::optional<Frame> frame = source->read();
    if (!frame) break;
    video.frames.push_back(std::move(*frame));
  }
  if (video.frames.empty()) throw Error(ErrorKind::kInput, path + " has no picture.");
  video.plans = make_plans({}, video.formats);
  return video;
}

std::vector<Video> worst_cases() {
  constexpr Setting kPlain, kMany{.log_contrast = 5}, kWide{.window = 255},
      kManyWide{.log_contrast = 5, .window = 255}, kAll{.all_masked = true},
      kAllWide{.window = 255, .all_masked = true}, kAllMany{.log_contrast = 5, .all_masked = true};
  // Fifteen samples of sixteen are 400, so that the mask lets the noise of the others pass.
  const auto noise = [](int, int, int r) { return r % 16 == 0 ? 400 + r / 16 % 5 : 400; };
  const auto blocks = [](int x, int y, int r) { return (x / 2 + y / 2) % 9 == 0 ? r % 1024 : 300; };
  const auto ramp = [](int x, int y, int) { return 64 + (x + y / 3) * 800 / 2300; };
  const auto steep = [](int x, int y, int) { return 64 + (x / 2 + 7 * (y / 8)) % 400; };
  const auto dithered = [](int x, int y, int r) { return 128 + x / 24 + y / 30 + (r % 8 == 0); };
  const auto own_levels = [](int x, int y, int) { return (x + 7 * y) % 1024; };
  const auto random_levels = [](int, int, int r) { return r % 1024; };
  const auto random_few = [](int, int, int r) { return 400 + r % 5; };
  std::vector<Video> videos;
  videos.push_back(make_picture("noise", kPlain, noise));
  videos.push_back(make_picture("noise_w255", kWide, noise));
  videos.push_back(make_picture("noise_blocks", kPlain, blocks));
  videos.push_back(make_picture("ramp", kPlain, ramp));
  videos.push_back(make_picture("ramp_mlc5", kMany, ramp));
  videos.push_back(make_picture("ramp_w255", kWide, ramp));
  videos.push_back(make_picture("steep_ramp", kPlain, steep));
  videos.push_back(make_picture("steep_ramp_mlc5", kMany, steep));
  videos.push_back(make_picture("steep_ramp_w255", kWide, steep));
  videos.push_back(make_picture("dithered_ramp", kPlain, dithered));
  videos.push_back(make_picture("dithered_ramp_mlc5", kMany, dithered));
  videos.push_back(make_picture("dithered_ramp_mlc5_w255", kManyWide, dithered));
  videos.push_back(make_picture("own_levels", kAll, own_levels));
  videos.push_back(make_picture("own_levels_mlc5", kAllMany, own_levels));
  videos.push_back(make_picture("own_levels_w255", kAllWide, own_levels));
  videos.push_back(make_picture("random_levels", kAll, random_levels));
  videos.push_back(make_picture("random_levels_w255", kAllWide, random_levels));
  videos.push_back(make_picture("random_few", kAll, random_few));
  videos.push_back(make_picture("random_few_mlc5", kAllMany, random_few));
  return videos;
}

}  // namespace vq::cambi::bench
