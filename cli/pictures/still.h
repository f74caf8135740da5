// Frames that are kept to be drawn later, and how they are drawn: as pictures of a page, or with their flaws.
#pragma once

#include "cli/pictures/picture.h"
#include "cli/pictures/picture_tap.h"
#include "core/frame.h"
#include "core/plane.h"
#include "engine/report/scenes.h"

namespace vq::cli {

// A frame in the samples of its video, possibly shrunk.
struct Still {
  VideoFormat format;    // of the planes below; its matrix is one of which RGB can be made
  PlaneSize video = {};  // size of the video's luma
  Frame frame;           // owns its planes; without planes there is no picture

  bool empty() const { return frame.luma().empty(); }
  int width() const { return frame.luma().width(); }
  int height() const { return frame.luma().height(); }
};

// A copy of the frame with a luma of `size`; each sample is the mean of those it stands for. Chroma is shrunk
// alike. Needs: a frame whose samples the host can read; `size` no larger than the frame.
Still still_of(const Frame& frame, const VideoFormat& format, const PlaneSize& size);
// Memory of one.
int64_t still_bytes(const VideoFormat& format, const PlaneSize& size);

// The still at another size, scaled as videos are for scoring (bicubic), with all its
// chroma. Throws as FrameFitter.
Still scaled_still(const Still& still, const PlaneSize& size);

// Its luma: 0 is black and 255 white, whatever the range.
Plane<uint8_t> grey_of(const Still& still);

// Its colours, by the matrix and the range of the video; chroma is interpolated as metrics of light do it
// (feature/light), cubic between the samples. Untagged video is read as there. PQ and HLG are tone-mapped:
// the curve of ITU-R BT.2390 takes 1000 cd/m2 to white and leaves what is below 95 cd/m2 as it is, with white
// at 203 cd/m2. Other video is shown as it is coded, whatever its primaries. Grey if there is no chroma.
RgbImage colours_of(const Still& still);

// The transfer that colours_of() maps: "PQ" or "HLG"; empty for other video.
std::string_view tone_mapped_transfer(const VideoFormat& format);

// How much of what PQ and HLG can show a still uses.
struct LightUse {
  double peak = 0;                           // of the largest component, in cd/m2
  double outside_bt709 = 0, outside_p3 = 0;  // shares of the samples, of BT.709's gamut and P3-D65's
};
// A sample is inside if its largest component is below 1 cd/m2, or no component is below zero by more than
// half a percent of that. None for other video.
std::optional<LightUse> light_use_of(const Still& still);

// How many times larger differences are drawn.
inline constexpr int kDifferenceGain = 8;
// |difference| of luma times kDifferenceGain, 255 being white, shrunk to fit the limit. Needs: stills of
// equal size.
Plane<uint8_t> difference_of(const Still& a, const Still& b, const PlaneSize& limit);

// A scored frame reduced for storage: its planes, and the local score of each sample.

// Pictures are shrunk to fit this, and never enlarged.
inline constexpr PlaneSize kSnapshotLimit = {1920, 1080};
// Steps of Snapshot::local within a metric's usual scale; higher values are beyond it.
inline constexpr int kLocalScoreSteps = 192;

struct Snapshot : TimedScore {
  std::string name;  // of the video's file
  Still picture;
  // The local score of each sample: kLocalScoreSteps at the top of the metric's usual scale. Empty if no
  // feature delivers it.
  Plane<uint8_t> local;
  Still reference;  // possibly of another size; empty without a reference
  MetricInfo metric;
  std::vector<DrawnHistogram> histograms;  // by channel; empty if none were delivered
};

// Makes snapshots of one video. Local scores are sums of the heatmaps of all scales, weighted as in the
// frame's score.
class SnapshotMaker {
 public:
  explicit SnapshotMaker(const ObservedVideo& video, const PlaneSize& limit = kSnapshotLimit);

  // With local scores if the frame has heatmaps. From any thread. Throws as on_host().
  Snapshot make(const ScoredFrame& frame) const;
  // Adds the local scores. Needs: heatmaps of all scales.
  void add_local(std::span<const Plane<uint16_t>> heatmaps, Snapshot& shot) const;
  int width() const { return width_; }
  int height() const { return height_; }
  // Memory of one snapshot.
  int64_t bytes() const;

 private:
  // Position of a row or column of the picture between two of a heatmap.
  struct Position {
    int first = 0, second = 0;
    float share = 0;  // of the second
  };
  struct Scale {
    std::vector<Position> columns, rows;
    float weight = 0;
  };
  static std::vector<Position> positions(int heatmap_side, int picture_side);
  class WideRows;

  VideoFormat format_;
  std::optional<VideoFormat> reference_;
  MetricInfo metric_;
  std::vector<HistogramInfo> histograms_;
  int width_ = 0, height_ = 0;
  PlaneSize reference_size_;
  std::vector<Scale> scales_;
};

// Pictures for people: a frame's luma, with its flaws as a coloured overlay and a strip that explains it.

// Local scores over the grey picture, which is lifted() so that dark areas are visible; below it a strip with
// score, frame, time and the colour scale.
RgbImage render_overlay(const Snapshot& shot);

// A brightened grey level: the square root of its share of white. It maps 8 of 255 to 45, and enlarges steps
// between levels below 64. Pages do the same: see frames.js.
uint8_t lifted(uint8_t grey);

// One for every value of Snapshot::local.
std::span<const LayerColour> local_colours();

// The colour of a local score as a share of the usual scale, which has the last colour from 1 on. Source:
// "inferno" of matplotlib (N. Smith, S. van der Walt, CC0), without its darkest third, which cannot be told
// from a dark picture.
Colour score_colour(double share);

// How much of that colour covers the picture; 0 for a share of 0, rising to a cover through which the
// picture's shapes still show.
double score_cover(double share);

// Pictures of a page.

// How much space the pictures of a page may take: each some, or as much as it takes without loss.
enum class PageQuality { kSmall, kLossless };

// A frame with pictures on a page.
struct FramePicture : TimedScore {
  PagePicture picture;
  PagePicture reference = {};   // that of the reference's frame; may be absent
  PagePicture difference = {};  // of the two, amplified; absent without a reference of the same size
  PagePicture heat = {};        // colours to overlay on the picture, of the same size; may be absent
  std::vector<DrawnHistogram> histograms = {};  // by channel; may be empty
  std::string tone_mapped = {};                 // the transfer that was mapped: "PQ", "HLG"
  std::optional<LightUse> light = {};           // of the picture
  PlaneSize scaled_from = {};                   // size of the video, if it is shown at the reference's
};

// Maximum bytes of a picture, and of a difference, unless pictures are without loss.
inline constexpr size_t kPagePictureBytes = 140000, kDifferenceBytes = 24000;

// A picture in colour. Throws as encode_png().
PagePicture picture_of(const Still& still, PageQuality quality);
// All pictures of the snapshot but that of the reference. A video with the shape of its reference and another
// size is shown at the size of the reference. Throws as above.
FramePicture picture_of(const Snapshot& shot, PageQuality quality);

}  // namespace vq::cli
