#include "feature/ciede/ciede.h"

#include <algorithm>
#include <cmath>

namespace vq::ciede {
namespace {

// libvmaf's library takes 4:2:2 for 4:4:0: it reads each row of chroma beyond its end, which in its pictures
// is followed by the next, and only the upper half of them. Scores of its pictures are the same.
ChromaShifts spread_of(const VideoFormat& video) {
  const bool is_exchanged = video.rounds_chroma_down && video.chroma == Chroma::k422;
  return is_exchanged ? ChromaShifts{.x = 0, .y = 1} : chroma_shifts(video.chroma);
}

// Where chroma was rounded down, its last sample is also that of the column behind.
template <typename T>
void spread_row(PlaneView<const T> in, int shift, int chroma_shift, PlaneView<uint16_t> out) {
  const auto shifted = [&](int i) { return static_cast<uint16_t>(in.data[i] << shift); };
  uint16_t* const to = out.data;
  if (chroma_shift == 0) {
    for (int x = 0; x < out.width; ++x) to[x] = shifted(x);
    return;
  }
  const int last = in.width - 1;
  if (chroma_shift == 1) {
    for (int x = 0; x + 1 < out.width; x += 2) to[x] = to[x + 1] = shifted(x / 2);
    if (out.width % 2 != 0) to[out.width - 1] = shifted(std::min(out.width / 2, last));
    return;
  }
  for (int x = 0; x < out.width; ++x) to[x] = shifted(std::min(x >> chroma_shift, last));
}

// Row `y` of the luma as chroma has it: likewise.
template <typename T>
PlaneView<const T> row_of(PlaneView<const T> plane, int y, int chroma_shift) {
  return {plane.row(std::min(y >> chroma_shift, plane.height - 1)), plane.width, 1, plane.stride};
}

}  // namespace

CiedePlan Ciede::make_plan(const Options&, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_chroma(kFeatureName, formats);
  return {.videos = videos,
          .distorted = {videos.distorted_shift, spread_of(formats.distorted)},
          .reference = {videos.reference_shift, spread_of(*formats.reference)}};
}

double score(const CiedePlan& plan, double sum_of_differences) {
  const double samples = static_cast<double>(plan.videos.size.width) * plan.videos.size.height;
  return 45 - 20 * std::log10(sum_of_differences / samples);
}

void SpreadRows::fill(const Frame& frame, const Spread& spread, int y) {
  for (int i = 0; i < kMaxPlanes; ++i) {
    const SampleView& plane = frame.planes[static_cast<size_t>(i)];
    const ChromaShifts shifts = i == 0 ? ChromaShifts{} : spread.chroma;
    const PlaneView<uint16_t> out = {samples_.row(i), samples_.width(), 1, 0};
    if (plane.is_u8()) {
      spread_row(row_of(plane.u8, y, shifts.y), spread.shift, shifts.x, out);
    } else {
      spread_row(row_of(plane.u16, y, shifts.y), spread.shift, shifts.x, out);
    }
  }
}

namespace {

// Rows of both pictures.
struct Workspace {
  explicit Workspace(const CiedePlan& plan)
      : distorted(plan.videos.size.width),
        reference(plan.videos.size.width),
        differences(plan.videos.size.width, 1) {}

  struct Picture {
    explicit Picture(int width) : samples(width), colours(width, 3) {}
    LabRow<float> lab() { return {colours.row(0), colours.row(1), colours.row(2)}; }
    SpreadRows samples;
    Plane<float> colours;
  };
  Picture distorted, reference;
  Plane<float> differences;
};

class CiedeHost final : public WorkspaceHost<CiedePlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.videos.size;
    float* const differences = workspace->differences.row(0);
    double sum = 0;
    for (int y = 0; y < height; ++y) {
      const LabRow<float> reference =
          colours(frames.reference.value(), plan_.reference, y, workspace->reference);
      const LabRow<float> distorted = colours(frames.distorted, plan_.distorted, y, workspace->distorted);
      stages_.differences({reference.l, reference.a, reference.b}, {distorted.l, distorted.a, distorted.b},
                          width, differences);
      for (int x = 0; x < width; ++x) sum += differences[x];
    }
    return {.values = {ciede::score(plan_, sum)}};
  }

 private:
  LabRow<float> colours(const Frame& frame, const Spread& spread, int y, Workspace::Picture& picture) const {
    picture.samples.fill(frame, spread, y);
    stages_.colours(picture.samples.row(plan_.videos.bit_depth), picture.lab());
    return picture.lab();
  }
};

constexpr MetricInfo kMetrics[] = {
    {.name = kMetricName,
     .title = "CIEDE2000",
     .unit = "dB",
     .subject = "distortion",
     .better = Better::kHigher,
     .usual_top = 60,
     .explanation =
         "How little the colours differ from the reference's for the eye, in decibels: 6 dB less is twice "
         "the mean difference, and a mean difference of 1, which is about the smallest that is seen, has "
         "45 dB.",
     .is_unbounded = true}};

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Ciede, CiedeHost>({
      .name = kFeatureName,
      .summary = "mean CIEDE2000 difference of colours from the reference, in dB",
      .publication =
          {.citation =
               "Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula: Implementation Notes, "
               "Supplementary Test Data, and Mathematical Observations, Color Research & Application, 2005",
           .doi = "10.1002/col.20070"},
      .metrics = kMetrics,
      .spreads_chroma = true,
  });
  return kInfo;
}

}  // namespace vq::ciede
