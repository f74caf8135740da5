#include "engine/analysis/signature.h"
#include "engine/analysis/pair_watch.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq {
namespace {

using signature::CellSums;
using signature::Span;

using vq::test::DecodedPlane;
using SignatureImplementation = vq::test::Implementation<CellSums>;

std::vector<SignatureImplementation> signature_implementations() {
  return vq::test::all_implementations(CellSums{signature::scalar::cell_sums},
                                       signature::simd::cell_sums_for);
}

Frame frame_of_luma(const DecodedPlane& plane, int bit_depth = 8) {
  Frame frame = vq::test::luma_frame(plane);
  frame.bit_depth = bit_depth;
  return frame;
}

TEST(Signature, CellsTileThePicture) {
  for (const int size : {8, 9, 15, 16, 17, 100, 1080, 1920, kMaxSide}) {
    int next = 0;
    for (int i = 0; i < kSignatureSide; ++i) {
      const Span cell = signature::cell_span(size, i);
      EXPECT_EQ(cell.first, next);
      EXPECT_EQ(cell.first, i * size / 8);
      next = cell.first + cell.count;
    }
    EXPECT_EQ(next, size);
  }
  EXPECT_EQ(signature::cell_span(3, 0), (Span{0, 1}));  // fewer samples than cells
  EXPECT_EQ(signature::cell_span(3, 7), (Span{2, 1}));
}

TEST(Signature, LooksAtTheMiddleOfACell) {
  EXPECT_EQ(signature::sampled_columns({240, 240}), (Span{345, 30}));
  EXPECT_EQ(signature::sampled_columns({10, 9}), (Span{13, 2}));
  EXPECT_EQ(signature::sampled_columns({4, 1}), (Span{4, 1}));
  const Span rows = {135, 135};
  EXPECT_EQ(signature::sampled_rows(rows), 4);
  EXPECT_EQ(signature::sampled_row(rows, 0), 135 + 16);
  EXPECT_EQ(signature::sampled_row(rows, 3), 135 + 118);
  EXPECT_EQ(signature::sampled_rows({0, 2}), 2);
  EXPECT_EQ(signature::sampled_row({0, 2}, 1), 1);
}

// 16 columns of cells of 2, of which the left is looked at.
TEST(Signature, IsTheMeanOfEachCell) {
  DecodedPlane picture(16, 8, 8);
  picture.fill([](int x, int y) { return x % 2 == 0 ? 10 * y + x / 2 : 255; });
  for (const SignatureImplementation& implementation : signature_implementations()) {
    const Signature signature = signature_of(frame_of_luma(picture), Range::kLimited, implementation.stages);
    for (int cell = 0; cell < kSignatureCells; ++cell) {
      EXPECT_EQ(signature.levels[static_cast<size_t>(cell)], 16 * (10 * (cell / 8) + cell % 8))
          << implementation.name;
    }
  }
}

TEST(Signature, RoundsToTheNearestSixteenth) {
  DecodedPlane picture(24, 24, 8);  // a cell: three rows of one sample
  const auto level = [&](std::vector<int> rows) {
    picture.fill([&](int, int y) { return rows[static_cast<size_t>(y % 3)]; });
    return signature_of(frame_of_luma(picture), Range::kLimited, signature::scalar::cell_sums).levels[9];
  };
  EXPECT_EQ(level({100, 100, 100}), 1600);
  EXPECT_EQ(level({100, 100, 101}), 1605);  // 1605.33
  EXPECT_EQ(level({100, 101, 101}), 1611);  // 1610.67
}

TEST(Signature, IsTheSameForEveryDepthAndRange) {
  const CellSums sums = signature::cell_sums_for(Execution());
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    for (const int level : {16, 17, 100, 235}) {
      DecodedPlane limited(64, 48, 16), full(64, 48, 16);
      limited.flat(level << (depth - 8));
      const double fraction = (level - 16) / 219.0;
      full.flat(static_cast<int>(std::lround(fraction * ((1 << depth) - 1))));
      EXPECT_EQ(signature_of(frame_of_luma(limited, depth), Range::kLimited, sums).levels[20], 16 * level)
          << depth;
      EXPECT_EQ(signature_of(frame_of_luma(limited, depth), Range::kUnspecified, sums).levels[20], 16 * level)
          << depth;
      EXPECT_NEAR(signature_of(frame_of_luma(full, depth), Range::kFull, sums).levels[20], 16 * level,
                  depth == 8 ? 7 : 4)
          << depth;
    }
  }
}

TEST(Signature, IsNearlyTheSameForEverySize) {
  const auto shade = [](double x, double y) { return 120 + 60 * std::sin(9 * x) * std::cos(7 * y + 2); };
  const auto of = [&](int width, int height) {
    DecodedPlane picture(width, height, 8);
    picture.fill([&](int x, int y) { return std::lround(shade((x + 0.5) / width, (y + 0.5) / height)); });
    return signature_of(frame_of_luma(picture), Range::kLimited, signature::cell_sums_for(Execution()));
  };
  const Signature large = of(1920, 1080);
  for (const auto& [width, height] : {std::pair{3840, 2160}, {1280, 720}, {640, 360}, {417, 235}}) {
    const Signature other = of(width, height);
    for (size_t cell = 0; cell < kSignatureCells; ++cell)
      EXPECT_NEAR(other.levels[cell], large.levels[cell], 32);  // two levels, where a cell spans 70
  }
}

void compare_signatures(int depth) {
  std::vector<std::pair<int, int>> sizes = {{1920, 9}, {4096, 17}, {kMaxSide, 8}, {5, 3}, {1, 1}};
  for (int width = 1; width <= 330; ++width) sizes.emplace_back(width, 1 + width * 7 % 83);
  for (const auto& [width, height] : sizes) {
    const DecodedPlane picture =
        vq::test::noise_plane({width, height}, depth, static_cast<unsigned>(width * 131 + height));
    const std::string where = std::to_string(width) + "x" + std::to_string(height);
    vq::test::expect_same_of_all(signature_implementations(), where, [&](const SignatureImplementation& one) {
      std::array<uint32_t, kSignatureCells> sums;
      one(picture.view(), sums);
      return sums;
    });
  }
}

TEST(Signature, EveryImplementationEqualsScalar) {
  compare_signatures(8);
  compare_signatures(16);
}

TEST(Signature, HasRoomForTheBrightestOfTheLargest) {
  const std::vector<uint16_t> white(kMaxSide, 65535);
  const SampleView luma = vq::test::sample_view<uint16_t>({white.data(), kMaxSide, kMaxSide, 0});
  for (const SignatureImplementation& implementation : signature_implementations()) {
    std::array<uint32_t, kSignatureCells> sums;
    implementation(luma, sums);
    for (const uint32_t sum : sums) EXPECT_EQ(sum, uint32_t{4} * (kMaxSide / 64) * 65535);
  }
}

using Cuts = std::vector<int64_t>;
using Video = std::vector<Signature>;

constexpr double kBlack = 256, kWhite = 3760;

uint16_t level(double value) { return static_cast<uint16_t>(std::clamp(value + 0.5, 0.0, 65535.0)); }

// A picture of its own for every seed.
Signature picture(unsigned seed) {
  std::mt19937 random(seed);
  Signature signature;
  for (uint16_t& one : signature.levels) one = static_cast<uint16_t>(400 + random() % 2000);
  return signature;
}

// `share` of the second in place of the first.
Signature mixed(const Signature& a, const Signature& b, double share) {
  Signature signature;
  for (size_t i = 0; i < signature.levels.size(); ++i)
    signature.levels[i] = level(a.levels[i] * (1 - share) + b.levels[i] * share);
  return signature;
}
Signature mixed(const Signature& a, double flat, double share) {
  Signature other;
  other.levels.fill(level(flat));
  return mixed(a, other, share);
}

// A scene in which a little moves: towards another picture, a hundredth with each frame.
Video scene(unsigned seed, int frames) {
  Video video;
  for (int i = 0; i < frames; ++i) video.push_back(mixed(picture(seed), picture(seed + 1000), i / 100.0));
  return video;
}

Video joined(const std::vector<Video>& parts) {
  Video all;
  for (const Video& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Cuts cuts_of(const Video& video, int64_t first = 0) {
  SceneCutFinder finder;
  for (const Signature& signature : video) finder.add(first++, signature);
  return finder.cuts();
}

TEST(SceneCuts, AreWhereScenesMeet) {
  EXPECT_EQ(cuts_of(joined({scene(1, 40), scene(2, 12), scene(3, 40)})), (Cuts{40, 52}));
  EXPECT_EQ(cuts_of(joined({scene(1, 40), scene(2, 40)}), 1000), (Cuts{1040}));
  EXPECT_EQ(cuts_of(scene(1, 100)), Cuts());
}

TEST(SceneCuts, MayFollowEachOtherClosely) {
  EXPECT_EQ(cuts_of(joined({scene(1, 20), scene(2, 3), scene(3, 2), scene(4, 20)})), (Cuts{20, 23, 25}));
  EXPECT_EQ(cuts_of(joined({scene(1, 20), scene(2, 1), scene(3, 20)})), Cuts());  // a frame is no scene
}

TEST(SceneCuts, AreFoundNearBothEnds) {
  EXPECT_EQ(cuts_of(joined({scene(1, 1), scene(2, 30)})), (Cuts{1}));
  EXPECT_EQ(cuts_of(joined({scene(1, 30), scene(2, 1)})), (Cuts{30}));
  EXPECT_EQ(cuts_of({picture(1), picture(2)}), (Cuts{1}));
  EXPECT_EQ(cuts_of({picture(1)}), Cuts());
  EXPECT_EQ(cuts_of({}), Cuts());
}

TEST(SceneCuts, CanBeAskedForOnTheWay) {
  const Video video = joined({scene(1, 40), scene(2, 40), scene(3, 40)});
  SceneCutFinder finder;
  for (size_t i = 0; i < video.size(); ++i) {
    finder.add(static_cast<int64_t>(i), video[i]);
    const Cuts expected = i < 40 ? Cuts() : i < 80 ? Cuts{40} : Cuts{40, 80};
    EXPECT_EQ(finder.cuts(), expected) << i;
  }
}

// A flash may be one as well, as long as nobody knows that the picture comes back.
TEST(SceneCuts, MayBeKnownBeforeWhatFollows) {
  Video video = joined({scene(1, 40), scene(2, 40), scene(3, 40)});
  video[100] = picture(9);
  SceneCutFinder finder;
  Cuts possible;
  for (size_t i = 0; i < video.size(); ++i) {
    finder.add(static_cast<int64_t>(i), video[i]);
    if (finder.may_be_cut()) possible.push_back(static_cast<int64_t>(i));
  }
  EXPECT_EQ(possible, (Cuts{40, 80, 100}));
  EXPECT_EQ(finder.cuts(), (Cuts{40, 80}));
}

TEST(SceneCuts, DoNotDependOnBrightnessOrContrast) {
  Video dark;
  for (const Signature& one : joined({scene(1, 30), scene(2, 30)})) dark.push_back(mixed(one, kBlack, 0.9));
  EXPECT_EQ(cuts_of(dark), (Cuts{30}));
  Video lights = scene(1, 60);
  for (size_t i = 30; i < lights.size(); ++i)
    lights[i] = mixed(lights[i], kBlack, 0.7);  // somebody turns them off
  EXPECT_EQ(cuts_of(lights), Cuts());
}

// That it has the same edges does not make it the same picture.
TEST(SceneCuts, MayLeadToTheNegative) {
  Video video = scene(1, 60);
  for (size_t i = 30; i < video.size(); ++i) {
    for (uint16_t& one : video[i].levels) one = static_cast<uint16_t>(3000 - one);
  }
  EXPECT_EQ(cuts_of(video), (Cuts{30}));
}

TEST(SceneCuts, AreNotFlashes) {
  for (const int frames : {1, 2, 5}) {
    Video video = scene(1, 60);
    for (int i = 0; i < frames; ++i) video[static_cast<size_t>(30 + i)] = mixed(picture(9), kWhite, 0.9);
    EXPECT_EQ(cuts_of(video), Cuts()) << frames;
  }
}

TEST(SceneCuts, AreNotFadesAndDissolves) {
  for (const int frames : {6, 24}) {
    Video fade(20, mixed(picture(1), kBlack, 1)), dissolve = scene(1, 20);
    for (int i = 1; i <= frames; ++i) {
      const double share = static_cast<double>(i) / (frames + 1);
      fade.push_back(mixed(picture(1), kBlack, 1 - share));
      dissolve.push_back(mixed(picture(1), picture(2), share));
    }
    EXPECT_EQ(cuts_of(joined({fade, scene(1, 20)})), Cuts()) << frames;
    EXPECT_EQ(cuts_of(joined({dissolve, scene(2, 20)})), Cuts()) << frames;
    std::reverse(fade.begin(), fade.end());
    EXPECT_EQ(cuts_of(joined({scene(1, 20), fade})), Cuts()) << frames;
  }
}

// Of which each frame has little in common with the one before.
TEST(SceneCuts, AreNotFastMovement) {
  Video pan, held;
  for (unsigned i = 0; i < 60; ++i) {
    pan.push_back(mixed(picture(i), picture(i + 1), 0.5));
    held.push_back(mixed(picture(1), picture(2 + i / 4), 0.35));  // drawn anew every four frames
  }
  EXPECT_EQ(cuts_of(pan), Cuts());
  EXPECT_EQ(cuts_of(held), Cuts());
}

// Grain is all that is seen of them.
TEST(SceneCuts, AreNotNoise) {
  std::mt19937 random(5);
  Video video;
  for (int i = 0; i < 200; ++i) {
    Signature signature;
    for (uint16_t& one : signature.levels) one = static_cast<uint16_t>(260 + random() % 9);
    video.push_back(signature);
  }
  EXPECT_EQ(cuts_of(video), Cuts());
  // Black, and black again after a key frame that rounds in another way.
  Video black(60, mixed(picture(1), kBlack, 1));
  for (size_t i = 30; i < black.size(); ++i) black[i].levels[20] += 3;
  EXPECT_EQ(cuts_of(black), Cuts());
}

}  // namespace

}  // namespace vq
