#include "feature/adm/adm.h"
#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

// One row of all bands, from a picture or from four rows.
class OneRow {
 public:
  explicit OneRow(const ScalePlan& plan, bool has_detail = true)
      : plan_(plan), bands_(plan.width, 4), fine_(plan.input_width, 2), coarse_(plan.input_width, 2) {
    out_ = {.a = bands_.row(0),
            .detail = {bands_.row(1), bands_.row(2), bands_.row(3)},
            .columns = has_detail ? plan.masking_columns : Span{}};
  }
  void run(const Stages& stages, const Samples& picture, int row) {
    stages.fine_wavelet(picture, row, plan_, {fine_.row(0), fine_.row(1)}, out_);
  }
  void run(const Stages& stages, const std::array<const int32_t*, 4>& in) {
    stages.coarse_wavelet(in, plan_, {coarse_.row(0), coarse_.row(1)}, out_);
  }
  int a(int x) { return bands_.row(0)[x]; }
  int detail(size_t band, int x) { return out_.detail[band][x]; }
  std::vector<std::vector<int32_t>> values() {
    std::vector<std::vector<int32_t>> all = {bands_.values(0, {0, plan_.width})};
    for (int i = 1; i < 4; ++i) all.push_back(bands_.values(i, out_.columns));
    return all;
  }
  bool intact() { return bands_.intact() && fine_.intact() && coarse_.intact(); }

 private:
  ScalePlan plan_;
  Rows<int32_t> bands_;
  Rows<int16_t> fine_;
  Rows<int32_t> coarse_;
  BandRow out_;
};

void compare_fine(const DecodedPlane& picture, int shift = 0, bool has_detail = true) {
  const int depth = picture.bit_depth() + shift;
  const ScalePlan plan = scale_plan(0, picture.size(), {}, depth);
  const std::string where = std::to_string(picture.width()) + "x" + std::to_string(picture.height()) +
                            ", depth " + std::to_string(depth) + ", shift " + std::to_string(shift);
  vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
    OneRow row(plan, has_detail);
    std::vector<std::vector<std::vector<int32_t>>> all;
    for (const int y : {0, 1, plan.height / 2, plan.height - 1}) {
      row.run(one.stages, samples(picture, shift), y);
      all.push_back(row.values());
    }
    EXPECT_TRUE(row.intact()) << one.name << ", " << where;
    return all;
  });
}

TEST(AdmWavelet, EveryImplementationEqualsScalarOnPicturesOfAllWidths) {
  for (int width = 33; width <= 200; ++width) {
    const int depth = 8 + width % 9;
    const auto seed = static_cast<unsigned>(width * 17 + depth);
    compare_fine(noise_plane({width, 33 + width % 3}, depth, seed), 0, width % 4 != 0);
    compare_fine(noise_plane({width, 34}, 8, seed), depth - 8);
  }
}

TEST(AdmWavelet, EveryImplementationEqualsScalarOnTheLargestContrasts) {
  for (const int depth : {8, 10, 16}) {
    compare_fine(DecodedPlane(97, 35, depth).fill([=](int x, int y) {
      return (x / 2 + y) % 2 == 0 ? (1 << depth) - 1 : 0;
    }));
  }
}

// Input of a scale is band a of the one before.
TEST(AdmWavelet, EveryImplementationEqualsScalarOnCoarseScalesOfAllWidths) {
  constexpr int64_t kMostOfA[] = {0, 22930, 1491999999, 1500000000};
  for (int scale = 1; scale < kScales; ++scale) {
    for (int width = 33; width <= 700; width += width < 200 ? 1 : 13) {
      const ScalePlan plan = scale_plan(scale, {width, 64});
      Rows<int32_t> in(plan.input_width, 4);
      for (int i = 0; i < 4; ++i) in.fill(i, kMostOfA[scale], static_cast<unsigned>(width * 4 + i));
      const std::string where = "scale " + std::to_string(scale) + ", width " + std::to_string(width);
      vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
        OneRow row(plan, width % 5 != 0);
        row.run(one.stages, {in.row(0), in.row(1), in.row(2), in.row(3)});
        EXPECT_TRUE(row.intact()) << one.name << ", " << where;
        return row.values();
      });
    }
  }
}

}  // namespace
}  // namespace vq::adm::test
