#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {

const std::vector<Implementation>& cpu_implementations() {
  static const std::vector<Implementation> kAll =
      vq::test::all_implementations(scalar::kStages, simd::stages_for);
  return kAll;
}

ExactSum sorted_sum(CValuesIn values, int64_t count) {
  std::vector<float> sorted;
  for (int y = 0; y < values.height; ++y)
    sorted.insert(sorted.end(), values.row(y), values.row(y) + values.width);
  std::ranges::sort(sorted, std::greater<>());
  ExactSum sum = 0;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    sum += static_cast<uint64_t>(std::ldexp(static_cast<double>(sorted[i]), kSumFractionBits));
  return sum;
}

CambiPlan make_test_plan(Size size, int window, int log_contrast) {
  // A real plan gives the tables; only what depends on the picture's size is put in place of its own.
  CambiOptions options;
  options.max_log_contrast = log_contrast;
  VideoFormats formats;
  formats.distorted.width = formats.distorted.height = 256;
  CambiPlan plan = make_plans(options, formats).distorted;
  plan.width = plan.input_width = size.width;
  plan.height = plan.input_height = size.height;
  plan.window = window;
  plan.half_window = window >> 1;
  plan.reciprocals = make_reciprocals(window);
  plan.scales[0] = {size.width, size.height, static_cast<int64_t>(size.width) * size.height, 16};
  return plan;
}

CambiPlan preprocess_plan(Size input, Size encode, int depth, int encode_depth) {
  CambiPlan plan = make_test_plan(encode, 9, 2);
  plan.input_width = input.width;
  plan.input_height = input.height;
  plan.input_depth = depth;
  plan.anti_dither = encode_depth < 10;
  if (input.width != encode.width || input.height != encode.height) {
    for (int x = 0; x < encode.width; ++x) plan.source_columns.push_back(x * input.width / encode.width);
    for (int y = 0; y < encode.height; ++y) plan.source_rows.push_back(y * input.height / encode.height);
  }
  return plan;
}

}  // namespace vq::cambi::test
