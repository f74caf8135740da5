// How long devices stay open, on any Vulkan device.
#include <dlfcn.h>
#include <libvmaf/libvmaf_cuda.h>
#include <sys/wait.h>

#include "tests/libvmaf/client.h"
#include "tests/support/leaving_driver.h"

namespace client {
namespace {

// Whether some device is open: Vulkan's loader goes with the last.
bool has_device() {
  std::ifstream file("/proc/self/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return maps.find("libvulkan.so") != std::string::npos;
}

int score_on(const char* backend) {
  setenv("CAMBI_BACKEND", backend, 1);
  const Context context = open();
  EXPECT_EQ(use(context, "psnr"), 0);
  const int result = read(context, {}, 0);
  unsetenv("CAMBI_BACKEND");
  return result == 0 ? flush(context) : result;
}

TEST(LibvmafDevicesOnDevice, StayForSomeSeconds) {
  using Clock = std::chrono::steady_clock;
  ASSERT_EQ(score_on("vulkan"), 0);
  const Clock::time_point closed = Clock::now();
  VmafPicture kept = alloc({});  // memory of the host
  EXPECT_TRUE(has_device());
  ASSERT_EQ(score_on("vulkan"), 0);
  while (has_device() && Clock::now() - closed < std::chrono::seconds(60))
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(has_device());
  EXPECT_GT(Clock::now() - closed, std::chrono::seconds(4));
  EXPECT_EQ(vmaf_picture_unref(&kept), 0);
  ASSERT_EQ(score_on("vulkan"), 0);  // opened anew
  EXPECT_TRUE(has_device());
}

TEST(LibvmafDevicesOnDevice, AreTheParentsAfterAFork) {
  ASSERT_EQ(score_on("vulkan"), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_right = score_on("vulkan") == -EINVAL && score_on("cpu") == 0;
    _exit(is_right ? 0 : 1);  // the driver's exit handlers are the parent's
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// In a process of its own.
TEST(LibvmafDevicesOnDeviceDeathTest, MayBeOpenWhenTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(score_on("vulkan")), testing::ExitedWithCode(0), "");
  const auto with_a_context = [] {
    setenv("CAMBI_BACKEND", "vulkan", 1);
    Context context = open(2);
    use(context, "psnr");
    const int result = read(context, {}, 0);
    (void)context.release();
    std::exit(result);
  };
  EXPECT_EXIT(with_a_context(), testing::ExitedWithCode(0), "");
}

// Pictures in CUDA's memory, filled as FFmpeg's filter libvmaf_cuda fills them. Without a device of CUDA the
// functions say so; with one, scores are those of pictures on the host.

// CUDA's calls that a client needs.
class Cuda {
 public:
  // Null where there is no device.
  static std::unique_ptr<Cuda> open() {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == nullptr) return nullptr;
    auto made = std::unique_ptr<Cuda>(new Cuda(library));
    int device = 0;
    const bool is_open = made->call("cuInit", 0U) == 0 && made->call("cuDeviceGet", &device, 0) == 0 &&
                         made->call("cuCtxCreate_v2", &made->context_, 0U, device) == 0;
    return is_open ? std::move(made) : nullptr;
  }
  ~Cuda() { call("cuCtxDestroy_v2", context_); }
  Cuda& operator=(Cuda&&) = delete;

  void* context() const { return context_; }

  // Row by row, as the filter copies from a decoder's surface in one call.
  void copy(const VmafPicture& from, const VmafPicture& to, int planes) const {
    ASSERT_EQ(call("cuCtxPushCurrent_v2", context_), 0);
    for (int plane = 0; plane < planes && from.data[plane] != nullptr; ++plane) {
      const size_t bytes = size_t{from.w[plane]} * (from.bpc > 8 ? 2 : 1);
      for (unsigned y = 0; y < from.h[plane]; ++y) {
        const auto* const row = static_cast<const char*>(from.data[plane]) + from.stride[plane] * y;
        const auto address =
            reinterpret_cast<uint64_t>(to.data[plane]) + static_cast<uint64_t>(to.stride[plane]) * y;
        ASSERT_EQ(call("cuMemcpyHtoD_v2", address, static_cast<const void*>(row), bytes), 0);
      }
    }
    void* ignored = nullptr;
    ASSERT_EQ(call("cuCtxPopCurrent_v2", &ignored), 0);
  }

 private:
  explicit Cuda(void* library) : library_(library) {}

  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    using Function = int(Arguments...);
    return reinterpret_cast<Function*>(dlsym(library_, name))(arguments...);
  }

  void* const library_;
  void* context_ = nullptr;
};

class LibvmafCudaOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    cuda_ = Cuda::open();
    if (cuda_ == nullptr) GTEST_SKIP() << "CUDA has no device";
  }

  // What the filter does before the first frame.
  void import_into(const Context& context, const Shape& shape) const {
    VmafCudaState* state = nullptr;
    ASSERT_EQ(vmaf_cuda_state_init(&state, {cuda_->context()}), 0);
    ASSERT_EQ(vmaf_cuda_import_state(context.get(), state), 0);
    const VmafCudaPictureConfiguration pictures = {{shape.width, shape.height, shape.bits, shape.format},
                                                   VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE};
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(context.get(), pictures), 0);
  }

  VmafPicture filled(const Context& context, const Shape& shape, unsigned time, unsigned strength,
                     int planes) const {
    VmafPicture host = alloc(shape), picture;
    draw(host, time, strength);
    EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(context.get(), &picture), 0);
    cuda_->copy(host, picture, planes);
    vmaf_picture_unref(&host);
    return picture;
  }

  void feed_from_device(const Context& context, const Shape& shape, unsigned frames, int planes) const {
    import_into(context, shape);
    for (unsigned index = 0; index < frames; ++index) {
      VmafPicture reference = filled(context, shape, index, 0, planes);
      VmafPicture distorted = filled(context, shape, index, 13, planes);
      ASSERT_EQ(vmaf_read_pictures(context.get(), &reference, &distorted, index), 0);
    }
    ASSERT_EQ(flush(context), 0);
  }

  static std::vector<double> scores(const Context& context, const Model& model, unsigned frames) {
    std::vector<double> found;
    for (unsigned index = 0; index < frames; ++index)
      found.push_back(score(context, model, index).value_or(-1));
    return found;
  }

  std::unique_ptr<Cuda> cuda_;
};

constexpr unsigned kFrames = 12;

TEST_F(LibvmafCudaOnDevice, PicturesScoreAsThoseOfTheHost) {
  for (const Shape& shape : {Shape{}, Shape{VMAF_PIX_FMT_YUV420P, 10, 1280, 720},
                             Shape{VMAF_PIX_FMT_YUV444P, 16, 641, 361}, Shape{VMAF_PIX_FMT_YUV400P, 8}}) {
    const bool has_chroma = shape.format != VMAF_PIX_FMT_YUV400P;
    const Model model = load(has_chroma && shape.bits < 16 ? "vmaf_v1.0.16_3d0h" : "vmaf_v0.6.1");
    const Context host = open_with(model), device = open_with(model);
    feed(host, shape, kFrames);
    feed_from_device(device, shape, kFrames, 3);
    EXPECT_EQ(scores(device, model, kFrames), scores(host, model, kFrames)) << shape.bits << " bits";
  }
}

// As the filter leaves them.
TEST_F(LibvmafCudaOnDevice, PlanesThatNobodyFilledAreZero) {
  const Model model = load("vmaf_v0.6.1");
  const Context host = open_with(model), device = open_with(model);
  for (const Context* const context : {&host, &device}) ASSERT_EQ(use(*context, "psnr"), 0);
  feed(host, {}, kFrames);
  feed_from_device(device, {}, kFrames, 1);
  EXPECT_EQ(scores(device, model, kFrames), scores(host, model, kFrames));
  for (unsigned index = 0; index < kFrames; ++index) {
    EXPECT_EQ(score(device, "psnr_y", index), score(host, "psnr_y", index));
    EXPECT_EQ(score(device, "psnr_cb", index), 60);  // equal planes
  }
}

TEST_F(LibvmafCudaOnDevice, TheCpuScoresThemWhereItIsAskedFor) {
  ASSERT_EQ(setenv("CAMBI_BACKEND", "cpu", 1), 0);
  const Model model = load("vmaf_v0.6.1");
  const Context host = open_with(model), device = open_with(model);
  feed(host, {}, kFrames);
  feed_from_device(device, {}, kFrames, 3);
  EXPECT_EQ(unsetenv("CAMBI_BACKEND"), 0);
  EXPECT_EQ(scores(device, model, kFrames), scores(host, model, kFrames));
}

TEST_F(LibvmafCudaOnDevice, ContextsShareAStateAndMayEndWithoutReading) {
  for (int i = 0; i < 3; ++i) {
    const Context context = open();
    ASSERT_EQ(use(context, "psnr"), 0);
    import_into(context, {});
    VmafPicture unread;
    ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(context.get(), &unread), 0);
    EXPECT_EQ(vmaf_picture_unref(&unread), 0);
  }
}

TEST(LibvmafCuda, IsRefusedWhereThereIsNoDevice) {
  if (Cuda::open() != nullptr) GTEST_SKIP() << "CUDA has a device";
  VmafCudaState* state = reinterpret_cast<VmafCudaState*>(&state);
  EXPECT_EQ(vmaf_cuda_state_init(&state, {nullptr}), -ENOSYS);
  EXPECT_EQ(state, nullptr);
  EXPECT_EQ(vmaf_cuda_state_init(nullptr, {nullptr}), -EINVAL);
  const Context context = open();
  EXPECT_EQ(vmaf_cuda_import_state(context.get(), nullptr), -EINVAL);
  EXPECT_EQ(vmaf_cuda_preallocate_pictures(context.get(), {}), -EINVAL);
  VmafPicture picture;
  EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(context.get(), &picture), -EINVAL);
}

// The process ends while contexts score on a Vulkan device, which is any.

using vq::test::end_soon;
using vq::test::LeavingDriver;

constexpr unsigned kNoPicture = ~0U;

std::atomic<unsigned> told = 0;

void wait_for_a_score(std::chrono::milliseconds more) {
  while (told == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(more);
}

// One that counts its scores, and ends the process in the callback for a picture.
Context open_counting(unsigned last_picture) {
  setenv("CAMBI_BACKEND", "vulkan", 1);
  Context context = open(2);
  static unsigned last = kNoPicture;
  last = last_picture;
  static char name[] = "psnr_y";
  const auto count = [](void*, Metadata* score) {
    ++told;
    if (score->picture_index == last) end_soon();
  };
  if (vmaf_register_metadata_handler(context.get(), {name, count, nullptr}) != 0) std::abort();
  use(context, "psnr");
  return context;
}

template <typename Condition>
void read_while(const Context& context, Condition condition) {
  for (unsigned index = 0; condition(); ++index) {
    if (read(context, {}, index) != 0) break;
  }
}

void read_on(const Context& context) {
  read_while(context, [] { return true; });
  for (;;) pause();
}

void exit_from_main(std::chrono::milliseconds moment) {
  const Context context = open_counting(kNoPicture);
  std::thread([&context] { read_on(context); }).detach();
  wait_for_a_score(moment);
  end_soon();
}

void exit_from_another_thread(std::chrono::milliseconds moment) {
  const Context context = open_counting(kNoPicture);
  std::thread([moment] {
    wait_for_a_score(moment);
    end_soon();
  }).detach();
  read_on(context);
}

void exit_in_a_callback(unsigned picture) { read_on(open_counting(picture)); }

// Its destructor runs when the driver has left.
void exit_before_a_context_is_closed(std::chrono::milliseconds moment) {
  static Context context;
  context = open_counting(kNoPicture);
  std::atomic<bool> is_over = false;
  std::thread timer([&] {
    wait_for_a_score(moment);
    is_over = true;
  });
  read_while(context, [&] { return !is_over; });
  timer.join();
  end_soon();
}

class LibvmafExitOnDeviceDeathTest : public vq::test::EndingDeathTest {};

constexpr std::chrono::milliseconds kMoments[] = {std::chrono::milliseconds(0), std::chrono::milliseconds(7),
                                                  std::chrono::milliseconds(30),
                                                  std::chrono::milliseconds(71)};

TEST_F(LibvmafExitOnDeviceDeathTest, LeavesTheDriverAlone) {
  for (const char* call : {"vkCreateInstance", "vkCreateDevice", "vkCreateComputePipelines"}) {
    const LeavingDriver driver(call);
    for (const std::chrono::milliseconds moment : kMoments)
      EXPECT_EXIT(exit_from_main(moment), is_in_order_, "") << call << ' ' << moment.count();
  }
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayComeFromAnyThread) {
  const LeavingDriver driver("vkCreateComputePipelines");
  for (const std::chrono::milliseconds moment : kMoments)
    EXPECT_EXIT(exit_from_another_thread(moment), is_in_order_, "") << moment.count();
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayComeFromACallback) {
  const LeavingDriver driver("vkCreateComputePipelines");
  for (const unsigned picture : {0U, 1U, 20U})
    EXPECT_EXIT(exit_in_a_callback(picture), is_in_order_, "") << picture;
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayCloseAContextAtLast) {
  const LeavingDriver driver("vkCreateComputePipelines");
  for (const std::chrono::milliseconds moment : {kMoments[0], kMoments[2]})
    EXPECT_EXIT(exit_before_a_context_is_closed(moment), is_in_order_, "") << moment.count();
}

}  // namespace

}  // namespace client
