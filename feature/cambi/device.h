// The stages of CAMBI as passes on a Vulkan device, and the order in which a picture takes them.
#pragma once

#include "feature/cambi/stages.h"
#include "shaders/cambi/shared.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::cambi::gpu {

// Additional buffers of preprocessing: the plan's source columns, then its source rows, and a word that is
// set if a luma sample exceeds its depth's maximum.
struct PreprocessBuffers {
  PreprocessBuffers(vulkan::Context& context, const CambiPlan& plan);
  const vulkan::Buffer* table = nullptr;  // if the plan resizes
  vulkan::Buffer excess;
};

// Records stages. Shapes and borders as in feature/cambi/stages.h; planes are never the same.
class Passes {
 public:
  Passes(vulkan::Recorder& recorder, vulkan::Context& context) : recorder_(recorder), context_(context) {}

  void preprocess(const vulkan::DevicePlane& luma, const CambiPlan& plan, const PreprocessBuffers& buffers,
                  const vulkan::DevicePlane& image);
  // spatial_mask, with the derivative: flat samples are never in memory. Needs: a threshold of -79..127;
  // plans have 7..31.
  void mask(const vulkan::DevicePlane& image, int threshold, const vulkan::DevicePlane& mask);
  // out[i][j] = in[i << times][j << times].
  void decimate_mask(const vulkan::DevicePlane& in, int times, const vulkan::DevicePlane& out);
  // Filters the image, or if `halve` is set its decimation.
  void mode_filter(const vulkan::DevicePlane& in, bool halve, const vulkan::DevicePlane& out);

 private:
  vulkan::Recorder& recorder_;
  vulkan::Context& context_;
};

// All a picture needs on the device behind its luma, to the images and masks of the five scales.
class Picture {
 public:
  Picture(vulkan::Context& context, const CambiPlan& plan);

  // Records everything from the luma to the last scale, or, without `decimate_masks`, to the last image.
  // Stages are named as in the report.
  void record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma, bool decimate_masks = true);

  const vulkan::DevicePlane& image(int scale) const { return images_[static_cast<size_t>(scale)]; }
  const vulkan::DevicePlane& mask(int scale) const;  // of a scale, if masks were decimated
  const vulkan::DevicePlane& whole_mask() const { return whole_mask_; }
  const vulkan::Buffer& excess() const { return preprocess_.excess; }

 private:
  vulkan::Context& context_;
  const CambiPlan& plan_;
  vulkan::DevicePlane whole_image_, whole_mask_;
  std::array<vulkan::DevicePlane, kScales> images_;
  std::array<vulkan::DevicePlane, kScales> masks_;  // the first only if it differs from whole_mask_
  PreprocessBuffers preprocess_;
};

class Readback {
 public:
  explicit Readback(const std::shared_ptr<vulkan::Device>& device, const Picture& picture);

  void record(vulkan::Recorder& recorder) const;
  int64_t bytes() const { return buffer_.bytes(); }

  // Rows are aligned and guarded as those of a Plane.
  ImageIn image(int scale) const { return view<uint16_t>(images_[static_cast<size_t>(scale)]); }
  MaskIn mask(int scale) const { return view<uint8_t>(masks_[static_cast<size_t>(scale)]); }
  // Whether a luma sample exceeds its depth's maximum.
  bool has_excess() const;

 private:
  struct Place {
    vulkan::PlaneLayout layout;
    int64_t offset = 0;
  };
  template <typename T>
  PlaneView<const T> view(const Place& place) const {
    return {reinterpret_cast<const T*>(buffer_.mapped() + place.offset), place.layout.width,
            place.layout.height,
            static_cast<ptrdiff_t>(place.layout.stride_bytes() / static_cast<int64_t>(sizeof(T)))};
  }

  const Picture& picture_;
  std::array<Place, kScales> images_, masks_;
  int64_t excess_ = 0;
  vulkan::Buffer buffer_;
};

// The c-values of all scales of a picture and their pooling, and a picture on its way through all stages,
// from its luma to five sums.

// See shaders/cambi/c_values.comp. Every choice gives the same values.
struct CValueTiles {
  uint threads = 256;       // of a work group; a multiple of 8 * row_words
  uint row_words = 2;       // of 32 samples, in a row of a tile; a power of 2, at most kRowWords
  uint rows_each = 4;       // rows of samples that one thread makes
  bool keep_planes = true;  // a thread's part of the picture stays in registers
  uint slice_parts = 1;     // in which kSliceShader goes through shared memory: 1, 2 or 4

  uint rows() const { return threads / (8 * row_words) * rows_each; }
  // The specialization constants of kCValuesShader.
  std::vector<uint32_t> constants(const CambiPlan& plan) const;
  // Registers that keep_planes takes of a thread.
  uint plane_registers(const CambiPlan& plan) const;
};

extern const vulkan::Shader kCValuesShader, kSliceShader;

// Tiles that suit the plan and fit the device. Throws Error{kBackend} if none do.
CValueTiles choose_tiles(const CambiPlan& plan, const vulkan::DeviceInfo& device);

inline constexpr uint kMaxSliceParts = 4;

// How the five scales lie in the buffers they share, and how work groups are numbered over them.
std::array<ScaleGeometry, kScales> make_geometry(const CambiPlan& plan, const CValueTiles& tiles);

// Sizes of the buffers that make_geometry speaks of.
struct ScoringSizes {
  int64_t words = 0, blocks = 0;
  std::array<int64_t, 3> value_bytes;  // upper and lower half of the finest scale; the rest
};
ScoringSizes scoring_sizes(const std::array<ScaleGeometry, kScales>& scales);

// Inputs of the device's c-values: the images of all scales, mode-filtered, and the mask at the encode size.
struct ScoringInput {
  std::array<const vulkan::DevicePlane*, kScales> images;
  const vulkan::DevicePlane* mask = nullptr;
};

// Why a device cannot run the shaders of c-values and pooling, whatever the plan; empty if it can.
std::string unsupported_by_scoring(const vulkan::DeviceInfo& device);

class Scoring {
 public:
  Scoring(vulkan::Context& context, const CambiPlan& plan, const CValueTiles& tiles);
  // Without a device, memory is counted.
  Scoring(vulkan::Context& context, const CambiPlan& plan)
      : Scoring(context, plan,
                context.device() ? choose_tiles(plan, context.device()->info()) : CValueTiles()) {}

  // For values that are read back; else made when that is recorded.
  void make_room_for_values();
  // Records everything up to the sums, and if `with_values` is set their reading back as well. Stages are
  // named as in the report.
  void record(vulkan::Recorder& recorder, const ScoringInput& input, bool with_values = false);

  std::array<ExactSum, kScales> sums() const;
  // Only if values were read back.
  CValuesIn values(int scale) const;

 private:
  void record_c_values(vulkan::Recorder& recorder);
  void record_pooling(vulkan::Recorder& recorder);
  void record_values(vulkan::Recorder& recorder);
  int64_t finest_bytes() const { return int64_t{scales_[0].words} * scales_[0].height * kWordSamples * 4; }

  vulkan::Context& context_;
  const CValueTiles tiles_;
  std::array<ScaleGeometry, kScales> scales_;
  // All are compiled at the same time.
  const vulkan::Pipeline &slice_, &c_values_, &pool_count_, &pool_finish_;
  const vulkan::Buffer &geometry_, &contrasts_, &reciprocals_;
  vulkan::Buffer levels_, planes_, sets_;
  std::array<vulkan::Buffer, 3> values_;  // upper and lower half of the finest scale; the rest
  vulkan::Buffer sums_, histograms_;
  vulkan::Buffer read_sums_, read_values_;
};

class ScoredPicture {
 public:
  ScoredPicture(vulkan::Context& context, const CambiPlan& plan, bool with_values = false);

  void record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma);

  bool has_excess() const;  // whether a luma sample exceeds its depth's maximum
  std::array<ExactSum, kScales> sums() const { return scoring_.sums(); }
  CValuesIn values(int scale) const { return scoring_.values(scale); }

  const CambiPlan& plan() const { return plan_; }

 private:
  const CambiPlan& plan_;
  const bool with_values_;
  Picture picture_;
  Scoring scoring_;
  vulkan::Buffer excess_;
};

// Runs a small picture through the per-pixel stages of `plan`, on the device and on the CPU, and compares
// every sample. Throws Error{kBackend} if they differ or the device fails.
void check_stages(vulkan::Context& context, const CambiPlan& plan);

// The same for c-values and pooling: a small picture goes through all stages with the plan's window and
// contrasts, and the sums are compared.
void check_scoring(vulkan::Context& context, const CambiPlan& plan);

}  // namespace vq::cambi::gpu
