// What `cambi bench` measures, as plain data, text and JSON.
#pragma once

#include "cli/inputs/run_options.h"
#include "core/frame.h"
#include "core/synthetic_frame.h"
#include "engine/report/report.h"
#include "feature/device_feature.h"
#include "feature/feature.h"

namespace vq::cli {

// Time of a stage per frame.
struct StageFacts {
  std::string name;
  bool on_device = false;  // false: on the host
  double milliseconds = 0;
};

struct BenchBackend {
  // The backend that ran; if none did, the requested one.
  std::string backend = {}, device = {}, driver = {}, simd = {};
  std::string error = {};  // the failure; empty if there was none
  // First the device's, then the host's, with times per frame. On the host all threads of the run work on a
  // stage, each on its own frame, and the time is the stage's share of a frame's time.
  std::vector<StageFacts> stages = {};
  std::optional<double> upload_share = {};   // of a copy's speed; 1: as fast as a copy
  std::string decoder = {};                  // of the video; empty for synthetic pictures
  std::optional<double> decode_fps = {};     // decoding alone; none for synthetic pictures
  int64_t decoded_frames = 0;                // per measurement
  std::optional<double> score_fps = {};      // from frames in memory to scores
  std::optional<double> whole_fps = {};      // from the file to a report, after opening
  std::optional<double> start_seconds = {};  // time of opening in such a run
  int64_t whole_frames = 0;                  // of such a run
  // For all such runs, including writing their reports; for scoring from memory if there are none.
  PaceFacts pace = {};

  bool uses_device() const { return backend == "hybrid" || backend == "vulkan"; }
  // Hardware decoders are marked after their names: "hevc (cuda)".
  bool decodes_in_hardware() const { return decoder.find('(') != std::string::npos; }
  // Milliseconds per frame of the stages on one side, without the upload.
  double device_milliseconds() const;
  double host_milliseconds() const;
  double upload_milliseconds() const;
  // The stage's name for people: prefixed by the feature instead of its first metric, if no other instance of
  // that feature is in the run.
  std::string shown_name(const StageFacts& stage) const;
};

// One video, on every backend.
struct BenchVideo {
  std::string name = {};
  bool synthetic = false;
  std::string codec = {};  // empty for synthetic pictures
  int width = 0, height = 0, bit_depth = 0;
  std::vector<BenchBackend> backends = {};
};

struct BenchDevice {
  std::string name;
  DeviceBandwidth rates;  // of copies
};

struct BenchResult {
  int threads = 1;         // of the run
  int cores = 1;           // of the machine, as far as the program may use them
  double host_memory = 0;  // copy rate on these threads in bytes per second, reads and writes counted
  std::vector<BenchDevice> devices;
  std::vector<BenchVideo> videos;
  std::vector<std::string> notes;  // what was left out, and why
};

// The backend with the highest frame rate; null if none has one.
const BenchBackend* fastest(const BenchVideo& video);

// A sentence that names the bottleneck of the fastest backend for this video. Empty if there is none.
std::string limit_sentence(const BenchResult& result, const BenchVideo& video);

// "1,630", or "37.2" below 100.
std::string rate_text(double frames_a_second);

// Tables that fit `width` columns if possible (0: any), and for each video the sentence on its bottleneck.
std::string bench_text(const BenchResult& result, size_t width = 0);

// The same as JSON: docs/bench.schema.json.
std::string bench_json(const BenchResult& result);

// Frames of a video, or synthetic ones.
struct BenchInput {
  BenchVideo facts;      // without backends
  BenchBackend decoded;  // what is known of decoding, whichever backend scores
  VideoFormats formats;
  std::optional<double> reference_rate;  // frames per second; none if synthetic or unknown
  std::vector<FeatureRequest> features;  // with all options resolved
  std::vector<FramePair> frames;         // in memory; at least one
};

// How long and how often to measure.
struct BenchTime {
  int64_t frames = 0;  // per round; 0: as many as fit `seconds`
  double seconds = 0.3;
  int rounds = 3;  // of which the median counts; one if a round takes too long
};

// Decodes the video of the run, and its reference, several times, as the run with its backend does. Returns
// early, possibly without frames, on an interrupt. Throws errors of opening and reading.
BenchInput read_bench_input(const RunOptions& run, const BenchTime& time);

// Banded pictures; film with grain, and its encode, if features need a reference.
Synthetic synthetic_kind_for(const RunOptions& run);
BenchInput make_bench_input(const RunOptions& run, const VideoFormat& format);

// Measures stages and scores of frames in memory, and whole runs if the input is a video. `run`: with the
// backend and its device. `upload_rate`: bytes a second of copies to it; 0: unknown. A failure of the backend
// is in BenchBackend::error, together with what was measured before; nothing is returned after an interrupt.
// Throws other failures.
std::optional<BenchBackend> bench_backend(const RunOptions& run, const BenchInput& input, double upload_rate,
                                          const BenchTime& time);

// A copy of the frame in the store, from which a device reads directly; the frame itself if the store is
// exhausted, or it is in such memory already.
Frame stored_frame(const Frame& frame, FrameStore& store);

}  // namespace vq::cli
