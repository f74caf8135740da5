// context_soak contexts N | seconds N: opens and closes contexts of both libraries in one process, with
// features, models, sizes and threads at random, several at a time, finished or left unfinished. Fails where
// memory, descriptors or threads grow. CAMBI_BACKEND chooses the backend of both.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <libvmaf/libvmaf.h>

#include "include/cambi/cambi.h"

namespace {

using Random = std::mt19937;

struct Shape {
  unsigned width, height, bits;
};
// Few, so that memory that is kept for the next picture is soon all there.
constexpr Shape kShapes[] = {{232, 216, 8}, {320, 180, 10}, {241, 217, 8}, {352, 288, 12}};
constexpr const char* kFeatures[] = {"psnr", "motion", "float_ssim", "vif",
                                     "adm",  "ciede",  "cambi",      "psnr_hvs"};
constexpr const char* kModels[] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_v1.0.16_3d0h"};

unsigned below(Random& random, size_t limit) { return static_cast<unsigned>(random() % limit); }

template <size_t n, typename T>
const T& one_of(Random& random, const T (&all)[n]) {
  return all[below(random, n)];
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "context_soak: %s\n", what.c_str());
  std::exit(1);
}

void check(bool holds, const char* what) {
  if (!holds) fail(std::string(what) + " failed: " + cambi_error());
}

void draw(void* data, size_t stride, const Shape& shape, unsigned seed) {
  const unsigned shift = shape.bits - 8;
  for (unsigned y = 0; y < shape.height; ++y) {
    auto* const row = static_cast<unsigned char*>(data) + stride * y;
    for (unsigned x = 0; x < shape.width; ++x) {
      const unsigned sample = (x + y / 2 + seed * 3) / 4 % 200 + 16;
      if (shift == 0) {
        row[x] = static_cast<unsigned char>(sample);
      } else {
        reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample << shift);
      }
    }
  }
}

VmafPicture picture_of(const Shape& shape) {
  VmafPicture picture;
  check(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, shape.bits, shape.width, shape.height) == 0,
        "allocating a picture");
  return picture;
}

void read_pair(VmafContext* context, const Shape& shape, unsigned index) {
  VmafPicture pictures[] = {picture_of(shape), picture_of(shape)};
  for (VmafPicture& picture : pictures)
    draw(picture.data[0], static_cast<size_t>(picture.stride[0]), shape, index + (&picture == pictures));
  // Some features refuse some depths: then the pictures are still ours.
  if (vmaf_read_pictures(context, &pictures[0], &pictures[1], index) == 0) return;
  for (VmafPicture& picture : pictures) check(vmaf_picture_unref(&picture) == 0, "giving a picture back");
}

void use_libvmaf(Random& random) {
  VmafConfiguration configuration = {};
  configuration.log_level = VMAF_LOG_LEVEL_NONE;
  configuration.n_threads = below(random, 4);
  configuration.n_subsample = below(random, 3);
  VmafContext* context = nullptr;
  check(vmaf_init(&context, configuration) == 0, "opening a context");
  VmafModel* model = nullptr;
  if (below(random, 3) == 0) {
    check(vmaf_model_load(&model, nullptr, one_of(random, kModels)) == 0, "loading a model");
    check(vmaf_use_features_from_model(context, model) == 0, "using a model");
  }
  for (unsigned i = below(random, 3); i > 0; --i)
    check(vmaf_use_feature(context, one_of(random, kFeatures), nullptr) == 0, "using a feature");
  const Shape& shape = one_of(random, kShapes);
  const unsigned frames = below(random, 5);
  for (unsigned index = 0; index < frames; ++index) read_pair(context, shape, index);
  if (below(random, 3) != 0) vmaf_read_pictures(context, nullptr, nullptr, 0);
  double score = 0;
  if (model != nullptr) vmaf_score_pooled(context, model, VMAF_POOL_METHOD_MEAN, &score, 0, frames);
  if (below(random, 2) == 0) vmaf_model_destroy(std::exchange(model, nullptr));
  check(vmaf_close(context) == 0, "closing a context");
  vmaf_model_destroy(model);
}

void use_libcambi(Random& random) {
  CambiOptions options = {};
  options.size = sizeof options;
  options.threads = 1 + static_cast<int>(below(random, 3));
  options.backend = std::getenv("CAMBI_BACKEND");
  CambiContext* context = nullptr;
  CambiRun* run = nullptr;
  check(cambi_open(&options, &context) == CAMBI_OK, "opening a context");
  check(cambi_run_open(context, nullptr, &run) == CAMBI_OK, "opening a run");
  if (below(random, 3) == 0) {
    const std::string model = std::string("version=") + one_of(random, kModels);
    check(cambi_run_add_model(run, model.c_str()) == CAMBI_OK, "adding a model");
  }
  cambi_run_add_feature(run, one_of(random, kFeatures));
  const Shape& shape = one_of(random, kShapes);
  const size_t stride = shape.width * size_t{2};
  std::vector<unsigned char> luma(stride * shape.height), chroma(stride * shape.height, 1);
  CambiPicture picture = {};
  picture.size = sizeof picture;
  picture.width = static_cast<int>(shape.width);
  picture.height = static_cast<int>(shape.height);
  picture.bit_depth = static_cast<int>(shape.bits);
  for (int plane = 0; plane < 3; ++plane) {
    picture.planes[plane] = plane == 0 ? luma.data() : chroma.data();
    picture.strides[plane] = static_cast<ptrdiff_t>(stride);
  }
  for (unsigned i = below(random, 5); i > 0; --i) {
    draw(luma.data(), stride, shape, i);
    (void)cambi_run_push(run, &picture, &picture);
  }
  if (below(random, 3) != 0) (void)cambi_run_finish(run);
  if (below(random, 2) == 0) cambi_close(std::exchange(context, nullptr));
  cambi_run_close(run);
  cambi_close(context);
}

size_t entries_of(const char* folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

struct Measure {
  const char* name;
  size_t margin;  // of a heap that breathes
};
constexpr Measure kMeasures[] = {
    {"bytes allocated", 1'000'000}, {"bytes resident", 24'000'000}, {"descriptors", 0}, {"threads", 0}};
using Use = std::array<size_t, std::size(kMeasures)>;

// Of the process, while no context is open. Devices stay open for some seconds after the last.
Use use_now() {
  constexpr int kMostWaits = 100;
  for (int i = 0; i < kMostWaits && entries_of("/proc/self/task") > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {heap.uordblks + heap.hblkhd, resident * 4096, entries_of("/proc/self/fd"),
          entries_of("/proc/self/task")};
}

void print(uint64_t contexts, const Use& use) {
  std::cout << contexts << " contexts:";
  for (size_t i = 0; i < use.size(); ++i) std::cout << " " << use[i] << " " << kMeasures[i].name;
  std::cout << std::endl;
}

// The library keeps the memory of pictures for the next: more of it than contexts need at a time.
void fill_picture_cache() {
  constexpr size_t kPictures = 40;
  for (const Shape& shape : kShapes) {
    std::vector<VmafPicture> pictures;
    while (pictures.size() < kPictures) pictures.push_back(picture_of(shape));
    for (VmafPicture& picture : pictures) vmaf_picture_unref(&picture);
  }
}

// Three threads at a time, each with contexts of its own.
void use_contexts(unsigned count, unsigned seed) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i) {
    threads.emplace_back([=] {
      Random random(seed * 3 + i);
      for (unsigned k = i; k < count; k += 3)
        below(random, 2) == 0 ? use_libvmaf(random) : use_libcambi(random);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

constexpr size_t kLeastUses = 5;

// What is in use after each batch, until that number of contexts was made or that time has passed.
std::vector<Use> soak(uint64_t contexts, uint64_t seconds) {
  constexpr uint64_t kBatches = 50;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const uint64_t batch = contexts > 0 ? std::max<uint64_t>(1, contexts / kBatches) : 30;
  std::vector<Use> uses;
  fill_picture_cache();
  const auto goes_on = [&](uint64_t done) {
    if (contexts > 0) return done < contexts;
    return uses.size() < kLeastUses || std::chrono::steady_clock::now() < end;
  };
  for (uint64_t done = 0; goes_on(done);) {
    use_contexts(static_cast<unsigned>(batch), static_cast<unsigned>(done));
    done += batch;
    uses.push_back(use_now());
    print(done, uses.back());
  }
  return uses;
}

// What is there after the first fifth is all there will be, but for the margins.
void judge(const std::vector<Use>& uses) {
  if (uses.size() < kLeastUses) fail("too few contexts for a judgement");
  for (size_t i = 0; i < std::size(kMeasures); ++i) {
    size_t most = 0;
    for (size_t early = 0; early <= uses.size() / 5; ++early) most = std::max(most, uses[early][i]);
    if (uses.back()[i] > most + kMeasures[i].margin) fail(std::string(kMeasures[i].name) + " grow");
  }
}

}  // namespace

int main(int count, char** arguments) {
  const uint64_t limit = count == 3 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  const bool counts = count == 3 && std::strcmp(arguments[1], "contexts") == 0;
  if (limit == 0 || (!counts && std::strcmp(arguments[1], "seconds") != 0)) {
    std::fprintf(stderr, "usage: context_soak contexts N | seconds N\n");
    return 2;
  }
  judge(soak(counts ? limit : 0, counts ? 0 : limit));
  return 0;
}
