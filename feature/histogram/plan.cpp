#include "feature/histogram/plan.h"

#include <cmath>

#include "core/error.h"

namespace vq::histogram {
namespace {

constexpr int kBytesBins = 256;
// From these sides on a video that names no matrix is taken for HD. Either is enough: wide pictures have
// fewer rows.
constexpr int kHdWidth = 1280, kHdHeight = 720;

// The limits of limited range at 8 bits (ITU-R BT.601, BT.709, BT.2100).
constexpr int kBlack = 16, kWhite = 235, kChromaTop = 240;

// The shares of R and B in luma: ITU-R BT.601, BT.709, BT.2020, 47 CFR 73.682 and SMPTE 240M.
struct LumaShares {
  double red, blue;
};
LumaShares luma_shares(Matrix matrix) {
  switch (matrix) {
    case Matrix::kBt601:
      return {0.299, 0.114};
    case Matrix::kFcc:
      return {0.30, 0.11};
    case Matrix::kSmpte240:
      return {0.212, 0.087};
    case Matrix::kBt2020:
      return {0.2627, 0.0593};
    case Matrix::kBt709:
    case Matrix::kUnspecified:
    case Matrix::kOther:
      break;
  }
  return {0.2126, 0.0722};
}

int32_t fixed(double coefficient) {
  return static_cast<int32_t>(std::lround(coefficient * (1 << kFractionBits)));
}

bool is_full(Range range) {
  return range == Range::kFull;
}

BinRule bin_rule(const HistogramOptions& options, int bit_depth) {
  if (options.bins == kBytesBins) return {kBytesBins, static_cast<uint32_t>(bit_depth - 8)};
  return {1U << bit_depth, 0};
}

// Bins are those of code values, or of 8 bits.
Channel channel_of(std::string_view name, const BinRule& rule, bool is_limited) {
  Channel channel = {
      .name = name, .samples = 0, .low = 0, .high = rule.bins - 1, .first = 0, .last = rule.bins - 1};
  if (!is_limited) return channel;
  const uint32_t step = rule.bins / kBytesBins, top = name == "y" ? kWhite : kChromaTop;
  channel.first = kBlack * step;
  channel.last = top * step;
  channel.low = channel.first - 1;
  channel.high = channel.last + 1;
  return channel;
}

void check_rgb(const VideoFormat& video) {
  if (assumed_matrix(video) != Matrix::kOther) return;
  throw Error(ErrorKind::kMismatch,
              video.name +
                  " has no Y, Cb and Cr that R, G and B can be told from; histogram needs "
                  "planes=y or planes=ycbcr for it.");
}

}  // namespace

Matrix assumed_matrix(const VideoFormat& video) {
  if (video.matrix != Matrix::kUnspecified) return video.matrix;
  return video.width >= kHdWidth || video.height >= kHdHeight ? Matrix::kBt709 : Matrix::kBt601;
}

RgbConstants rgb_constants(Matrix matrix, Range range, int bit_depth) {
  const auto [red, blue] = luma_shares(matrix);
  const double green = 1 - red - blue;
  const int peak = (1 << bit_depth) - 1, step = 1 << (bit_depth - 8);
  const double luma = is_full(range) ? 1 : peak / (double{kWhite - kBlack} * step);
  const double chroma = is_full(range) ? 1 : peak / (double{kChromaTop - kBlack} * step);
  return {.luma_offset = is_full(range) ? 0 : kBlack * step,
          .chroma_offset = 1 << (bit_depth - 1),
          .luma_scale = fixed(luma),
          .cr_to_r = fixed(chroma * 2 * (1 - red)),
          .cb_to_g = fixed(-chroma * 2 * (1 - blue) * blue / green),
          .cr_to_g = fixed(-chroma * 2 * (1 - red) * red / green),
          .cb_to_b = fixed(chroma * 2 * (1 - blue)),
          .peak = peak};
}

HistogramPlan make_plan(const HistogramOptions& options, const VideoFormat& video) {
  HistogramPlan plan;
  plan.options = options;
  plan.is_rgb = options.planes == Planes::kRgb;
  plan.planes = options.planes == Planes::kY ? 1 : kMaxPlanes;
  if (plan.planes > plane_count(video.chroma)) {
    throw Error(ErrorKind::kMismatch,
                video.name + " has no chroma to read; histogram needs planes=y for it.");
  }
  if (plan.is_rgb) check_rgb(video);
  plan.bins = bin_rule(options, video.bit_depth);
  plan.rgb = {rgb_constants(assumed_matrix(video), video.range, video.bit_depth), chroma_shifts(video.chroma),
              plan.bins};
  int plane = 0;
  for (const std::string_view name : channel_names(options.planes)) {
    Channel channel = channel_of(name, plan.bins, !plan.is_rgb && !is_full(video.range));
    const PlaneSize size = plane_size({video.width, video.height}, video.chroma, plan.is_rgb ? 0 : plane++);
    channel.samples = int64_t{size.width} * size.height;
    plan.channels.push_back(channel);
  }
  return plan;
}

}  // namespace vq::histogram
