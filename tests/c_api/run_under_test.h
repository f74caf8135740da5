// A context and a run that are closed with the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "include/cambi/cambi.h"
#include "tests/c_api/pictures.h"

namespace vq::test {

class RunUnderTest {
 public:
  explicit RunUnderTest(CambiOptions options = {.size = sizeof(CambiOptions), .threads = 1, .backend = "cpu"},
                        CambiRunOptions run_options = {.size = sizeof(CambiRunOptions)}) {
    EXPECT_EQ(cambi_open(&options, &context_), CAMBI_OK) << cambi_error();
    EXPECT_EQ(cambi_run_open(context_, &run_options, &run_), CAMBI_OK) << cambi_error();
  }
  ~RunUnderTest() {
    cambi_run_close(run_);
    cambi_close(context_);
  }
  RunUnderTest(const RunUnderTest&) = delete;
  RunUnderTest& operator=(const RunUnderTest&) = delete;

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
    const auto append = [](void* user, const char* piece, size_t bytes) {
      static_cast<std::string*>(user)->append(piece, bytes);
      return 0;
    };
    EXPECT_EQ(cambi_run_write(run_, format, append, &text), CAMBI_OK) << cambi_error();
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
