// The fingerprint: its options, metric names, final computation, and registry entry.
#pragma once

#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::fingerprint {

// Four sums, each modulo 2^32, of the same words mixed in four ways.
inline constexpr size_t kLanes = 4;
using LaneSums = std::array<uint32_t, kLanes>;

LaneSums operator+(const LaneSums& a, const LaneSums& b);

// The four mixes of a word by its place. With one place each is a permutation of the words. Needs: x < 2^13,
// y < 2^14, plane < 4.
struct Place {
  int x = 0, y = 0, plane = 0;
};
LaneSums mixed_word(uint32_t word, const Place& place);

// A permutation of 32-bit words whose every output bit depends on all of its input.
uint32_t mixed(uint32_t value);

namespace scalar {
// Adds up mixed_word() of a plane as decoded, of any stride and alignment and without guards: nothing beyond
// its rows is read. The words of a row hold its samples from the left, four of 8 bits or two deeper ones, the
// leftmost in the lowest bits, and zeros behind the last. Needs: sides of at most kMaxSide; 0 <= plane <
// kMaxPlanes.
LaneSums plane_sums(const SampleView& view, int plane);
}  // namespace scalar
VQ_STAGES(plane_sums);

struct FingerprintOptions {
  std::string_view planes = "y";
};

struct FingerprintPlan {
  int planes = 1;                           // that are looked at
  std::array<PlaneSize, kMaxPlanes> sizes;  // of them
  int bit_depth = 8;
};

struct Fingerprint {
  using Options = FingerprintOptions;
  static constexpr std::string_view kAll = "all", kPlanes[] = {"y", kAll};
  // Fingerprints of other planes are other figures, so they have other names.
  static constexpr auto kOptions =
      option_table<Options>({{&Options::planes, "planes", kPlanes,
                              "planes that the fingerprint depends on: luma, or chroma as well"}});
  using Plan = FingerprintPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // Whether a frame repeats the one before, and how many frames up to it do so.
  static std::vector<std::string> names(const Options&) {
    return {"fingerprint_repeated", "fingerprint_repeat_run"};
  }
  static bool needs_reference(const Options&) { return false; }
  static int planes(const Options& options) { return options.planes == kAll ? kMaxPlanes : 1; }
  static bool needs_every_frame(const Options&) { return true; }
  // Makes the values of results from their texts.
  static std::unique_ptr<FrameSequence> make_sequence(const Options&);
};

// The hash of a picture from the sums of its planes, in order. Needs: as many sums as there are planes in the
// plan.
LaneSums fingerprint(const FingerprintPlan& plan, std::span<const LaneSums> planes);

// 32 lower-case hexadecimal digits, the first lane first.
std::string fingerprint_text(const LaneSums& hash);

// The result of a frame but for what the frames before say.
FrameResult frame_result(const FingerprintPlan& plan, std::span<const LaneSums> planes);

const FeatureInfo& feature_info();

// The device sums up mixed words by work groups, the host adds those sums and makes the hash.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::fingerprint

namespace vq::fingerprint::gpu {

// Sums up the words of a plane.
class PlaneSumsPass {
 public:
  // `number`: 0..kMaxPlanes - 1.
  PlaneSumsPass(vulkan::Context& context, const vulkan::DevicePlane& plane, int number,
                vulkan::Results& sums);

  void record(vulkan::Recorder& recorder) const;
  LaneSums plane_sums() const;

 private:
  const vulkan::DevicePlane& plane_;
  const int number_;
  const int words_;  // of a row
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part sums_;
};

}  // namespace vq::fingerprint::gpu
