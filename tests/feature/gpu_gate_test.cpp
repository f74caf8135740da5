// The gate: whatever the features, options, videos and places of the frames, every backend finds the same to
// the last bit. Rows of the tables name features alone that are asked for on purpose; the rest follows from
// the registry.
#include "core/options.h"
#include "core/synthetic_frame.h"
#include "tests/support/gate_run.h"
#include "tests/support/gpu_test.h"
#include "vulkan/device_impl.h"

namespace vq::test {
namespace {

// One that is lost from a submission on, unless that is the one of none.
std::shared_ptr<vulkan::Device> failing_device(const std::shared_ptr<std::atomic<int>>& submissions_left) {
  const auto hook = [submissions_left](vulkan::Call call) {
    constexpr int kDeviceLost = -4;
    return call == vulkan::Call::kSubmit && --*submissions_left < 0 ? kDeviceLost : 0;
  };
  return vulkan::Device::open(test_options(vulkan::Validation::kOff), hook);
}

std::vector<std::string> names_of(bool (*wanted)(const FeatureInfo&)) {
  std::vector<std::string> names;
  for (const FeatureInfo* info : features()) {
    if (wanted(*info)) names.emplace_back(info->name);
  }
  return names;
}
std::vector<std::string> features_on_devices() {
  return names_of([](const FeatureInfo& info) { return device_support(info) != nullptr; });
}
// And some once more, by other metrics.
std::vector<std::string> all_features() {
  std::vector<std::string> names = names_of([](const FeatureInfo&) { return true; });
  names.insert(names.end(),
               {"motion=motion_five_frame_window=true", "psnr=enable_mse=true", "cambi=topk=0.3"});
  return names;
}

struct Named {
  const char* name;
  GateWay way;
};

// Its own memory where it can share that.
Place device_place() { return test_device()->can_share_memory() ? Place::kDevice : Place::kHost; }

std::vector<Named> few_ways() {
  return {{"hybrid", {.backend = Backend::kHybrid, .device = test_device(), .place = Place::kEither}},
          {"vulkan",
           {.backend = Backend::kVulkan, .device = test_device(), .place = device_place(), .threads = 1}}};
}

std::vector<Named> all_ways() {
  std::vector<Named> ways = {{"cpu", {.backend = Backend::kCpu}},
                             {"cpu, one thread", {.backend = Backend::kCpu, .threads = 1}}};
  for (const auto& [name, backend] : {std::pair{"hybrid", Backend::kHybrid}, {"vulkan", Backend::kVulkan}}) {
    for (const Place place : {Place::kHost, Place::kStore, Place::kEither, device_place()}) {
      ways.push_back({name, {.backend = backend, .device = test_device(), .place = place}});
      ways.push_back({name, {.backend = backend, .device = copying_device(), .place = place, .threads = 4}});
    }
  }
  return ways;
}

// Returns what ended the run, on every backend: nothing where all frames were scored.
std::string expect_same(const GateRun& run, const std::vector<Named>& ways) {
  const GateOutcome expected = outcome_of(run, {.backend = Backend::kScalar});
  EXPECT_FALSE(expected.rows.empty() && expected.error.empty()) << to_string(run);
  for (const Named& named : ways) {
    const GateOutcome actual = outcome_of(run, named.way);
    EXPECT_TRUE(actual == expected) << to_string(run) << "; " << named.name << ", place "
                                    << static_cast<int>(named.way.place) << ", " << named.way.threads
                                    << " threads:\n"
                                    << difference(expected, actual);
  }
  return expected.error;
}

// What an option may be beside its default: the ends of its range, or the other choices.
std::vector<std::string> other_values(const OptionSpec& spec) {
  std::vector<std::string> values;
  if (spec.kind == OptionKind::kBool) values = {spec.default_number == 0 ? "true" : "false"};
  for (const std::string_view choice : spec.choices) values.emplace_back(choice);
  for (const int number : spec.allowed) values.push_back(std::to_string(number));
  if (spec.kind == OptionKind::kReal) values = {std::to_string(spec.min), std::to_string(spec.max)};
  if (spec.kind == OptionKind::kInt && spec.allowed.empty())
    values = {std::to_string(static_cast<int>(spec.min)), std::to_string(static_cast<int>(spec.max))};
  return values;
}

// With maps, and CAMBI of both videos and of another size, where it selects among the values and takes all.
void expect_no_message(vulkan::Validation validation) {
  const std::shared_ptr<vulkan::Device> device = vulkan::Device::open(test_options(validation));
  std::vector<std::string> features = features_on_devices();
  features.insert(features.end(), {"cambi=enc_width=300:enc_height=200:enc_bitdepth=8:full_ref=true",
                                   "cambi=topk=0.01", "cambi=topk=1"});
  for (const Backend backend : {Backend::kHybrid, Backend::kVulkan}) {
    const GateWay way = {.backend = backend, .device = device, .place = Place::kEither};
    for (const int depth : {8, 12}) {
      const GateRun run = {
          .features = features, .depth = depth, .reference_depth = depth, .frames = 3, .has_maps = true};
      EXPECT_EQ(expect_same(run, {{"validated", way}}), "");
    }
  }
  EXPECT_THAT(device->take_messages(), IsEmpty());
}

// Few, on any machine in seconds. Several workgroups and every feature's least size, where only the order of
// frames matters.
constexpr PlaneSize kSmall = {219, 181};

TEST(Gate, AllFeaturesInOneRun) {
  EXPECT_EQ(expect_same({.features = all_features(), .frames = 4}, few_ways()), "");
}

TEST(Gate, FramesThatAreNotReported) {
  EXPECT_EQ(expect_same({.features = all_features(), .size = kSmall, .frames = 4, .every = 2}, few_ways()),
            "");
}

// They come all the same, where a feature on the host looks at every frame.
TEST(Gate, FramesAtWhichNoFeatureOfADeviceLooks) {
  EXPECT_EQ(expect_same({.features = {"vif", "float_ssim=scale=2"}, .frames = 4, .every = 2}, few_ways()),
            "");
}

GateVideo film(Synthetic kind, const VideoFormat& format) {
  GateVideo video = {.format = format, .frames = {}};
  for (int64_t i = 0; i < 5; ++i) {
    video.frames.push_back(synthetic_frame(kind, format, i, kMaxPlanes));
    video.frames.back().index = i;
  }
  return video;
}

// Whatever is done to frames before features see them, a device does where the frames are.
TEST(Gate, FittedFrames) {
  const VideoFormat encode{
      .name = "encode", .width = 219, .height = 181, .range = Range::kLimited, .matrix = Matrix::kBt601};
  const auto master = [&](int bits, Chroma chroma, Range range, Matrix matrix, PlaneSize size) {
    VideoFormat format = encode;
    format.name = "master";
    format.width = size.width;
    format.height = size.height;
    format.bit_depth = bits;
    format.chroma = chroma;
    format.range = range;
    format.matrix = matrix;
    return format;
  };
  const ChromaForm coarse;
  const struct {
    VideoFormat reference;
    Fitting fitting;
  } cases[] = {
      {master(10, Chroma::k420, Range::kLimited, Matrix::kBt601, {219, 181}), {.least_bits = 10}},
      {master(8, Chroma::k444, Range::kFull, Matrix::kBt601, {219, 181}),
       {.limits_range = true, .chroma = coarse}},
      {master(8, Chroma::k420, Range::kLimited, Matrix::kBt709, {219, 181}), {.matrix = Matrix::kBt709}},
      {master(10, Chroma::k422, Range::kFull, Matrix::kBt2020, {400, 300}),
       {.size = {300, 220},
        .least_bits = 10,
        .limits_range = true,
        .matrix = Matrix::kBt2020,
        .chroma = coarse}},
      {master(8, Chroma::k444, Range::kFull, Matrix::kRgb, {219, 181}),
       {.ycbcr = YcbcrForm{.matrix = Matrix::kBt601, .chroma = Chroma::k420}}}};
  const GateWay device = {.backend = Backend::kVulkan, .device = test_device(), .place = device_place()};
  for (const auto& [format, fitting] : cases) {
    const GateVideo distorted = film(Synthetic::kSoftFilm, encode),
                    reference = film(Synthetic::kFilm, format);
    const std::vector<std::string> of_all_planes = {"motion=motion_five_frame_window=true", "xpsnr", "psnr"};
    for (const std::vector<std::string>& features : {of_all_planes, {"motion", "vif"}}) {
      const GateRun run = {
          .features = features, .fitting = fitting, .distorted = &distorted, .reference = &reference};
      EXPECT_EQ(expect_same(run, {{"cpu", {.backend = Backend::kCpu}},
                                  {"on the host", {.backend = Backend::kVulkan, .device = test_device()}},
                                  {"on the device", device}}),
                "");
      if (device.place != Place::kDevice) continue;
      EXPECT_EQ(outcome_of(run, device).bytes_uploaded, 0) << to_string(run);
    }
  }
}

TEST(Gate, PairsOfDifferentDepth) {
  EXPECT_EQ(expect_same({.features = features_on_devices(),
                         .size = kSmall,
                         .depth = 12,
                         .reference_depth = 10,
                         .frames = 3},
                        few_ways()),
            "");
}

TEST(Gate, ASampleBeyondItsDepthEndsTheRunAlike) {
  int refused = 0;
  for (const std::string& feature : features_on_devices()) {
    const std::string error = expect_same(
        {.features = {feature}, .size = kSmall, .depth = 10, .reference_depth = 10, .frames = 4, .spoilt = 2},
        few_ways());
    if (error.find("sample 65535 ") != std::string::npos) ++refused;
  }
  EXPECT_GE(refused, 2);
}

// A frame of what level(plane, x, y) returns, and one more of it.
template <typename Level>
GateVideo drawn_video(const VideoFormat& format, const Level& level) {
  GateVideo video = {.format = format, .frames = {drawn_frame(format, level), drawn_frame(format, level)}};
  video.frames[1].index = 1;
  return video;
}

VideoFormat format_of(PlaneSize size, int depth) {
  return {
      .name = std::to_string(size.width) + "x" + std::to_string(size.height) + ", " + std::to_string(depth),
      .width = size.width,
      .height = size.height,
      .bit_depth = depth,
      .chroma = Chroma::k400};
}

// From memory that has no zeros behind rows.
std::vector<Named> device_alone() {
  return {{"vulkan", {.backend = Backend::kVulkan, .device = test_device(), .place = Place::kStore}}};
}

// Noise in every bit, which films have not, through the passes of ADM and VIF that have no tests of their
// own.
void expect_same_of_noise(const std::string& feature, PlaneSize size, int depth, int reference_depth) {
  std::minstd_rand random(5);
  const auto noise = [&](int bits) {
    return drawn_video(format_of(size, bits),
                       [&random, bits](int, int, int) { return random() >> 7 & ((1U << bits) - 1); });
  };
  const GateVideo distorted = noise(depth), reference = noise(reference_depth);
  EXPECT_EQ(
      expect_same({.features = {feature}, .distorted = &distorted, .reference = &reference}, device_alone()),
      "");
}

TEST(Gate, NoiseWhereWorkGroupsEnd) {
  constexpr PlaneSize kSizes[] = {{33, 33},  {34, 35},  {119, 47}, {120, 48},  {121, 49}, {122, 63},
                                  {123, 64}, {241, 66}, {257, 37}, {260, 129}, {333, 77}};
  for (const PlaneSize size : kSizes) {
    for (const char* const feature : {"adm", "adm=adm_skip_scale0=true", "vif"})
      expect_same_of_noise(feature, size, 8, 8);
  }
}

TEST(Gate, NoiseOfEveryDepth) {
  for (const char* const feature : {"adm", "vif"}) {
    for (int depth = 9; depth <= 16; ++depth) expect_same_of_noise(feature, {131, 90}, depth, depth);
    for (const auto& [depth, reference_depth] : {std::pair{10, 8}, {8, 12}, {16, 10}, {16, 8}})
      expect_same_of_noise(feature, {131, 90}, depth, reference_depth);
  }
}

TEST(Gate, ASampleBeyondItsDepthIsFoundInEveryCornerOfEitherVideo) {
  const PlaneSize size = {121, 47};
  for (const char* const feature : {"adm", "vif"}) {
    for (const auto& [column, row] : {std::pair{0, 0}, {120, 46}, {60, 17}, {120, 3}}) {
      for (const bool is_distorted : {false, true}) {
        const auto video = [&, column = column, row = row](bool is_spoilt, int depth) {
          return drawn_video(format_of(size, depth), [=](int, int x, int y) {
            return is_spoilt && x == column && y == row ? 1 << depth : (1 << depth) - 1;
          });
        };
        const GateVideo distorted = video(is_distorted, 12), reference = video(!is_distorted, 10);
        EXPECT_THAT(expect_same({.features = {feature}, .distorted = &distorted, .reference = &reference},
                                device_alone()),
                    HasSubstr(is_distorted ? "sample 4096 " : "sample 1024 "))
            << column << ", " << row;
      }
    }
  }
}

TEST(Gate, StagesOfTheHostAreTimedWhereThatIsAsked) {
  const GateWay way = {.backend = Backend::kHybrid, .device = test_device()};
  GateWay timed = way;
  timed.time_stages = true;
  for (const char* feature : {"cambi", "float_ssim=scale=1", "float_ssim=scale=3", "speed_chroma"}) {
    const GateRun run = {.features = {feature}, .frames = 2};
    EXPECT_THAT(outcome_of(run, way).host_stages, IsEmpty()) << feature;
    EXPECT_THAT(outcome_of(run, timed).host_stages, Contains(::testing::Field(&StageTotal::ms, Gt(0))))
        << feature;
  }
}

// Frames that are with the device, with the host, or wait for one before them, and the neighbours of all
// those.
TEST(Gate, TheCpuTakesOverFromALostDevice) {
  const GateRun run = {.features = all_features(), .size = kSmall, .frames = 7, .every = 2};
  const GateOutcome expected = outcome_of(run, {.backend = Backend::kScalar});
  const auto left = std::make_shared<std::atomic<int>>(std::numeric_limits<int>::max());
  const GateWay way = {.backend = Backend::kHybrid,
                       .device = failing_device(left),
                       .place = Place::kEither,
                       .falls_back = true};
  EXPECT_TRUE(outcome_of(run, way) == expected);
  const int all = std::numeric_limits<int>::max() - *left;
  for (int i = 1; i <= 4; ++i) {
    const auto few = std::make_shared<std::atomic<int>>(all - i);
    GateWay lost = way;
    lost.device = failing_device(few);
    const GateOutcome actual = outcome_of(run, lost);
    EXPECT_THAT(actual.given_up, HasSubstr("the device is lost")) << i;
    EXPECT_TRUE(actual == expected) << i << ": " << difference(expected, actual);
  }
}

// Features that look at the frame before of the distorted video, and at two of the reference.
const std::vector<std::string> kOfNeighbours = {"xpsnr=fps=60", "speed_temporal", "motion", "cvvdp=fps=60"};

// The first `different` frames come again and again.
GateVideo video_of(Synthetic kind, int frames, int different) {
  GateVideo video = {.format = {.name = "video", .width = 219, .height = 181, .chroma = Chroma::k444},
                     .frames = {}};
  for (int i = 0; i < frames; ++i) {
    video.frames.push_back(i < different ? synthetic_frame(kind, video.format, i, kMaxPlanes)
                                         : video.frames[static_cast<size_t>(i % different)]);
  }
  return video;
}

TEST(Gate, TheSameFramesMayComeAgain) {
  for (const int different : {2, 3, 7}) {
    const GateVideo distorted = video_of(Synthetic::kSoftFilm, 12, different),
                    reference = video_of(Synthetic::kFilm, 12, different);
    std::vector<Named> ways;
    for (const int threads : {1, 4}) {
      ways.push_back(
          {"copying", {.backend = Backend::kVulkan, .device = copying_device(), .threads = threads}});
    }
    EXPECT_EQ(
        expect_same({.features = kOfNeighbours, .distorted = &distorted, .reference = &reference}, ways), "");
  }
}

// Three planes of two pictures, each once: what came with the frames before is on the device still.
TEST(Gate, FramesBeforeAreNotUploadedAgain) {
  constexpr int kFrames = 20;
  const GateVideo distorted = video_of(Synthetic::kSoftFilm, kFrames, kFrames),
                  reference = video_of(Synthetic::kFilm, kFrames, kFrames);
  const int64_t luma = stored_stride(219) * 181, once = kFrames * 2 * kMaxPlanes * luma;
  for (const int threads : {1, 4}) {
    const GateOutcome found =
        outcome_of({.features = kOfNeighbours, .distorted = &distorted, .reference = &reference},
                   {.backend = Backend::kVulkan, .device = copying_device(), .threads = threads});
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(found.bytes_uploaded, once);
  }
}

// Of what one dispatch writes and the next reads, or a frame and its neighbour.
TEST(Gate, TheValidationLayerIsContent) { expect_no_message(vulkan::Validation::kSynchronization); }

// All ways, each of them with everything that may make a difference.

TEST(GateOfEverySize, EveryFeatureAloneOnEveryPairOfDepths) {
  for (const std::string& feature : features_on_devices()) {
    for (const auto& [depth, reference_depth] :
         {std::pair{8, 8}, {8, 10}, {10, 8}, {9, 9}, {12, 16}, {16, 16}}) {
      expect_same({.features = {feature}, .depth = depth, .reference_depth = reference_depth}, all_ways());
    }
  }
}

TEST(GateOfEverySize, EveryFeatureAloneOnEverySize) {
  for (const std::string& feature : features_on_devices()) {
    for (const PlaneSize size :
         {PlaneSize{640, 360}, {1279, 721}, {4000, 20}, {20, 4000}, {333, 1}, {1, 217}}) {
      expect_same({.features = {feature}, .size = size, .frames = 3}, all_ways());
    }
    for (const Chroma chroma : {Chroma::k400, Chroma::k422, Chroma::k444}) {
      expect_same({.features = {feature}, .depth = 10, .reference_depth = 10, .chroma = chroma, .frames = 3},
                  all_ways());
    }
  }
}

TEST(GateOfEverySize, EveryOptionOfEveryFeature) {
  for (const FeatureInfo* info : features()) {
    if (device_support(*info) == nullptr) continue;
    for (const OptionSpec& spec : info->options) {
      for (const std::string& value : other_values(spec)) {
        const std::string feature = std::string(info->name) + "=" + std::string(spec.name) + "=" + value;
        expect_same({.features = {feature}, .frames = 4, .has_maps = true}, few_ways());
      }
    }
  }
}

TEST(GateOfEverySize, TheValidationLayerIsContent) {
  for (const vulkan::Validation validation : {vulkan::Validation::kCore, vulkan::Validation::kGpuAssisted})
    expect_no_message(validation);
}

TEST(GateOfEverySize, SeveralFeaturesInOneRun) {
  for (const int every : {1, 2}) {
    EXPECT_EQ(expect_same({.features = all_features(), .frames = 12, .every = every}, all_ways()), "");
    EXPECT_EQ(expect_same({.features = features_on_devices(), .frames = 12, .every = every}, all_ways()), "");
  }
}

}  // namespace
}  // namespace vq::test
