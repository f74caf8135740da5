// Runs of any features over videos, made up or not, on any backend: whatever that is, frames have the same
// results, and the same error ends the run.
#pragma once

#include "feature/feature.h"
#include "vulkan/device.h"

namespace vq::test {

struct GateVideo {
  VideoFormat format;
  std::vector<Frame> frames;
};
struct GateRun {
  std::vector<std::string> features;  // as --feature takes them, without escapes
  PlaneSize size = {357, 233};
  int depth = 8, reference_depth = 8;
  Chroma chroma = Chroma::k420;
  int frames = 7;
  int every = 1;          // that are reported; the others are for features that look at every frame
  bool has_maps = false;  // heatmaps and histograms, of features that have them
  std::optional<Fitting> fitting = {};  // of all features
  int64_t spoilt = -1;                  // the frame of both videos that has a sample beyond its depth
  // In place of what would be made up.
  const GateVideo *distorted = nullptr, *reference = nullptr;
};
// For those who look at what failed.
std::string to_string(const GateRun& run);

// Where frames lie that a device is to score: where anybody may write, where decoders of the host write for
// it, some here and some there, or in its own memory, for devices that can share that.
enum class Place { kHost, kStore, kEither, kDevice };

struct GateWay {
  Backend backend = Backend::kScalar;
  std::shared_ptr<vulkan::Device> device = {};  // for backends that use one
  Place place = Place::kHost;
  int threads = 2;
  bool time_stages = false;
  // The CPU goes on where the device fails after the run has begun.
  bool falls_back = false;
};

// All that features found in a frame; reals by their bits.
struct GateRow {
  int64_t frame = 0;
  bool is_reported = true;
  std::vector<std::vector<uint64_t>> values;
  std::vector<std::vector<std::string>> texts;
  bool operator==(const GateRow&) const = default;
};
struct GateOutcome {
  std::vector<GateRow> rows;
  std::string error;  // that ended it; empty: none
  // Nothing that outcomes are compared by: what was timed on the host, why the CPU went on, if it did, and
  // what went to the device.
  std::vector<StageTotal> host_stages;
  std::string given_up;
  int64_t bytes_uploaded = 0;
  bool operator==(const GateOutcome& other) const { return rows == other.rows && error == other.error; }
};

// Whether a feature of the run has no such backend. False for names that are of none.
bool is_left_to_host(const GateRun& run, Backend backend);

GateOutcome outcome_of(const GateRun& run, const GateWay& way);

// A line for each difference, the first few.
std::string difference(const GateOutcome& expected, const GateOutcome& actual);

}  // namespace vq::test
