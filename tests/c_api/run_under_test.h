// A context and a run that are closed with the test.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "include/cambi/cambi.h"

namespace vq::test {

// Pictures for calls of the C library.

struct PictureShape {
  int width = 320, height = 240, bit_depth = 8;
  CambiChroma chroma = CAMBI_420;
};

inline constexpr PictureShape kShape = {};

inline int chroma_width(const PictureShape& shape) {
  const bool is_halved = shape.chroma == CAMBI_420 || shape.chroma == CAMBI_422;
  return is_halved ? (shape.width + 1) / 2 : shape.width;
}
inline int chroma_height(const PictureShape& shape) {
  const bool is_halved = shape.chroma == CAMBI_420 || shape.chroma == CAMBI_440;
  return is_halved ? (shape.height + 1) / 2 : shape.height;
}

// Bands under a little noise that moves from frame to frame. The samples lie in `samples`, without padding.
class TestPicture {
 public:
  TestPicture(const PictureShape& shape, int frame, int noise, uint32_t seed = 1) : shape_(shape) {
    std::mt19937 random(seed * 1000 + static_cast<uint32_t>(frame));
    const int planes = shape.chroma == CAMBI_400 ? 1 : 3;
    const int top = (1 << shape.bit_depth) - 1;
    for (int p = 0; p < planes; ++p) {
      const int width = p == 0 ? shape.width : chroma_width(shape),
                height = p == 0 ? shape.height : chroma_height(shape);
      offsets_[p] = samples_.size();
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const int level = (x / 16 + y / 8 + frame * (p + 1)) % 100 + 60;
          const int shaken = level + static_cast<int>(random() % static_cast<uint32_t>(noise + 1));
          put(std::min(top, shaken << (shape.bit_depth - 8)));
        }
      }
    }
  }

  // Views that the library copies from, as there is no release function.
  CambiPicture picture() const {
    CambiPicture picture = {};
    picture.size = sizeof picture;
    picture.width = shape_.width;
    picture.height = shape_.height;
    picture.bit_depth = shape_.bit_depth;
    picture.chroma = shape_.chroma;
    for (int p = 0; p < planes(); ++p) {
      picture.planes[p] = samples_.data() + offsets_[p];
      picture.strides[p] = row_bytes(p);
    }
    return picture;
  }

  int planes() const { return shape_.chroma == CAMBI_400 ? 1 : 3; }
  int rows(int plane) const { return plane == 0 ? shape_.height : chroma_height(shape_); }
  int row_bytes(int plane) const {
    return (plane == 0 ? shape_.width : chroma_width(shape_)) * (shape_.bit_depth > 8 ? 2 : 1);
  }
  const std::vector<uint8_t>& samples() const { return samples_; }

 private:
  void put(int sample) {
    samples_.push_back(static_cast<uint8_t>(sample & 0xFF));
    if (shape_.bit_depth > 8) samples_.push_back(static_cast<uint8_t>(sample >> 8));
  }

  PictureShape shape_;
  std::vector<uint8_t> samples_;
  size_t offsets_[3] = {};
};

// A CambiWrite that appends to the std::string which it is given.
inline int append_text(void* text, const char* piece, size_t bytes) {
  static_cast<std::string*>(text)->append(piece, bytes);
  return 0;
}

inline constexpr CambiOptions kOneThread = {.size = sizeof(CambiOptions), .threads = 1, .backend = "cpu"};

class RunUnderTest {
 public:
  // Sizes of options are filled in.
  explicit RunUnderTest(CambiOptions options = kOneThread, CambiRunOptions run_options = {}) {
    options.size = sizeof options;
    run_options.size = sizeof run_options;
    EXPECT_EQ(cambi_open(&options, &context_), CAMBI_OK) << cambi_error();
    EXPECT_EQ(cambi_run_open(context_, &run_options, &run_), CAMBI_OK) << cambi_error();
  }
  explicit RunUnderTest(CambiRunOptions run_options) : RunUnderTest(kOneThread, run_options) {}
  ~RunUnderTest() {
    cambi_run_close(run_);
    cambi_close(context_);
  }
  RunUnderTest& operator=(RunUnderTest&&) = delete;

  operator CambiRun*() const { return run_; }
  CambiContext* context() const { return context_; }

  RunUnderTest& feature(const char* spec) {
    EXPECT_EQ(cambi_run_add_feature(run_, spec), CAMBI_OK) << cambi_error();
    return *this;
  }
  RunUnderTest& model(const char* spec) {
    EXPECT_EQ(cambi_run_add_model(run_, spec), CAMBI_OK) << cambi_error();
    return *this;
  }
  // Frames `first` to `last` of a pair.
  void push(const PictureShape& shape, int first, int last) {
    for (int i = first; i <= last; ++i) {
      const TestPicture distorted(shape, i, 3), reference(shape, i, 1);
      const CambiPicture one = distorted.picture(), other = reference.picture();
      ASSERT_EQ(cambi_run_push(run_, &one, &other), CAMBI_OK) << cambi_error();
    }
  }
  void finish() { ASSERT_EQ(cambi_run_finish(run_), CAMBI_OK) << cambi_error(); }

  std::vector<double> scores(const char* metric) {
    int64_t rows = 0;
    EXPECT_EQ(cambi_run_progress(run_, nullptr, &rows), CAMBI_OK);
    std::vector<double> scores(static_cast<size_t>(rows));
    EXPECT_EQ(cambi_run_scores(run_, metric, 0, rows, scores.data()), CAMBI_OK) << cambi_error();
    return scores;
  }
  std::vector<std::string> metrics() {
    std::vector<std::string> names;
    CambiMetric metric = {.size = sizeof metric};
    while (cambi_run_metric(run_, names.size(), &metric) == CAMBI_OK) names.emplace_back(metric.name);
    return names;
  }
  std::string report(CambiFormat format) {
    std::string text;
    EXPECT_EQ(cambi_run_write(run_, format, append_text, &text), CAMBI_OK) << cambi_error();
    return text;
  }

 private:
  CambiContext* context_ = nullptr;
  CambiRun* run_ = nullptr;
};

inline size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

// A name of each feature with which all its planes and stages are looked at.
inline const char* const kAllFeatures[] = {
    "cambi",        "cambi=full_ref=true", "psnr",   "psnr_hvs",  "ciede",
    "float_ssim",   "float_ms_ssim",       "vif",    "adm",       "motion",
    "speed_chroma", "speed_temporal",      "bounds", "histogram", "fingerprint",
    "xpsnr"};

}  // namespace vq::test
