// What a feature on a device is given beside a frame: the frames before, and time on the host once the slot
// is free.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/error.h"
#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"
#include "tests/support/stored_frame.h"

namespace vq {
namespace {

constexpr int kFrames = 30, kWidth = 50, kHeight = 20;
constexpr NeighbourCount kBefore = {.distorted = 1, .references = 2};

class Sum final : public HostFinish {
 public:
  Sum(double value, std::atomic<int>& parallel_map) : value_(value), at_once_(parallel_map) {}
  FrameResult finish() override {
    ++at_once_;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return {.values = {value_}};
  }

 private:
  const double value_;
  std::atomic<int>& at_once_;
};

// A value of a frame: the first samples of its pictures, as digits to the base of 256, the distorted one
// first, then its reference, the one before, and the two references before.
class FirstSamples final : public DeviceWork {
 public:
  FirstSamples(vulkan::Context& context, const DeviceFrame& frame, std::atomic<int>& rests)
      : rests_(rests), readback_(context.device(), vulkan::Memory::kReadback, 4 * 5) {
    pictures_ = {&frame.distorted, frame.reference};
    pictures_.insert(pictures_.end(), frame.distorted_before.begin(), frame.distorted_before.end());
    pictures_.insert(pictures_.end(), frame.references_before.begin(), frame.references_before.end());
    EXPECT_EQ(pictures_.size(), 5U);
  }

  void record(vulkan::Recorder& recorder) override {
    std::vector<vulkan::Copy> copies;
    for (size_t i = 0; i < pictures_.size(); ++i) {
      EXPECT_EQ(pictures_[i]->count(), i < 2 ? kMaxPlanes : 1);
      copies.push_back({.from = &pictures_[i]->plane(0).buffer,
                        .to = &readback_,
                        .to_offset = static_cast<int64_t>(4 * i),
                        .bytes = 4});
    }
    recorder.copy(copies);
  }

  FrameResult finish(const FramePair&) override {
    throw Error(ErrorKind::kInternal, "all of it is left to the host");
  }

  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    const size_t there[] = {2, frames.distorted_before.size(), frames.references_before.size()};
    const size_t most[] = {2, kBefore.distorted, kBefore.references};
    double value = 0;
    for (size_t kind = 0, at = 0; kind < 3; ++kind) {
      for (size_t i = 0; i < most[kind]; ++i, ++at) {
        value = value * 256 + (i < there[kind] ? static_cast<double>(readback_.mapped()[4 * at]) : 0);
      }
    }
    return std::make_unique<Sum>(value, rests_);
  }

  int64_t bytes_read() const override { return readback_.bytes(); }

 private:
  std::atomic<int>& rests_;
  std::vector<const vulkan::DevicePicture*> pictures_;
  const vulkan::Buffer readback_;
};

class FirstSamplesFeature final : public DeviceFeature {
 public:
  FirstSamplesFeature(vulkan::Context& context, std::atomic<int>& rests) : context_(context), rests_(rests) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<FirstSamples>(context_, frame, rests_);
  }
  std::string simd() const override { return "scalar"; }

 private:
  vulkan::Context& context_;
  std::atomic<int>& rests_;
};

VideoFormat small_format() {
  return {.name = "video", .width = kWidth, .height = kHeight, .chroma = Chroma::k444};
}

int distorted_sample(int i) {
  return 1 + i;
}
int reference_sample(int i) {
  return 101 + i;
}

// Where the samples of frames are.
enum class Lie {
  kOnHost,
  kStored,  // the luma, but of every third frame, where the device fetches it as it lies
  kSpread,  // all planes of all frames where the device fetches them row by row
};

// All planes of one sample, from `data` on.
void set_planes(Frame& frame, uint8_t* data, ptrdiff_t stride, int sample) {
  std::fill_n(data, kMaxPlanes * stride * kHeight, static_cast<uint8_t>(sample));
  for (SampleView& plane : frame.planes) {
    plane.u8 = {data, kWidth, kHeight, stride};
    data += stride * kHeight;
  }
}

Frame flat_frame(int sample, int64_t index, Lie lie, FrameStore* store) {
  Frame frame;
  frame.index = index;
  if (lie == Lie::kSpread && store != nullptr) {
    const int64_t stride = stored_stride(kWidth) + 32;
    const std::shared_ptr<const HostVisibleMemory> piece = store->take(kMaxPlanes * stride * kHeight);
    set_planes(frame, reinterpret_cast<uint8_t*>(piece->data()), stride, sample);
    frame.place = piece;
    return frame;
  }
  const auto samples = std::make_shared<std::vector<uint8_t>>(size_t{kMaxPlanes} * kWidth * kHeight);
  set_planes(frame, samples->data(), kWidth, sample);
  frame.owner = samples;
  if (lie != Lie::kStored || store == nullptr || index % 3 == 0) return frame;
  Frame stored = test::stored_copy(frame, *store);
  stored.owner = samples;  // of the chroma
  return stored;
}

double expected(int i, int different = kFrames) {
  const auto distorted = [=](int at) { return at < 0 ? 0 : distorted_sample(at % different); };
  const auto reference = [=](int at) { return at < 0 ? 0 : reference_sample(at % different); };
  const int samples[] = {distorted(i), reference(i), distorted(i - 1), reference(i - 1), reference(i - 2)};
  double value = 0;
  for (const int sample : samples) value = value * 256 + sample;
  return value;
}

// The device whose memory is never the host's, even where it is.
const std::shared_ptr<vulkan::Device>& copying_device() {
  static const std::shared_ptr<vulkan::Device> device = [] {
    vulkan::DeviceOptions options = vq::test::test_options(vulkan::Validation::kOff);
    options.always_copy = true;
    return vulkan::Device::open(options);
  }();
  return device;
}

struct Outcome {
  std::vector<std::vector<double>> scores;
  int64_t bytes_uploaded = 0;
};

// The first `different` frames come again and again.
Outcome outcome_of(Lie lie, int threads, const std::shared_ptr<vulkan::Device>& device,
                   int different = kFrames) {
  std::atomic<int> rests = 0;
  WorkerPool pool(threads);
  DeviceRun run;
  run.context = std::make_shared<vulkan::Context>(device);
  run.use = {.planes = kMaxPlanes, .reference = true, .before = kBefore};
  run.parts.push_back({std::make_unique<FirstSamplesFeature>(*run.context, rests), "first", false});
  std::vector<DeviceRun> runs;
  runs.push_back(std::move(run));
  const auto extractor = make_device_extractor_on(std::move(runs), {small_format(), small_format()},
                                                  {.backend = Backend::kVulkan, .pool = &pool});
  const std::shared_ptr<FrameStore> store = extractor->frame_store();
  PreviousFrames before(kBefore);
  vq::test::Scores scores;
  std::vector<FramePair> pairs;
  for (int i = 0; i < different; ++i) {
    pairs.push_back({.distorted = flat_frame(distorted_sample(i), i, lie, store.get()),
                     .reference = flat_frame(reference_sample(i), i, lie, store.get()),
                     .index = i});
  }
  for (int i = 0; i < kFrames; ++i) {
    FramePair pair = pairs[static_cast<size_t>(i % different)];
    pair.index = i;
    before.give(pair);
    extractor->push(pair, scores);
  }
  extractor->finish(scores);
  EXPECT_EQ(rests, kFrames);
  return {scores.all, extractor->backend_report().bytes_uploaded};
}

std::vector<std::vector<double>> scores_of(Lie lie, int threads) {
  const Outcome copied = outcome_of(lie, threads, copying_device());
  const Outcome usual = outcome_of(lie, threads, vq::test::test_device());
  EXPECT_EQ(copied.scores, usual.scores);
  return usual.scores;
}

std::vector<std::vector<double>> all_expected() {
  std::vector<std::vector<double>> all;
  for (int i = 0; i < kFrames; ++i) all.push_back({expected(i)});
  return all;
}

TEST(GpuNeighbours, FramesBeforeAreThereAndMissingWhereTheVideoBegins) {
  for (const int threads : {1, 4}) EXPECT_EQ(scores_of(Lie::kOnHost, threads), all_expected());
}

TEST(GpuNeighbours, FramesBeforeMayLieWhereTheDeviceFetchesThem) {
  for (const int threads : {1, 4}) EXPECT_EQ(scores_of(Lie::kStored, threads), all_expected());
}

// Every plane of every picture takes a dispatch on its way.
TEST(GpuNeighbours, FramesBeforeMayLieInAnotherWayThanShadersWant) {
  for (const int threads : {1, 4}) EXPECT_EQ(scores_of(Lie::kSpread, threads), all_expected());
}

// As pictures that somebody gives once more.
TEST(GpuNeighbours, TheSameFramesMayComeAgain) {
  for (const int different : {2, 3, 7}) {
    std::vector<std::vector<double>> all;
    for (int i = 0; i < kFrames; ++i) all.push_back({expected(i, different)});
    for (const int threads : {1, 4})
      EXPECT_EQ(outcome_of(Lie::kOnHost, threads, copying_device(), different).scores, all);
  }
}

// Three planes of two pictures, each once: what came with the frames before is on the device still. But for
// the first frame, which is delivered before there is another: the second takes its slot, and so the lumas
// that it needs and the one that the third needs come again.
TEST(GpuNeighbours, FramesBeforeAreNotUploadedAgain) {
  const int64_t luma = stored_stride(kWidth) * kHeight;
  for (const int threads : {1, 4}) {
    const Outcome found = outcome_of(Lie::kOnHost, threads, copying_device());
    EXPECT_EQ(found.scores, all_expected());
    EXPECT_EQ(found.bytes_uploaded, (kFrames * 2 * kMaxPlanes + 3) * luma);
  }
}

}  // namespace
}  // namespace vq
