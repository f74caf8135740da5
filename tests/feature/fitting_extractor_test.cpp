// Features that look at fitted frames, beside others that look at frames as they are.
#include "feature/extractor.h"

#include "tests/support/decoded_plane.h"
#include "tests/support/test.h"

namespace vq {
namespace {

constexpr int kSide = 64, kFrames = 12;

VideoFormat format_of(int bit_depth) {
  return {.name = "video", .width = kSide, .height = kSide, .bit_depth = bit_depth, .chroma = Chroma::k400};
}

// Samples that are counted as they are fetched, or cannot be had.
class Fetched final : public FrameMemory {
 public:
  Fetched(Frame frame, std::atomic<int>& calls, bool fails)
      : frame_(std::move(frame)), calls_(calls), fails_(fails) {}
  const void* device() const override { return nullptr; }
  const std::array<SampleView, kMaxPlanes>& planes() const override {
    ++calls_;
    if (fails_) throw Error(ErrorKind::kInternal, "no samples");
    return frame_.planes;
  }
  PlaneSize luma_size() const override { return {kSide, kSide}; }
  Frame luma_part(const LumaLines&) const override { return frame_; }

 private:
  const Frame frame_;
  std::atomic<int>& calls_;
  const bool fails_;
};

Frame frame_of(int64_t index, int seed) {
  Frame frame = test::drawn_frame(format_of(8), [&](int, int x, int y) {
    return (x * seed + y * 3 + static_cast<int>(index) * 5) % 200;
  });
  frame.index = index;
  return frame;
}

struct Rows final : ScoreSink {
  std::vector<std::vector<std::vector<double>>> rows;  // of each frame and feature
  void scored(const FrameScores& scores) override {
    EXPECT_EQ(scores.frame, static_cast<int64_t>(rows.size()));
    auto& row = rows.emplace_back();
    for (const FrameResult& result : scores.results) row.push_back(result.values);
  }
};

FeatureRequest asked(const char* name) {
  FeatureRequest request{.info = &find_feature(name), .options = OptionSet(find_feature(name).options)};
  if (request.info->name == "psnr") request.options.set("enable_chroma", "false");
  return request;
}

class FittingExtractorTest : public ::testing::TestWithParam<int> {
 protected:
  FittingExtractorTest() {
    formats_ = {format_of(8), format_of(8)};
    execution_.pool = &pool_;
  }

  Rows score(const std::vector<FeatureRequest>& requests) {
    Rows rows;
    const auto extractor = make_extractor(requests, formats_, execution_);
    PreviousFrames before(frame_needs(requests).before);
    const auto push_all = [&] {
      for (int i = 0; i < kFrames; ++i) {
        FramePair pair{.distorted = frame_of(i, 7), .reference = frame_of(i, 6), .index = i};
        if (are_fetched_) {
          for (Frame* const frame : {&pair.distorted, &*pair.reference}) {
            Frame elsewhere = *frame;
            elsewhere.planes = {};
            elsewhere.owner = nullptr;
            elsewhere.place = std::make_shared<Fetched>(*frame, calls_, i == failing_);
            *frame = std::move(elsewhere);
          }
        }
        before.give(pair);
        extractor->push(pair, rows);
      }
      extractor->finish(rows);
    };
    try {
      push_all();
    } catch (const Error& error) {
      failure_ = error.what();
    }
    return rows;
  }

  WorkerPool pool_{GetParam()};
  VideoFormats formats_;
  Execution execution_;
  std::atomic<int> calls_ = 0;
  bool are_fetched_ = false;
  int64_t failing_ = -1;
  std::string failure_;
};

// Motion looks at frames before, PSNR at the peak of the depth: a scale of two changes neither the one nor,
// but for the peak, the other.
TEST_P(FittingExtractorTest, EachFeatureSeesItsOwnFrames) {
  std::vector<FeatureRequest> requests = {asked("psnr"), asked("motion"), asked("psnr"), asked("motion")};
  requests[0].fitting = requests[3].fitting = Fitting{.least_bits = 9};
  const Rows rows = score(requests);
  EXPECT_EQ(failure_, "");
  ASSERT_EQ(rows.rows.size(), static_cast<size_t>(kFrames));
  for (const auto& row : rows.rows) {
    EXPECT_NEAR(row[0].front(), row[2].front(), 0.02);
    EXPECT_NE(row[0].front(), row[2].front());
    ASSERT_EQ(row[1].size(), row[3].size());
    for (size_t i = 0; i < row[1].size(); ++i)
      EXPECT_NEAR(row[1][i], row[3][i], 0.01 * std::abs(row[1][i]) + 1e-6);
  }
}

TEST_P(FittingExtractorTest, FitsEachFrameOnceAlsoThoseBefore) {
  std::vector<FeatureRequest> requests = {asked("psnr"), asked("motion")};
  requests[0].fitting = requests[1].fitting = Fitting{.least_bits = 9};
  are_fetched_ = true;
  EXPECT_EQ(score(requests).rows.size(), static_cast<size_t>(kFrames));
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(calls_, 2 * kFrames);
}

TEST_P(FittingExtractorTest, AFrameThatCannotBeFittedComesAfterThoseBeforeIt) {
  std::vector<FeatureRequest> requests = {asked("psnr")};
  requests[0].fitting = Fitting{.least_bits = 9};
  are_fetched_ = true;
  failing_ = 5;
  EXPECT_EQ(score(requests).rows.size(), 5U);
  EXPECT_EQ(failure_, "no samples");
}

TEST_P(FittingExtractorTest, MemoryCountsTheFittedFrames) {
  std::vector<FeatureRequest> requests = {asked("psnr")};
  const int64_t plain = extractor_bytes(requests, formats_, execution_);
  requests[0].fitting = Fitting{.least_bits = 9};
  EXPECT_GE(extractor_bytes(requests, formats_, execution_) - plain,
            int64_t{2} * GetParam() * kSide * kSide * 2);
}

INSTANTIATE_TEST_SUITE_P(Threads, FittingExtractorTest, ::testing::Values(1, 4));

}  // namespace
}  // namespace vq
