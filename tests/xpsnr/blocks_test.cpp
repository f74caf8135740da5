// Sums of blocks: every implementation against the scalar one.
#include "feature/xpsnr/xpsnr.h"
#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq::xpsnr {
namespace {

using namespace vq::test;

std::vector<Implementation<decltype(&scalar::block_activities)>> activity_implementations() {
  return all_implementations(&scalar::block_activities, simd::block_activities_for);
}
std::vector<Implementation<decltype(&scalar::block_errors)>> error_implementations() {
  return all_implementations(&scalar::block_errors, simd::block_errors_for);
}

Grid grid_of(PlaneSize plane, PlaneSize block) {
  return {plane, block, (plane.width + block.width - 1) / block.width,
          (plane.height + block.height - 1) / block.height};
}

Samples samples(const DecodedPlane& plane, int shift = 0) { return {.view = plane.view(), .shift = shift}; }

std::vector<Activity> activities(const Implementation<decltype(&scalar::block_activities)>& implementation,
                                 const ActivityForm& form, const History& pictures) {
  Rows rows(form.grid.plane.width);
  std::vector<Activity> sums(form.grid.count(), {99, 99});
  implementation(form, pictures, rows, sums);
  return sums;
}

std::vector<uint64_t> errors(const Implementation<decltype(&scalar::block_errors)>& implementation,
                             const Grid& grid, const std::array<Samples, 2>& planes) {
  Rows rows(grid.plane.width);
  std::vector<uint64_t> sums(grid.count(), 99);
  implementation(grid, planes, rows, sums);
  return sums;
}

void compare_activities(PlaneSize size, PlaneSize block, int bit_depth, int shift) {
  const auto seed = static_cast<unsigned>(size.width * 31 + size.height);
  const DecodedPlane now = noise_plane(size, bit_depth, seed), last = noise_plane(size, bit_depth, seed + 1),
                     older = noise_plane(size, bit_depth, seed + 2);
  for (const bool in_cells : {false, true}) {
    for (const bool is_second_order : {false, true}) {
      const ActivityForm form = {grid_of(size, block), in_cells, is_second_order};
      const std::string where = std::to_string(size.width) + "x" + std::to_string(size.height) +
                                ", blocks of " + std::to_string(block.width) + ", " +
                                std::to_string(bit_depth) + " bits, shift " + std::to_string(shift) +
                                (in_cells ? ", cells" : "") + (is_second_order ? ", second order" : "");
      expect_same_of_all(activity_implementations(), where, [&](const auto& implementation) {
        return activities(implementation, form, {samples(now, shift), {last.view(), older.view()}});
      });
      expect_same_of_all(activity_implementations(), where + ", at the start",
                         [&](const auto& implementation) {
                           return activities(implementation, form, {samples(now, shift), {last.view(), {}}});
                         });
    }
  }
}

// Rows as long as a vector or not, odd sides, and blocks that end with a picture, in it, or behind it; also
// around the tiles of work groups.
TEST(XpsnrActivity, EveryImplementationEqualsScalarWhateverTheSize) {
  for (int width = 1; width <= 140; width += width < 40 ? 1 : 7) {
    const int height = 1 + width * 5 % 23;
    compare_activities({width, height}, {4, 4}, 8, 0);
    compare_activities({width, height}, {20, 20}, 16, 0);
  }
  for (const PlaneSize size : {PlaneSize{63, 65}, {129, 130}, {131, 5}, {357, 235}})
    compare_activities(size, {64, 64}, 8, 0);
  compare_activities({1, 60}, {44, 44}, 8, 0);
  compare_activities({263, 131}, {64, 64}, 8, 0);
  compare_activities({265, 133}, {132, 132}, 10, 0);
}

TEST(XpsnrActivity, EveryImplementationEqualsScalarAtEveryDepth) {
  for (int bit_depth = 8; bit_depth <= 16; ++bit_depth) compare_activities({75, 37}, {20, 20}, bit_depth, 0);
  for (int shift = 1; shift <= 8; ++shift) compare_activities({75, 37}, {20, 20}, 8, shift);
  compare_activities({75, 37}, {20, 20}, 12, 4);
}

// Black and white alternate, or white dots are on black, which is the most that there can be, in the largest
// blocks.
TEST(XpsnrActivity, HasRoomForTheLargestSums) {
  const PlaneSize size = {1460, 1460};
  DecodedPlane now(size.width, size.height, 16), last(size.width, size.height, 16);
  for (const int period : {1, 2}) {
    now.fill([=](int x, int y) { return (x / period + y / period) % 2 * 65535; });
    last.fill([=](int x, int y) { return (x / period + y / period + 1) % 2 * 65535; });
    for (const bool in_cells : {false, true}) {
      const ActivityForm form = {grid_of(size, {728, 728}), in_cells, true};
      expect_same_of_all(activity_implementations(), "largest", [&](const auto& implementation) {
        return activities(implementation, form, {samples(now), {last.view(), now.view()}});
      });
    }
  }
  now.fill([](int x, int y) { return x % 3 == 1 && y % 3 == 1 ? 65535 : 0; });
  expect_same_of_all(activity_implementations(), "dots", [&](const auto& implementation) {
    return activities(implementation, {grid_of(size, {64, 64}), false, true},
                      {samples(now), {last.view(), now.view()}});
  });
}

void compare_errors(const Samples& a, const Samples& b, PlaneSize block) {
  const PlaneSize size = {a.view.width(), a.view.height()};
  const std::string where = std::to_string(size.width) + "x" + std::to_string(size.height) + ", blocks of " +
                            std::to_string(block.width) + "x" + std::to_string(block.height);
  expect_same_of_all(error_implementations(), where, [&](const auto& implementation) {
    return errors(implementation, grid_of(size, block), {a, b});
  });
}

TEST(XpsnrErrors, EveryImplementationEqualsScalarWhateverTypesAndShifts) {
  for (const auto& [shift_a, shift_b] : std::vector<std::pair<int, int>>{{0, 0}, {2, 0}, {0, 8}, {3, 1}}) {
    for (const auto& [depth_a, depth_b] :
         std::vector<std::pair<int, int>>{{8, 8}, {8, 10}, {10, 8}, {12, 12}, {16, 16}}) {
      for (int width = 1; width <= 140; width += width < 40 ? 1 : 9) {
        const PlaneSize size = {width, 1 + width * 7 % 19};
        const auto seed = static_cast<unsigned>(width);
        const DecodedPlane a = noise_plane(size, depth_a, seed), b = noise_plane(size, depth_b, seed + 1001);
        for (const PlaneSize block : {PlaneSize{5, 11}, {22, 22}, {200, 3}})
          compare_errors(samples(a, shift_a), samples(b, shift_b), block);
      }
    }
  }
  // Blocks of chroma need not begin with a vector.
  for (const int depth : {8, 16}) {
    for (const PlaneSize size : {PlaneSize{3, 70}, {64, 64}, {357, 235}}) {
      const DecodedPlane a = noise_plane(size, depth, 1), b = noise_plane(size, depth, 2);
      for (const PlaneSize block : {PlaneSize{1, 1}, {11, 44}, {64, 64}, {132, 132}, {400, 7}})
        compare_errors(samples(a), samples(b), block);
    }
  }
}

// In the largest blocks, and in the least picture with the widest rows.
TEST(XpsnrErrors, HaveRoomForTheLargest) {
  for (const PlaneSize size : {PlaneSize{728, 728}, {2024, 8}}) {
    for (const unsigned top : {255U, 4095U, 65535U}) {
      const DecodedPlane black = DecodedPlane(size.width, size.height, 16).flat(0),
                         white = DecodedPlane(size.width, size.height, 16).flat(static_cast<int>(top));
      const uint64_t expected = uint64_t{top} * top * static_cast<unsigned>(size.width * size.height);
      for (const auto& implementation : error_implementations()) {
        EXPECT_THAT(errors(implementation, grid_of(size, size), {samples(black), samples(white)}),
                    ::testing::ElementsAre(expected))
            << implementation.name;
      }
    }
  }
}

}  // namespace
}  // namespace vq::xpsnr
