// Golden files: videos, a feature with options, and the figures that its reference implementation finds.
#pragma once

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

#include "tests/support/report_test.h"

namespace vq::cli::test {

// The file's cases of the feature, in its order; a case that names no feature is of any. Throws if there is
// none.
json golden_cases(const std::string& path, const std::string& feature);

// As --feature takes it: "psnr=enable_mse=true:min_sse=0.5".
std::string feature_text(const json& golden);

// Null stands for what is not finite; all else must be equal as numbers, whether written as integers or not,
// or differ by no more than a tolerance and a share of the expected value.
void expect_same(const json& actual, const json& expected, const std::string& where, double tolerance = 0,
                 double share = 0);

// How a run computes.
struct GoldenWay {
  std::string backend;
  uint32_t cpumask = 0;
};
// The scalar backend, and the CPU's best of every group of instruction sets that --cpumask tells apart.
std::vector<GoldenWay> host_ways();
inline std::vector<GoldenWay> device_ways() { return {{"hybrid"}, {"vulkan"}}; }

// Numbers of some of the cases.
using GoldenChoice = std::function<std::vector<size_t>(const json& cases)>;
GoldenChoice numbered(std::vector<size_t> numbers);
GoldenChoice those(std::function<bool(const json& golden)> is_wanted);
GoldenChoice all_cases();
// By the samples of a frame.
GoldenChoice up_to(int64_t samples);
GoldenChoice larger_than(int64_t samples);

struct GoldenTest {
  std::string name, feature;
  GoldenChoice choice;
  std::vector<GoldenWay> ways;  // Butteraugli's must find the same
};

class GoldenTests : public ::testing::TestWithParam<GoldenTest> {
 protected:
  // Fails unless the chosen cases have the file's figures, computed in each way.
  static void expect_reference();
};
inline std::string name_of(const ::testing::TestParamInfo<GoldenTest>& test) { return test.param.name; }

// SHA-256 sums, as golden files have them.

// In hexadecimal digits.
inline std::string sha256_of(std::string_view bytes) {
  AVSHA* sha = av_sha_alloc();
  av_sha_init(sha, 256);
  av_sha_update(sha, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  uint8_t digest[32];
  av_sha_final(sha, digest);
  av_free(sha);
  std::string text;
  for (const uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

}  // namespace vq::cli::test
