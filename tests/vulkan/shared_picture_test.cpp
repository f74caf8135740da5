// Pictures that something else wrote to a device's memory: the pool they come from, their way to the host,
// and the pass that takes their planes to where features read them.
#include "vulkan/shared_picture.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/analysis/signature.h"
#include "feature/slot_pool.h"
#include "tests/support/gpu_test.h"
#include "vulkan/device_impl.h"

namespace vq::vulkan {
namespace {

using namespace vq::test;

constexpr int64_t kBudget = int64_t{1} << 30;

// How a decoder leaves its pictures.
struct Form {
  const char* name;
  int bit_depth, shift;
  bool interleaved;
};
constexpr Form kForms[] = {{"NV12", 8, 0, true},        {"yuv420p", 8, 0, false},
                           {"P010", 10, 6, true},       {"P016 of 12 bits", 12, 4, true},
                           {"yuv420p10", 10, 0, false}, {"16 bits", 16, 0, true}};

int64_t aligned(int64_t bytes) { return (bytes + kStoreAlignment - 1) / kStoreAlignment * kStoreAlignment; }

std::vector<SharedPlane> lay_out(const Form& form, PlaneSize luma, int64_t* bytes) {
  const int sample_bytes = form.bit_depth > 8 ? 2 : 1;
  std::vector<SharedPlane> planes;
  int64_t offset = 0;
  for (int i = 0; i < kMaxPlanes; ++i) {
    const bool pair = form.interleaved && i > 0;
    SharedPlane plane{.size = plane_size(luma, Chroma::k420, i),
                      .offset_bytes = pair && i == 2 ? planes[1].offset_bytes : offset,
                      .sample_bytes = sample_bytes,
                      .step = pair ? 2 : 1,
                      .first = pair ? i - 1 : 0,
                      .shift = form.shift};
    plane.stride_bytes = aligned(int64_t{plane.size.width} * sample_bytes * plane.step) + kStoreAlignment;
    if (!pair || i == 1) offset += plane.stride_bytes * plane.size.height;
    planes.push_back(plane);
  }
  *bytes = offset;
  return planes;
}

// A picture that outlives its pool, with noise in every bit, also between the samples and below them.
struct NoisePicture {
  std::vector<SharedPlane> planes;
  std::vector<std::byte> noise;
  std::shared_ptr<SharedPicture> picture;
};

NoisePicture noise_picture(const Form& form, PlaneSize luma) {
  SharedPictures pool(test_device(), kBudget);
  int64_t bytes = 0;
  NoisePicture made = {.planes = lay_out(form, luma, &bytes), .noise = {}, .picture = nullptr};
  std::mt19937 random(7);
  made.noise.resize(static_cast<size_t>(bytes));
  for (std::byte& byte : made.noise) byte = static_cast<std::byte>(random());
  const Buffer upload(test_device(), Memory::kUpload, bytes);
  std::memcpy(upload.mapped(), made.noise.data(), made.noise.size());
  made.picture = pool.take(bytes);
  Recorder recorder(test_device());
  recorder.copy(upload, made.picture->buffer());
  run(recorder);
  made.picture->describe(made.planes);
  return made;
}

unsigned sample_at(const std::vector<std::byte>& bytes, const SharedPlane& plane, int x, int y) {
  const auto at = static_cast<size_t>(plane.offset_bytes + plane.stride_bytes * y +
                                      int64_t{x * plane.step + plane.first} * plane.sample_bytes);
  unsigned value = static_cast<unsigned>(bytes[at]);
  if (plane.sample_bytes == 2) value |= static_cast<unsigned>(bytes[at + 1]) << 8;
  return value >> plane.shift;
}

template <typename T>
void expect_samples(PlaneView<const T> view, const std::vector<std::byte>& bytes, const SharedPlane& plane) {
  ASSERT_EQ((PlaneSize{view.width, view.height}), plane.size);
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x)
      ASSERT_EQ(view.row(y)[x], sample_at(bytes, plane, x, y)) << x << ", " << y;
  }
}

void expect_samples(const SampleView& view, const std::vector<std::byte>& bytes, const SharedPlane& plane) {
  if (plane.sample_bytes == 1) {
    expect_samples(view.u8, bytes, plane);
  } else {
    expect_samples(view.u16, bytes, plane);
  }
}

class SharedPictureForms : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(All, SharedPictureForms, ::testing::ValuesIn(kForms), [](const auto& test) {
  std::string name = test.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST_P(SharedPictureForms, AreFetchedToTheHost) {
  const auto [planes, noise, picture] = noise_picture(GetParam(), {131, 37});
  for (size_t i = 0; i < planes.size(); ++i) expect_samples(picture->planes()[i], noise, planes[i]);
  EXPECT_EQ(&picture->planes(), &picture->planes());
  EXPECT_EQ(picture->luma_size(), planes[0].size);
  const Frame rows = picture->luma_part({.rows = {36, 0, 7, 7}, .columns = {}});
  ASSERT_EQ(rows.luma().height(), 4);
  for (int i = 0; i < 4; ++i) {
    const SharedPlane row{
        .size = {131, 1},
        .offset_bytes = planes[0].stride_bytes * std::array{36, 0, 7, 7}[static_cast<size_t>(i)],
        .stride_bytes = planes[0].stride_bytes,
        .sample_bytes = planes[0].sample_bytes,
        .shift = planes[0].shift};
    if (rows.luma().is_u8()) {
      expect_samples<uint8_t>({rows.luma().u8.row(i), 131, 1, rows.luma().u8.stride}, noise, row);
    } else {
      expect_samples<uint16_t>({rows.luma().u16.row(i), 131, 1, rows.luma().u16.stride}, noise, row);
    }
  }
  EXPECT_EQ(picture->device(), test_device().get());
}

// Rows that came with the picture, which here differ from those on the device so that it shows where they are
// from.
TEST_P(SharedPictureForms, KnownRowsComeWithoutTheDevice) {
  const auto [planes, noise, picture] = noise_picture(GetParam(), {131, 37});
  const auto stride = static_cast<size_t>(planes[0].stride_bytes);
  std::vector<std::byte> known(2 * stride);
  for (size_t i = 0; i < known.size(); ++i) known[i] = static_cast<std::byte>(i * 7 + 1);
  picture->describe(planes, {.rows = {3, 30}, .samples = known});
  SharedPlane as_known = planes[0];
  as_known.size.height = 2;
  as_known.offset_bytes = 0;
  expect_samples(picture->luma_part({.rows = {3, 30}, .columns = {}}).luma(), known, as_known);
  as_known.offset_bytes = planes[0].stride_bytes;
  as_known.stride_bytes = -planes[0].stride_bytes;
  expect_samples(picture->luma_part({.rows = {30, 3}, .columns = {}}).luma(), known, as_known);
  SharedPlane on_device = planes[0];
  on_device.size.height = 2;
  on_device.offset_bytes += 3 * planes[0].stride_bytes;
  expect_samples(picture->luma_part({.rows = {3, 4}, .columns = {}}).luma(), noise, on_device);
  picture->describe(planes);
  on_device.stride_bytes *= 27;
  expect_samples(picture->luma_part({.rows = {3, 30}, .columns = {}}).luma(), noise, on_device);
}

// A picture that is read from its last sample to its first, or column by column.
enum class Order { kStored, kBackwards, kByColumns };
class InOrder final : public FrameMemory, public PictureSource {
 public:
  InOrder(std::shared_ptr<SharedPicture> picture, Order order)
      : picture_(std::move(picture)), order_(order) {}
  const void* device() const override { return picture_->device(); }
  const std::array<SampleView, kMaxPlanes>& planes() const override { return picture_->planes(); }
  PlaneSize luma_size() const override { return picture_->luma_size(); }
  Frame luma_part(const LumaLines& lines) const override { return picture_->luma_part(lines); }
  std::optional<PlaneSource> plane(const Frame& frame, int i) const override {
    PlaneSource source = picture_->plane(frame, i).value();
    const auto [width, height] = source.size;
    const int64_t stride = source.stride, step = source.step;
    if (order_ == Order::kBackwards) {
      source.offset += stride * (height - 1) + step * (width - 1);
      source.stride = -stride;
      source.step = -source.step;
    } else if (order_ == Order::kByColumns) {
      source.stride = step;
      source.step = static_cast<int>(stride);
    }
    return source;
  }

 private:
  const std::shared_ptr<SharedPicture> picture_;
  const Order order_;
};

class SharedPictureOrders : public ::testing::TestWithParam<std::tuple<Form, Order>> {};
INSTANTIATE_TEST_SUITE_P(All, SharedPictureOrders,
                         ::testing::Combine(::testing::ValuesIn(kForms),
                                            ::testing::Values(Order::kStored, Order::kBackwards,
                                                              Order::kByColumns)));

TEST_P(SharedPictureOrders, BecomePlanes) {
  const auto& [form, order] = GetParam();
  const bool is_backwards = order == Order::kBackwards, is_by_columns = order == Order::kByColumns;
  for (const PlaneSize luma : {PlaneSize{1, 1}, {2, 3}, {17, 5}, {63, 9}, {131, 37}, {1030, 4}}) {
    SCOPED_TRACE(std::to_string(luma.width) + "x" + std::to_string(luma.height));
    const auto [planes, noise, picture] = noise_picture(form, luma);
    const VideoFormat format{.name = "",
                             .width = is_by_columns ? luma.height : luma.width,
                             .height = is_by_columns ? luma.width : luma.height,
                             .bit_depth = form.bit_depth};
    DevicePicture target(test_device(), format, kMaxPlanes);
    Frame frame;
    frame.bit_depth = format.bit_depth;
    frame.place = std::make_shared<InOrder>(picture, order);
    const GatherPlanes gather(test_context(), format.bit_depth > 8 ? 2 : 1);
    ASSERT_TRUE(target.takes_at_once(frame, &gather));
    Recorder noise_first(test_device());
    for (int i = 0; i < target.count(); ++i) noise_first.fill(target.plane(i).buffer, 0xABABABAB);
    run(noise_first);
    Upload upload(test_device(), kMaxPlanes);
    upload.begin();
    target.upload(frame, upload, &gather);
    upload.submit();
    CommandList nothing = Recorder(test_device()).finish();
    nothing.submit({.behind = &upload});
    nothing.wait(vq::test::kTestTimeout);
    upload.finish();
    for (int i = 0; i < target.count(); ++i) {
      const SharedPlane& plane = planes[static_cast<size_t>(i)];
      const Buffer readback(test_device(), Memory::kReadback, target.plane(i).layout.bytes());
      Recorder back(test_device());
      back.copy(target.plane(i).buffer, readback);
      run(back);
      const int64_t stride = target.plane(i).layout.stride_bytes();
      const int width = target.plane(i).layout.width, height = target.plane(i).layout.height;
      ASSERT_EQ((is_by_columns ? PlaneSize{height, width} : PlaneSize{width, height}), plane.size);
      for (int y = 0; y < height; ++y) {
        const std::byte* const samples = readback.mapped() + stride * y;
        for (int x = 0; x < width; ++x) {
          unsigned value = static_cast<unsigned>(samples[x * plane.sample_bytes]);
          if (plane.sample_bytes == 2) value |= static_cast<unsigned>(samples[x * 2 + 1]) << 8;
          const int column = is_by_columns  ? y
                             : is_backwards ? width - 1 - x
                                            : x,
                    row = is_by_columns  ? x
                          : is_backwards ? height - 1 - y
                                         : y;
          ASSERT_EQ(value, sample_at(noise, plane, column, row)) << "plane " << i << ", " << x << ", " << y;
        }
      }
    }
  }
}

// What looks at samples on the host gets the same from a picture that it does not see.
TEST(SharedPicture, HasTheSignatureOfItsSamples) {
  for (const PlaneSize luma :
       {PlaneSize{64, 5}, {64, 8}, {64, 20}, {64, 32}, {65, 33}, {130, 100}, {131, 717}}) {
    for (const Form& form : {kForms[0], kForms[2]}) {
      const auto [planes, noise, picture] = noise_picture(form, luma);
      Frame frame;
      frame.bit_depth = form.bit_depth;
      frame.place = picture;
      ASSERT_FALSE(is_on_host(frame));
      const Frame seen = on_host(frame);
      ASSERT_TRUE(is_on_host(seen));
      EXPECT_EQ(signature_of(frame, Range::kLimited, signature::scalar::cell_sums),
                signature_of(seen, Range::kLimited, signature::scalar::cell_sums))
          << luma.width << "x" << luma.height;
    }
  }
}

TEST(SharedPicture, IsTakenOnlyForPlanesThatItHas) {
  SharedPictures pool(test_device(), kBudget);
  int64_t bytes = 0;
  const std::vector<SharedPlane> planes = lay_out(kForms[0], {32, 16}, &bytes);
  const std::shared_ptr<SharedPicture> picture = pool.take(bytes);
  Frame frame;
  frame.place = picture;
  EXPECT_FALSE(picture->plane(frame, 0)) << "nothing was written";
  picture->describe({planes[0]});
  EXPECT_TRUE(picture->plane(frame, 0));
  EXPECT_FALSE(picture->plane(frame, 1));
}

TEST(SharedPicture, IsHandedOutByADescriptorOfItsOwn) {
  ASSERT_TRUE(test_device()->can_share_memory());
  SharedPictures pool(test_device(), kBudget);
  const std::shared_ptr<SharedPicture> picture = pool.take(4096);
  const Buffer& block = picture->block().buffer();
  EXPECT_GE(block.allocated_bytes(), picture->buffer().offset() + 4096);
  const int first = block.export_memory(), second = block.export_memory();
  EXPECT_NE(first, second);
  for (const int descriptor : {first, second}) {
    EXPECT_NE(fcntl(descriptor, F_GETFD), -1);
    EXPECT_EQ(close(descriptor), 0);
  }
}

TEST(SharedPictures, LieBesideEachOtherInOneBlockAndComeBack) {
  auto pool = std::make_unique<SharedPictures>(test_device(), kBudget);
  std::shared_ptr<SharedPicture> first = pool->take(5000);
  const std::shared_ptr<SharedPicture> second = pool->take(5000);
  EXPECT_EQ(&first->block(), &second->block());
  EXPECT_EQ(first->block().picture_bytes(), 5000);
  EXPECT_EQ(first->number(), 0);
  EXPECT_EQ(second->number(), 1);
  EXPECT_EQ(first->buffer().bytes(), 5000);
  EXPECT_EQ(second->buffer().offset() % kPlaneAlignment, 0);
  EXPECT_GE(second->buffer().offset(), first->buffer().offset() + 5000);
  EXPECT_GE(first->block().buffer().bytes(), second->buffer().offset() + 5000);
  const SharedPicture* const piece = first.get();
  first.reset();
  first = pool->take(5000);
  EXPECT_EQ(first.get(), piece);
  pool.reset();
  EXPECT_EQ(first->buffer().bytes(), 5000) << "it outlives its pool";
}

TEST(SharedBlock, IsImportedOnceForEachUser) {
  const SharedBlock block(test_device(), 4096, 2);
  int made = 0;
  const auto make = [&made]() -> std::any { return ++made; };
  const int one = 0, other = 0;
  EXPECT_EQ(std::any_cast<int>(block.import(&one, make)), 1);
  EXPECT_EQ(std::any_cast<int>(block.import(&one, make)), 1);
  EXPECT_EQ(std::any_cast<int>(block.import(&other, make)), 2);
}

TEST(SharedPictures, AreNoMoreThanTheBudget) {
  SharedPictures pool(test_device(), 8192);
  std::shared_ptr<SharedPicture> first = pool.take(4096);
  const std::shared_ptr<SharedPicture> second = pool.take(4096);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(pool.take(4096), nullptr);
  first.reset();
  EXPECT_EQ(pool.take(8192), nullptr) << "the second is still out";
  EXPECT_NE(pool.take(2048), nullptr) << "what was free was of another size, and is given up";
}

TEST(SharedPictures, AreRefusedWhereTheDeviceHasNoMemory) {
  bool refuse = false;
  const auto hook = [&refuse](Call call) { return refuse && call == Call::kAllocateMemory ? -2 : 0; };
  SharedPictures pool(Device::open(test_options(Validation::kOff), hook), 8192);
  refuse = true;
  EXPECT_EQ(pool.take(4096), nullptr);
  refuse = false;
  const auto first = pool.take(4096), second = pool.take(4096);
  EXPECT_TRUE(first && second) << "what was refused is not counted";
}

}  // namespace
}  // namespace vq::vulkan
