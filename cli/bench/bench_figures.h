// What `cambi bench` measured, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/report.h"

namespace vq::cli {

// A stage of a backend, a frame. On the host it is at work on all threads of the run, each with a frame of
// its own, and its time is what it adds to a frame then.
struct BenchStage {
  std::string name;
  bool on_device = false;
  double milliseconds = 0;
  std::optional<int64_t> bytes = {};     // that it must read and leave for the next; none where nobody knows
  std::optional<double> bandwidth = {};  // bytes a second that a copy reaches there

  // Whether it is faster than a copy: then caches had some of the bytes, and nothing follows for the memory.
  bool is_cached() const;
  // Without known bytes or a time there are none, without a bandwidth only the first, and none of a stage
  // that is cached.
  std::optional<double> gigabytes_per_second() const;
  std::optional<double> share_of_copy() const;       // of that bandwidth; 1 is as fast as a copy
  std::optional<double> floor_milliseconds() const;  // what the bytes take at that bandwidth
  std::optional<double> times_floor() const;         // the measured time over that
};

struct BenchBackend {
  // What really ran; the backend as asked for where it did not.
  std::string backend = {}, device = {}, driver = {}, simd = {};
  std::string error = {};                    // why there is nothing more; empty where there is all
  std::vector<BenchStage> stages = {};       // of the device, then of the host
  std::string decoder = {};                  // of the video; empty where it is made up
  std::optional<double> decode_fps = {};     // alone; none where it is made up
  int64_t decoded_frames = 0;                // each time
  std::optional<double> score_fps = {};      // from frames in memory to scores
  std::optional<double> whole_fps = {};      // from the file to a report, once everything is open
  std::optional<double> start_seconds = {};  // until everything is open, in such a run
  int64_t whole_frames = 0;                  // of such a run
  // Of all such runs, with writing their reports; of scoring from memory where there are none.
  PaceFacts pace = {};

  bool uses_device() const { return backend == "hybrid" || backend == "vulkan"; }
  // Decoders that are hardware say so behind their name: "hevc (cuda)".
  bool decodes_in_hardware() const { return decoder.find('(') != std::string::npos; }
  // Milliseconds a frame of the stages that lie on one side; without the upload.
  double device_milliseconds() const;
  double host_milliseconds() const;
  double upload_milliseconds() const;
  // What a stage is called where people read it: of several features by that feature, where a metric of it
  // stands in the stage's name and no other run of that feature is here.
  std::string shown_name(const BenchStage& stage) const;
};

// One video, on every backend.
struct BenchVideo {
  std::string name = {};
  bool synthetic = false;
  std::string codec = {};  // empty where it is made up
  int width = 0, height = 0, bit_depth = 0;
  std::vector<BenchBackend> backends = {};
};

struct BenchDevice {
  std::string name;
  // Bytes a second of copies: within, from the host, to the host.
  double memory = 0, upload = 0, readback = 0;
};

struct BenchResult {
  int threads = 1;         // of the run
  int cores = 1;           // of the machine, as far as the program may use them
  double host_memory = 0;  // bytes a second of copies on so many threads, reading and writing counted
  std::vector<BenchDevice> devices;
  std::vector<BenchVideo> videos;
  std::vector<std::string> notes;  // what was left out, and why
};

// The one that gets through the most frames; null where none got through any.
const BenchBackend* fastest(const BenchVideo& video);

// One sentence: what would have to be faster for the video to be scored faster on this machine, by the
// backend that is the fastest. Empty where there is none.
std::string limit_sentence(const BenchResult& result, const BenchVideo& video);

// "1,630", or "37.2" below 100.
std::string rate_text(double frames_a_second);

}  // namespace vq::cli
