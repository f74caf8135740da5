// The passes on the device against the stages' scalar versions.
#include "feature/xpsnr/xpsnr.h"
#include "tests/support/gpu_test.h"

namespace vq::xpsnr {
namespace {

using namespace vq::test;

Grid grid_of(PlaneSize plane, PlaneSize block) {
  return {plane, block, (plane.width + block.width - 1) / block.width,
          (plane.height + block.height - 1) / block.height};
}

// Noise; the rows below are none of the plane.
template <typename T>
TestPlane<T> noise_plane(PlaneSize size, int bit_depth, unsigned seed) {
  std::minstd_rand random(seed);
  TestPlane<T> plane(size.width, size.height + 2, seed,
                     [&](int, int) { return (random() >> 8) % (1U << bit_depth); });
  plane.content.height = plane.on_device.layout.height = size.height;
  return plane;
}

// The sums of two passes lie one behind the other, and must be the same.
template <typename T>
void expect_scalar_activities(const ActivityForm& form, const std::array<const TestPlane<T>*, 3>& planes,
                              int shift) {
  const auto& [now, last, older] = planes;
  const BlockActivitiesPass pass(test_context(), form,
                                 {{now->on_device, shift}, last->on_device, older->on_device});
  const vulkan::Buffer sums =
      recorded(2 * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        pass.record(recorder, there, 0);
        pass.record(recorder, there, pass.sum_bytes());
      });
  Rows rows(form.grid.plane.width);
  std::vector<Activity> expected(form.grid.count()), found(form.grid.count());
  for (int before = 0; before <= form.frames_before(); ++before) {
    SCOPED_TRACE(std::to_string(before) + " frames before");
    History history{.now = {now->view(), shift}};
    if (before > 0) history.before[0] = last->view();
    if (before > 1) history.before[1] = older->view();
    scalar::block_activities(form, history, rows, expected);
    for (const int64_t offset : {int64_t{0}, pass.sum_bytes()}) {
      pass.read(sums.mapped() + offset, before, found);
      ASSERT_EQ(found, expected);
    }
  }
}

template <typename T>
void compare_activities(PlaneSize size, PlaneSize block, int bit_depth, int shift = 0) {
  SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", blocks of " +
               std::to_string(block.width) + ", " + std::to_string(bit_depth) + " bits");
  const auto seed = static_cast<unsigned>(size.width + size.height);
  const TestPlane<T> now = noise_plane<T>(size, bit_depth, seed),
                     last = noise_plane<T>(size, bit_depth, seed + 1),
                     older = noise_plane<T>(size, bit_depth, seed + 2);
  for (const bool in_cells : {false, true}) {
    for (const bool is_second_order : {false, true})
      expect_scalar_activities<T>({grid_of(size, block), in_cells, is_second_order}, {&now, &last, &older},
                                  shift);
  }
}

// Around vectors, blocks and tiles; odd sides, where cells stick out.
TEST(XpsnrGpuActivities, EqualScalarWhateverTheSize) {
  for (const PlaneSize size : {PlaneSize{1, 1},
                               {2, 3},
                               {4, 4},
                               {5, 9},
                               {7, 2},
                               {63, 65},
                               {64, 64},
                               {65, 63},
                               {129, 130},
                               {131, 5},
                               {263, 133},
                               {357, 235}}) {
    compare_activities<uint8_t>(size, {64, 64}, 8);
    compare_activities<uint8_t>(size, {4, 4}, 8);
    compare_activities<uint16_t>(size, {132, 132}, 10);
    compare_activities<uint16_t>(size, {20, 20}, 16);
  }
}

TEST(XpsnrGpuActivities, EqualScalarWithShifts) {
  compare_activities<uint8_t>({75, 37}, {20, 20}, 8, 8);
  compare_activities<uint16_t>({75, 37}, {20, 20}, 10, 6);
}

TEST(XpsnrGpuActivities, HaveRoomForTheLargest) {
  const PlaneSize size = {736, 734};
  const auto squares = [](int phase) { return [=](int x, int y) { return (x + y + phase) % 2 * 65535; }; };
  const auto dots = [](int x, int y) { return x % 3 == 1 && y % 3 == 1 ? 65535 : 0; };
  const TestPlane<uint16_t> now(size.width, size.height, 1, squares(0)),
      last(size.width, size.height, 2, squares(1)), dotted(size.width, size.height, 3, dots);
  for (const bool in_cells : {false, true}) {
    expect_scalar_activities<uint16_t>({grid_of(size, {728, 728}), in_cells, true}, {&now, &last, &now}, 0);
    expect_scalar_activities<uint16_t>({grid_of(size, {64, 64}), in_cells, true}, {&dotted, &last, &now}, 0);
  }
}

template <typename A, typename B>
void compare_errors(PlaneSize size, PlaneSize block, int shift_a, int shift_b) {
  SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", blocks of " +
               std::to_string(block.width) + "x" + std::to_string(block.height));
  const TestPlane<A> a = noise_plane<A>(size, 8 * sizeof(A), 1);
  const TestPlane<B> b = noise_plane<B>(size, 8 * sizeof(B), 2);
  const Grid grid = grid_of(size, block);
  const BlockErrorsPass pass(test_context(), grid,
                             {Operand{a.on_device, shift_a}, Operand{b.on_device, shift_b}});
  const vulkan::Buffer sums =
      recorded(2 * pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
        pass.record(recorder, there, 0);
        pass.record(recorder, there, pass.sum_bytes());
      });
  Rows rows(size.width);
  std::vector<uint64_t> expected(grid.count()), found(grid.count());
  scalar::block_errors(grid, {Samples{a.view(), shift_a}, Samples{b.view(), shift_b}}, rows, expected);
  for (const int64_t offset : {int64_t{0}, pass.sum_bytes()}) {
    pass.read(sums.mapped() + offset, found);
    ASSERT_EQ(found, expected);
  }
}

// Blocks of chroma need not begin with a vector.
TEST(XpsnrGpuErrors, EqualScalarWhateverTheBlocks) {
  for (const PlaneSize size : {PlaneSize{1, 1}, {3, 70}, {64, 64}, {131, 67}, {357, 235}}) {
    for (const PlaneSize block :
         {PlaneSize{1, 1}, {5, 11}, {11, 44}, {22, 22}, {64, 64}, {132, 132}, {400, 7}}) {
      compare_errors<uint8_t, uint8_t>(size, block, 0, 0);
      compare_errors<uint16_t, uint16_t>(size, block, 0, 0);
    }
  }
}

TEST(XpsnrGpuErrors, EqualScalarWhateverTypesAndShifts) {
  compare_errors<uint8_t, uint16_t>({131, 67}, {22, 22}, 8, 0);
  compare_errors<uint16_t, uint8_t>({131, 67}, {22, 22}, 0, 4);
  compare_errors<uint8_t, uint8_t>({131, 67}, {22, 22}, 2, 2);
  compare_errors<uint16_t, uint16_t>({131, 67}, {22, 22}, 6, 0);
}

// In the least picture with the widest rows, and in the largest blocks.
TEST(XpsnrGpuErrors, HaveRoomForTheLargest) {
  const TestPlane<uint16_t> black(2024, 8, 1, [](int, int) { return 0; });
  const TestPlane<uint16_t> white(2024, 8, 2, [](int, int) { return 65535; });
  for (const PlaneSize block : {PlaneSize{2024, 8}, {728, 8}}) {
    const Grid grid = grid_of({2024, 8}, block);
    const BlockErrorsPass pass(test_context(), grid,
                               {Operand{black.on_device, 0}, Operand{white.on_device, 0}});
    const vulkan::Buffer sums = recorded(pass.sum_bytes(), [&](auto& recorder, const vulkan::Buffer& there) {
      pass.record(recorder, there, 0);
    });
    std::vector<uint64_t> found(grid.count());
    pass.read(sums.mapped(), found);
    EXPECT_EQ(found[0], uint64_t{65535} * 65535 * static_cast<unsigned>(block.width) * 8);
  }
}

}  // namespace
}  // namespace vq::xpsnr
