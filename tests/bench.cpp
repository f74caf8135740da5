// Times every stage, every implementation of it and whole frames, on luma from files and on synthetic worst
// cases. See docs/performance.md.
//
//   bench [Google Benchmark's options] [FILE:WIDTHxHEIGHT@DEPTH ...]
//
// FILE holds luma planes one after another, 8-bit samples in bytes, deeper ones in little-endian words; see
// tests/bench_luma.sh. The first two frames are used. Counters: ns/px of the encode size, and GB/s of the
// bytes the stage must read and write, to hold against the memory copy.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

#include "core/error.h"
#include "feature/cambi_driver.h"
#include "feature/simd_targets.h"

namespace vq::cambi {
namespace {

// A video in memory, and its plans.
struct Video {
  std::string name;
  InputFormats formats;
  CambiOptions options;
  std::vector<uint8_t> bytes;
  CambiPlans plans;

  int64_t pixels() const { return int64_t{formats.distorted.width} * formats.distorted.height; }
  int sample_bytes() const { return formats.distorted.bit_depth > 8 ? 2 : 1; }
  int frames() const {
    return static_cast<int>(static_cast<int64_t>(bytes.size()) / (pixels() * sample_bytes()));
  }
  LumaView luma(int frame) const {
    const int width = formats.distorted.width, height = formats.distorted.height;
    const uint8_t* first = bytes.data() + frame * pixels() * sample_bytes();
    LumaView view;
    if (sample_bytes() == 1) {
      view.u8 = {first, width, height, width};
    } else {
      view.u16 = {reinterpret_cast<const uint16_t*>(first), width, height, width};
    }
    return view;
  }
};

Video make_video(std::string name, int width, int height, int depth, CambiOptions options = {}) {
  Video video{std::move(name), {}, options, {}, {}};
  video.formats.distorted.name = video.name;
  video.formats.distorted.width = width;
  video.formats.distorted.height = height;
  video.formats.distorted.bit_depth = depth;
  video.plans = make_plans(video.options, video.formats);
  return video;
}

Video read_video(const std::string& argument) {
  int width = 0, height = 0, depth = 0;
  const size_t colon = argument.rfind(':');
  if (colon == std::string::npos ||
      std::sscanf(argument.c_str() + colon, ":%dx%d@%d", &width, &height, &depth) != 3) {
    throw Error(ErrorKind::kUsage, "\"" + argument + "\" is not FILE:WIDTHxHEIGHT@DEPTH.");
  }
  const std::string path = argument.substr(0, colon);
  const size_t slash = path.rfind('/') + 1, dot = path.rfind('.');
  Video video = make_video(path.substr(slash, dot - slash), width, height, depth);
  std::ifstream file(path, std::ios::binary);
  video.bytes.resize(static_cast<size_t>(2 * video.pixels() * video.sample_bytes()));
  file.read(reinterpret_cast<char*>(video.bytes.data()), static_cast<std::streamsize>(video.bytes.size()));
  video.bytes.resize(static_cast<size_t>(file.gcount()));
  if (video.frames() < 1) throw Error(ErrorKind::kInput, path + " holds no whole picture.");
  return video;
}

// A 1080p picture from a function of position and noise, as 10-bit samples.
template <typename Sample>
Video make_synthetic(const std::string& name, const CambiOptions& options, Sample sample) {
  Video video = make_video(name, 1920, 1080, 10, options);
  video.bytes.resize(static_cast<size_t>(video.pixels() * 2));
  std::minstd_rand random(7);
  for (int y = 0; y < 1080; ++y) {
    for (int x = 0; x < 1920; ++x) {
      const uint16_t value = static_cast<uint16_t>(sample(x, y, static_cast<int>(random() >> 8)));
      std::memcpy(video.bytes.data() + 2 * (1920 * y + x), &value, 2);
    }
  }
  return video;
}

std::vector<Video> worst_cases() {
  CambiOptions plain, wide, many;
  wide.window_size = 127;
  many.max_log_contrast = 5;
  many.tvi_threshold = 0.0001;
  CambiOptions all = many;
  all.window_size = 127;
  // Half of the samples are 400, so that the mask lets the noise of the others pass.
  const auto noise = [](int, int, int r) { return r % 16 == 0 ? 400 + r / 16 % 5 : 400; };
  const auto wild = [](int x, int y, int r) { return (x / 2 + y / 2) % 9 == 0 ? r % 1024 : 300; };
  const auto ramp = [](int x, int y, int) { return 64 + (x + y / 3) * 800 / 2300; };
  const auto steep = [](int x, int y, int) { return 64 + (x / 2 + 7 * (y / 8)) % 400; };
  const auto fine = [](int x, int y, int r) { return 128 + x / 24 + y / 30 + (r % 8 == 0); };
  std::vector<Video> videos;
  videos.push_back(make_synthetic("noise", plain, noise));
  videos.push_back(make_synthetic("wild_noise", plain, wild));
  videos.push_back(make_synthetic("ramp", plain, ramp));
  videos.push_back(make_synthetic("steep_ramp", plain, steep));
  videos.push_back(make_synthetic("dithered_ramp", plain, fine));
  videos.push_back(make_synthetic("dithered_ramp_ws127", wide, fine));
  videos.push_back(make_synthetic("dithered_ramp_mlc5", many, fine));
  videos.push_back(make_synthetic("dithered_ramp_mlc5_ws127", all, fine));
  return videos;
}

struct Implementation {
  std::string name;
  CambiStages stages;
};

std::vector<Implementation> implementations() {
  std::vector<Implementation> list = {{"scalar", scalar_stages()}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    list.push_back({std::string(target.name), simd_stages(target.id)});
  }
  return list;
}

// Drops what it is given.
class NoSink final : public CValueSink {
 public:
  void tile(int, int, CValuesIn values) override { benchmark::DoNotOptimize(values.data); }
};

// A picture with everything that the stages leave behind at one scale.
struct Prepared {
  Plane<uint16_t> image;
  Plane<uint8_t> mask;
};

template <typename T>
Plane<T> copy_of(PlaneView<T> view) {
  Plane<T> plane(view.width, view.height);
  for (int y = 0; y < view.height; ++y) std::copy_n(view.row(y), view.width, plane.row(y));
  return plane;
}

// The inputs of c-values at all scales.
std::vector<Prepared> prepare(const Video& video, Workspace& workspace) {
  const CambiPlan& plan = video.plans.distorted;
  const CambiStages& stages = scalar_stages();
  Image image = workspace.image.view(plan.width, plan.height);
  Mask mask = workspace.mask.view(plan.width, plan.height);
  stages.preprocess(video.luma(0), plan, image);
  stages.spatial_mask(image, plan.mask_threshold, workspace.scratch, mask);
  std::vector<Prepared> scales;
  for (size_t k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[k];
    if (k > 0) {
      const Image smaller{image.data, scale.width, scale.height, image.stride};
      stages.decimate_image(image, smaller);
      const Mask smaller_mask{mask.data, scale.width, scale.height, mask.stride};
      stages.decimate_mask(mask, smaller_mask);
      image = smaller;
      mask = smaller_mask;
    }
    stages.mode_filter(image, workspace.scratch);
    scales.push_back({copy_of(image), copy_of(mask)});
  }
  return scales;
}

void set_counters(benchmark::State& state, const Video& video, double bytes_per_pixel) {
  const double pixels = static_cast<double>(video.pixels());
  using benchmark::Counter;
  state.counters["ns/px"] = Counter(pixels * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
  if (bytes_per_pixel <= 0) return;
  state.counters["GB/s"] = Counter(pixels * bytes_per_pixel * 1e-9, Counter::kIsIterationInvariantRate);
}

using Run = void (*)(benchmark::State&, const Video&, const CambiStages&);

void run_preprocess(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  const LumaView luma = video.luma(0);
  for (auto _ : state) stages.preprocess(luma, video.plans.distorted, workspace.image.view());
  set_counters(state, video, video.sample_bytes() + 2);
}

void run_spatial_mask(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  const CambiPlan& plan = video.plans.distorted;
  stages.preprocess(video.luma(0), plan, workspace.image.view());
  for (auto _ : state) {
    stages.spatial_mask(workspace.image.view(), plan.mask_threshold, workspace.scratch,
                        workspace.mask.view());
  }
  set_counters(state, video, 2 + 1);
}

// All five scales, from a fresh copy that is not timed.
void run_filter_and_decimate(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  const CambiPlan& plan = video.plans.distorted;
  for (auto _ : state) {
    state.PauseTiming();
    stages.preprocess(video.luma(0), plan, workspace.image.view());
    state.ResumeTiming();
    Image image = workspace.image.view();
    Mask mask = workspace.mask.view();
    for (size_t k = 0; k < kScales; ++k) {
      const ScalePlan& scale = plan.scales[k];
      if (k > 0) {
        const Image smaller{image.data, scale.width, scale.height, image.stride};
        const Mask smaller_mask{mask.data, scale.width, scale.height, mask.stride};
        stages.decimate_image(image, smaller);
        stages.decimate_mask(mask, smaller_mask);
        image = smaller;
        mask = smaller_mask;
      }
      stages.mode_filter(image, workspace.scratch);
    }
  }
  set_counters(state, video, 4.0 / 3 * 4 + (1 + 0.25) * 4 / 3);
}

void run_c_values(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  const std::vector<Prepared> scales = prepare(video, workspace);
  NoSink sink;
  for (auto _ : state) {
    for (const Prepared& scale : scales) {
      stages.c_values(scale.image.view(), scale.mask.view(), video.plans.distorted, workspace.scratch, sink);
    }
  }
  set_counters(state, video, 4.0 / 3 * 3);
}

// Keeps the c-values of a picture.
class PlaneSink final : public CValueSink {
 public:
  explicit PlaneSink(Plane<float>& plane) : plane_(plane) {}
  void tile(int x, int y, CValuesIn values) override {
    for (int i = 0; i < values.height; ++i) std::copy_n(values.row(i), values.width, plane_.row(y + i) + x);
  }

 private:
  Plane<float>& plane_;
};

void run_pooling(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  const std::vector<Prepared> scales = prepare(video, workspace);
  const CambiPlan& plan = video.plans.distorted;
  std::vector<Plane<float>> values;
  for (const Prepared& scale : scales) {
    values.emplace_back(scale.image.width(), scale.image.height());
    PlaneSink sink(values.back());
    stages.c_values(scale.image.view(), scale.mask.view(), plan, workspace.scratch, sink);
  }
  for (auto _ : state) {
    for (size_t k = 0; k < kScales; ++k) {
      workspace.pooling.start(static_cast<int>(k), plan.scales[k].topk_count);
      do {
        stages.pool(values[k].view(), workspace.pooling);
      } while (!workspace.pooling.finish());
    }
  }
  set_counters(state, video, 4.0 / 3 * 4);
}

void run_frame(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  HeatmapPlanes none;
  // The pooling learns how far apart the frames are; what a run's first frames cost is run_first_frame's
  // matter.
  for (int i = 0; i < 2 * video.frames(); ++i) {
    score_picture(video.luma(i % video.frames()), video.plans.distorted, stages, workspace, none);
  }
  int frame = 0;
  for (auto _ : state) {
    score_picture(video.luma(frame), video.plans.distorted, stages, workspace, none);
    frame = (frame + 1) % video.frames();
  }
  set_counters(state, video, video.sample_bytes());
}

// As above, with nothing remembered of a frame before.
void run_first_frame(benchmark::State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace(video.plans);
  HeatmapPlanes none;
  for (auto _ : state) {
    workspace.pooling = Pooling(video.pixels());
    score_picture(video.luma(0), video.plans.distorted, stages, workspace, none);
  }
  set_counters(state, video, video.sample_bytes());
}

void run_memory_copy(benchmark::State& state) {
  std::vector<uint8_t> from(64 << 20, 1), to(64 << 20, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.counters["GB/s"] = benchmark::Counter(2e-9 * static_cast<double>(from.size()),
                                              benchmark::Counter::kIsIterationInvariantRate);
}

void register_video(const Video& video, const std::vector<Implementation>& list) {
  constexpr std::pair<const char*, Run> kRuns[] = {{"preprocess", run_preprocess},
                                                   {"spatial_mask", run_spatial_mask},
                                                   {"mode_filter", run_filter_and_decimate},
                                                   {"c_values", run_c_values},
                                                   {"pooling", run_pooling},
                                                   {"frame", run_frame},
                                                   {"first_frame", run_first_frame}};
  for (const auto& [stage, run] : kRuns) {
    for (const Implementation& implementation : list) {
      const std::string name = video.name + "/" + stage + "/" + implementation.name;
      benchmark::RegisterBenchmark(name.c_str(), [&video, &implementation,
                                                  run = run](benchmark::State& state) {
        run(state, video, implementation.stages);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace vq::cambi

int main(int argc, char** argv) {
  using namespace vq::cambi;
  benchmark::Initialize(&argc, argv);
  try {
    std::vector<Video> videos;
    for (int i = 1; i < argc; ++i) videos.push_back(read_video(argv[i]));
    for (Video& video : worst_cases()) videos.push_back(std::move(video));
    const std::vector<Implementation> list = implementations();
    benchmark::RegisterBenchmark("memory_copy", run_memory_copy)->Unit(benchmark::kMillisecond);
    for (const Video& video : videos) register_video(video, list);
    benchmark::RunSpecifiedBenchmarks();
  } catch (const vq::Error& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
