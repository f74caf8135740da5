#include "cli/bench/frame_ring.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/synthetic_frame.h"

namespace vq::cli {
namespace {

// Memory of the host, once.
class OnePiece final : public FrameStore {
 public:
  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override {
    return std::exchange(has_one_, false) ? std::make_shared<Piece>(bytes) : nullptr;
  }

 private:
  class Piece final : public HostVisibleMemory {
   public:
    explicit Piece(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {}
    const void* device() const override { return this; }
    std::byte* data() const override { return bytes_.data(); }
    int64_t bytes() const override { return static_cast<int64_t>(bytes_.size()); }

   private:
    mutable std::vector<std::byte> bytes_;
  };
  bool has_one_ = true;
};

TEST(StoredFrame, HasTheSameSamplesInTheStore) {
  for (const int depth : {8, 10}) {
    OnePiece store;
    const Frame frame =
        synthetic_frame(Synthetic::kNoise, {.name = {}, .width = 101, .height = 7, .bit_depth = depth}, 3, 3);
    const Frame stored = stored_frame(frame, store);
    const auto* const piece = dynamic_cast<const HostVisibleMemory*>(stored.place.get());
    ASSERT_NE(piece, nullptr);
    const std::byte* const begin = piece->data();
    for (size_t i = 0; i < frame.planes.size(); ++i) {
      const auto same = [&](const auto& before, const auto& after) {
        ASSERT_EQ(after.width, before.width);
        ASSERT_EQ(after.height, before.height);
        for (int y = 0; y < before.height; ++y)
          EXPECT_TRUE(std::equal(before.row(y), before.row(y) + before.width, after.row(y)));
        const auto* const first = reinterpret_cast<const std::byte*>(after.data);
        EXPECT_EQ((first - begin) % kPlaneAlignment, 0);
        EXPECT_LE(reinterpret_cast<const std::byte*>(after.row(after.height - 1) + after.width),
                  begin + piece->bytes());
      };
      depth == 8 ? same(frame.planes[i].u8, stored.planes[i].u8)
                 : same(frame.planes[i].u16, stored.planes[i].u16);
    }
    // A plane that there is not is none afterwards.
    OnePiece other;
    EXPECT_TRUE(
        stored_frame(synthetic_frame(Synthetic::kFlat, {.name = {}, .width = 8, .height = 8}, 0), other)
            .planes[1]
            .empty());
    EXPECT_EQ(stored_frame(stored, store).place, stored.place);
    EXPECT_EQ(stored_frame(frame, store).place, nullptr);  // there is no more
  }
}

// What a measurement shows must not depend on where it is made.
TEST(SyntheticFrame, DriftsAndIsTheSameEveryTime) {
  const VideoFormat format = {.name = {}, .width = 400, .height = 30, .bit_depth = 10};
  const auto row = [&](int64_t number) {
    const Frame frame = synthetic_frame(Synthetic::kBanded, format, number);
    const uint16_t* const samples = frame.luma().u16.row(10);
    return std::vector<uint16_t>(samples, samples + format.width);
  };
  EXPECT_EQ(row(5), row(5));
  EXPECT_NE(row(5), row(20));
  EXPECT_EQ(row(0)[0], 160);   // 20 / 97 is the first band
  EXPECT_EQ(row(0)[77], 164);  // 97 / 97 the next one, a step of 8-bit video away
  EXPECT_EQ(
      synthetic_frame(Synthetic::kBanded, {.name = {}, .width = 400, .height = 30}, 0).luma().u8.row(10)[77],
      41);
  EXPECT_EQ(synthetic_kind("ramps"), Synthetic::kRamps);
  EXPECT_EQ(synthetic_kind("sky"), std::nullopt);
}

std::vector<int> luma_row(const Frame& frame, int y) {
  const uint16_t* const row = frame.luma().u16.row(y);
  return {row, row + frame.luma().width()};
}

int total_steps(const std::vector<int>& row) {
  int steps = 0;
  for (size_t x = 1; x < row.size(); ++x) steps += std::abs(row[x] - row[x - 1]);
  return steps;
}

TEST(SyntheticFrame, FilmHasASkyInBandsAndDetailThatAnEncoderSoftens) {
  const VideoFormat format = {.name = {}, .width = 400, .height = 90, .bit_depth = 10};
  const FramePair pair =
      synthetic_pair(Synthetic::kFilm, format, 2, {.planes = 3, .reference = true, .before = {}});
  EXPECT_EQ(pair.distorted.planes[2].width(), 200);
  EXPECT_EQ(pair.distorted.index, pair.reference->index);
  for (const int level : luma_row(*pair.reference, 10)) ASSERT_EQ(level % 4, 0);
  for (const int level : luma_row(pair.distorted, 10)) ASSERT_EQ(level % 8, 0);
  EXPECT_GT(total_steps(luma_row(*pair.reference, 10)), 0);
  EXPECT_GT(total_steps(luma_row(*pair.reference, 60)), 3 * total_steps(luma_row(pair.distorted, 60)) / 2);
  // What is there moves by three samples to the left, but for the grain of both frames.
  const std::vector<int> before = luma_row(synthetic_frame(Synthetic::kFilm, format, 1), 61),
                         now = luma_row(*pair.reference, 60);
  for (size_t x = 3; x < before.size(); ++x) ASSERT_LE(std::abs(before[x] - now[x - 3]), 15) << x;
}

TEST(SyntheticFrame, PairsOfOtherKindsAreNeighbours) {
  const VideoFormat format = {.name = {}, .width = 200, .height = 30, .bit_depth = 10};
  const FramePair pair =
      synthetic_pair(Synthetic::kBanded, format, 7, {.planes = 1, .reference = true, .before = {}});
  EXPECT_EQ(luma_row(pair.distorted, 3), luma_row(synthetic_frame(Synthetic::kBanded, format, 7), 3));
  EXPECT_EQ(luma_row(*pair.reference, 3), luma_row(synthetic_frame(Synthetic::kBanded, format, 8), 3));
  EXPECT_FALSE(
      synthetic_pair(Synthetic::kFilm, format, 7, {.planes = 1, .reference = false, .before = {}}).reference);
}

}  // namespace
}  // namespace vq::cli
