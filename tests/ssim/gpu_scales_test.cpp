// The passes of SSIM and of MS-SSIM on the device against the scalar versions of their stages.
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/ssim/ssim.h"
#include "tests/support/gpu_test.h"
#include "tests/support/implementations.h"

namespace vq::ssim::gpu {
namespace {

using namespace vq::test;

std::string to_string(Sums sums) { return sums == Sums::kUsual ? "usual" : "in doubles"; }

// A picture on the device, and as floats on the host.
template <typename T>
struct Both {
  template <typename Level>
  Both(int width, int height, int depth, unsigned seed, Level level)
      : plane(width, height, seed, level), bit_depth(depth), floats(width, height) {
    if constexpr (std::is_same_v<T, float>) {
      for (int y = 0; y < height; ++y)
        std::copy_n(plane.content.row(y), static_cast<size_t>(width), floats.view().row(y));
    } else {
      Scratch scratch(width);
      scalar::shrink({plane.view(), depth}, 1, scratch, floats.view());
    }
  }
  Picture on_device() const { return {plane.on_device, bit_depth}; }
  PlaneView<const float> view() const { return floats.view(); }

  TestPlane<T> plane;
  int bit_depth;
  Canvas<float> floats;
};

// Noise in every bit.
template <typename T>
Both<T> noise(int width, int height, int depth, unsigned seed) {
  std::minstd_rand random(seed);
  return Both<T>(width, height, depth, seed, [&](int, int) {
    if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(random() >> 3) / 1048573.0F - 3;
    } else {
      return static_cast<T>(random() >> 5 & ((1U << depth) - 1));
    }
  });
}

template <typename T>
void expect_halved(const Both<T>& picture, Sums sums) {
  const int width = picture.view().width, height = picture.view().height;
  Scratch scratch(width);
  Canvas<float> expected(halved(width), halved(height));
  scalar::halve(picture.view(), scratch, expected.view());
  const HalvePass pass(test_context(), picture.on_device(), sums);
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  run(recorder);
  const Canvas<float> actual = from_device<float>(pass.halved_picture(), test_device());
  ASSERT_TRUE(same_plane(std::as_const(expected).view(), actual.view()))
      << width << "x" << height << ", " << picture.bit_depth << " bits, " << to_string(sums);
}

template <typename T>
void halve_noise(int depth) {
  for (const auto& [width, height] :
       {std::pair{9, 9}, {10, 9}, {9, 12}, {31, 17}, {64, 16}, {65, 33}, {130, 47}}) {
    for (const Sums sums : {Sums::kUsual, Sums::kInDoubles})
      expect_halved(noise<T>(width, height, depth, static_cast<unsigned>(width + depth)), sums);
  }
}

TEST(SsimGpuHalve, EqualsScalar) {
  halve_noise<uint8_t>(8);
  for (const int depth : {9, 10, 12, 16}) halve_noise<uint16_t>(depth);
  halve_noise<float>(8);
}

// The sample that brings a sum as near as possible to the middle between two floats, where pairs of floats
// do not settle how it is rounded.
float completing(double sum, float tap) {
  const auto below = static_cast<float>(sum);
  const double middle = (double{below} + std::nextafter(below, INFINITY)) / 2;
  return static_cast<float>((middle - sum) / tap);
}
float random_sample(std::minstd_rand& random) { return static_cast<float>(random() >> 3) / 1048573.0F; }

// Windows of the low-pass that share no sample, each with such a sum.
TEST(SsimGpuHalve, EqualsScalarWherePairsOfFloatsDoNotSettleIt) {
  constexpr int kWindows = 500, kPitch = kLowPassTaps + 1;
  std::minstd_rand random(5);
  Canvas<float> windows(kLowPassTaps, kWindows * kPitch);
  for (int y = 0; y < kWindows * kPitch; ++y) {
    for (int x = 0; x < kLowPassTaps; ++x) windows.view().row(y)[x] = random_sample(random);
  }
  for (int top = 0; top < kWindows * kPitch; top += kPitch) {
    double sum = 0;
    for (int i = 0; i < kLowPassTaps * kLowPassTaps - 1; ++i) {
      const int v = i / kLowPassTaps, u = i % kLowPassTaps;
      sum += windows.view().row(top + v)[u] * low_pass_tap(v, u);
    }
    windows.view().row(top + kLowPassTaps - 1)[kLowPassTaps - 1] = completing(sum, low_pass_tap(0, 0));
  }
  expect_halved(Both<float>(kLowPassTaps, kWindows * kPitch, 8, 5,
                            [&](int x, int y) { return windows.view().row(y)[x]; }),
                Sums::kUsual);
}

TEST(SsimGpuHalve, EqualsScalarInFlatPictures) {
  for (const int level : {0, 1, 128, 255})
    expect_halved(Both<uint8_t>(40, 30, 8, 1, [&](int, int) { return level; }), Sums::kUsual);
  expect_halved(Both<uint16_t>(40, 30, 16, 1, [](int x, int) { return x < 20 ? 0 : 65535; }), Sums::kUsual);
}

double most_difference(PlaneSize size) {
  constexpr double kEach = 2e-11;
  return static_cast<double>(positions(size)) * kEach;
}

template <typename A, typename B>
void expect_bounds(const Both<A>& a, const Both<B>& b, Sums sums = Sums::kUsual) {
  const PlaneSize size = {a.view().width, a.view().height};
  Scratch scratch(size.width);
  const Similarity expected = scalar::compare(a.view(), b.view(), scratch);
  vulkan::Results results;
  const std::array passes = {ComparePass(test_context(), a.on_device(), b.on_device(), results, sums)};
  run(results, passes);
  const std::optional<SimilarityBounds> bounds = passes[0].bounds();
  ASSERT_TRUE(bounds);
  for (double Similarity::*const part :
       {&Similarity::luminance, &Similarity::contrast, &Similarity::structure}) {
    const std::string where = std::to_string(size.width) + "x" + std::to_string(size.height) + ", " +
                              std::to_string(a.bit_depth) + " bits, " + to_string(sums);
    EXPECT_LE(bounds->least.*part, expected.*part) << where;
    EXPECT_GE(bounds->most.*part, expected.*part) << where;
    EXPECT_LT(bounds->most.*part - bounds->least.*part, most_difference(size)) << where;
  }
}

template <typename A, typename B>
void compare_noise(int depth_a, int depth_b, Sums sums = Sums::kUsual) {
  for (const auto& [width, height] :
       {std::pair{11, 11}, {12, 11}, {11, 13}, {42, 42}, {43, 42}, {42, 43}, {75, 107}}) {
    const Both<A> a = noise<A>(width, height, depth_a, static_cast<unsigned>(width));
    const Both<B> b = noise<B>(width, height, depth_b, static_cast<unsigned>(height + 100));
    expect_bounds(a, b, sums);
  }
}

TEST(SsimGpuCompare, HasBoundsOfTheScalarSums) {
  compare_noise<uint8_t, uint8_t>(8, 8);
  compare_noise<uint16_t, uint16_t>(10, 10);
  compare_noise<uint16_t, uint8_t>(12, 8);
  compare_noise<uint8_t, uint16_t>(8, 9);
  compare_noise<uint16_t, uint16_t>(16, 16);
  compare_noise<float, float>(8, 8);
  compare_noise<float, float>(8, 8, Sums::kInDoubles);
}

// Single positions, so that one mean that is rounded the other way is beyond the bounds.
TEST(SsimGpuCompare, HasBoundsOfSinglePositions) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Both<float> a = noise<float>(11 + seed % 3, 11, 8, seed),
                      b = noise<float>(11 + seed % 3, 11, 8, seed + 100);
    expect_bounds(a, b);
    expect_bounds(a, a);
    expect_bounds(a, b, Sums::kInDoubles);
  }
}

// Of a single row or column of a window, by whose mean the luminance beside black changes most.
TEST(SsimGpuCompare, HasBoundsWherePairsOfFloatsDoNotSettleAMean) {
  const Both<float> black(kTaps, kTaps, 8, 1, [](int, int) { return 0; });
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::minstd_rand random(seed);
    std::array<float, kTaps> samples{};
    const bool is_row = seed % 2 == 0;
    const auto seen = [&](float sample) { return is_row ? sample : sample * kWindow[kTaps / 2]; };
    double sum = 0;
    for (size_t i = 0; i + 1 < kTaps; ++i) {
      const int smaller = i % 3 == 0 ? 0 : static_cast<int>(random() % 25);  // so that doubles lose bits, too
      samples[i] = std::ldexp(random_sample(random) / 50, -smaller);
      sum += seen(samples[i]) * kWindow[i];
    }
    const float last = completing(sum, kWindow[0]);
    samples.back() = is_row ? last : last / kWindow[kTaps / 2];
    const Both<float> line(kTaps, kTaps, 8, seed, [&](int x, int y) {
      const int across = is_row ? y : x, along = is_row ? x : y;
      return across == kTaps / 2 ? samples[static_cast<size_t>(along)] : 0;
    });
    expect_bounds(line, black);
  }
}

TEST(SsimGpuCompare, HasBoundsOfPicturesThatAreEqualFlatOrOpposite) {
  const auto flat = [](int level) { return Both<uint8_t>(50, 45, 8, 1, [=](int, int) { return level; }); };
  const Both<uint8_t> black = flat(0), grey = flat(100), white = flat(255);
  const Both<uint8_t> steps(50, 45, 8, 1, [](int x, int) { return x % 7 < 3 ? 255 : 0; });
  const Both<uint8_t> opposite(50, 45, 8, 1, [](int x, int) { return x % 7 < 3 ? 0 : 255; });
  for (const Both<uint8_t>* const a : {&black, &grey, &white, &steps}) {
    for (const Both<uint8_t>* const b : {&black, &grey, &white, &steps, &opposite}) expect_bounds(*a, *b);
  }
}

// Whose structure may be anything.
TEST(SsimGpuCompare, HasNoBoundsOfSamplesFarBeyondTheirDepth) {
  std::minstd_rand random(1);
  const auto level = [&](int x, int) { return x < 20 ? 65535 : 65535 - random() % 3; };
  const Both<uint16_t> high(40, 40, 9, 1, level);
  const Both<uint16_t> low(40, 40, 9, 1, [&](int x, int y) { return x % 2 == 0 ? 65535 : y; });
  vulkan::Results results;
  const std::array passes = {ComparePass(test_context(), high.on_device(), low.on_device(), results)};
  run(results, passes);
  EXPECT_FALSE(passes[0].bounds());
}

// A feature's work on the device alone, and on the CPU.
struct BothWays {
  FrameResult on_device, on_cpu;
  bool is_left_to_host = false;
};
BothWays score_both_ways(const VideoFormats& formats, const FramePair& frames) {
  const OptionSet options(ms_ssim_info().options);
  WorkerPool pool(1);
  const Execution execution{.backend = Backend::kVulkan, .pool = &pool};
  vulkan::DevicePicture distorted(test_device(), formats.distorted, 1),
      reference(test_device(), formats.reference.value(), 1);
  const auto feature = kMsSsimDeviceSupport.make(options, formats, execution, test_context());
  const auto work = feature->make_work({.distorted = distorted, .reference = &reference});
  vulkan::Recorder recorder(test_device());
  distorted.record(recorder);
  reference.record(recorder);
  work->record(recorder);
  distorted.upload(frames.distorted);
  reference.upload(frames.reference.value());
  run(recorder);
  BothWays both;
  both.is_left_to_host = work->take(frames) != nullptr;
  both.on_device = work->finish(frames);
  both.on_cpu =
      ms_ssim_info().make(options, formats, {.backend = Backend::kCpu, .pool = &pool})->score(frames);
  return both;
}

template <typename Level>
Frame frame_of(Plane<uint16_t>& luma, int depth, Level level) {
  for (int y = 0; y < luma.height(); ++y) {
    for (int x = 0; x < luma.width(); ++x) luma.row(y)[x] = static_cast<uint16_t>(level(x, y));
  }
  Frame frame;
  frame.bit_depth = depth;
  frame.planes[0].u16 = std::as_const(luma).view();
  return frame;
}

VideoFormats grey_videos(PlaneSize size, int depth) {
  const VideoFormat video = {
      .name = "clip", .width = size.width, .height = size.height, .bit_depth = depth, .chroma = Chroma::k400};
  return {.distorted = video, .reference = video};
}

TEST(MsSsimDevice, LeavesToTheHostWhatIsNotSettled) {
  Plane<uint16_t> a(200, 177), b(200, 177);
  std::minstd_rand random(4);
  FramePair frames;
  frames.distorted = frame_of(a, 9, [&](int x, int) { return x < 50 ? 65535 : 65535 - random() % 3; });
  frames.reference = frame_of(b, 9, [](int x, int y) { return x % 2 == 0 ? 65535 : y; });
  const BothWays found = score_both_ways(grey_videos({200, 177}, 9), frames);
  EXPECT_TRUE(found.is_left_to_host);
  EXPECT_EQ(found.on_device.values, found.on_cpu.values);
}

// What is not shrunk is left to the host.
void shrink(const Luma& luma, int factor, Scratch& scratch, PlaneView<float> out) {
  if (factor == 1) return scalar::shrink(luma, factor, scratch, out);
  const vulkan::DevicePlane plane = to_device(luma.view);
  const ShrinkPass pass(test_context(), plane, luma.bit_depth, factor);
  vulkan::Recorder recorder(test_device());
  pass.record(recorder);
  pass.record_readback(recorder);
  vulkan::CommandList list = recorder.finish();
  for (int frame = 0; frame < 2; ++frame) {
    list.submit();
    list.wait(kTestTimeout);
    for (int y = 0; y < out.height; ++y) std::copy_n(pass.shrunk_picture().row(y), out.width, out.row(y));
  }
}

[[maybe_unused]] const bool kIsAdded =
    add_implementation("device", Stages{shrink, scalar::halve, scalar::compare});

}  // namespace
}  // namespace vq::ssim::gpu
