#include "cli/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace vq::cli {
namespace {

// The number in a file, times `unit`; INT64_MAX where there is none ("max" in control groups).
int64_t number_in_file(const char* path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : INT64_MAX;
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kibibytes = 0;
  while (file >> key) {
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return INT64_MAX;
}

int64_t control_group_memory() {
  const int64_t limit = std::min(number_in_file("/sys/fs/cgroup/memory.max"),
                                 number_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return limit;
}

int64_t process_memory() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

}  // namespace

int64_t default_memory_limit() {
  const int64_t least = std::min({available_memory(), control_group_memory(), process_memory()});
  return least / 4 * 3;
}

int64_t decoding_bytes(const VideoInfo& info, int64_t queued, int threads) {
  // Decoders keep reference pictures (16 at most in common codecs, at most a few for the largest pictures)
  // and one more for each thread; y4m and raw video only what is queued.
  constexpr int64_t kReferencePictures = 6;
  const int64_t samples = static_cast<int64_t>(info.format.width) * info.format.height;
  const bool planar = info.codec == "rawvideo";
  const int64_t chroma_halves = info.format.chroma == Chroma::k400   ? 2
                                : info.format.chroma == Chroma::k420 ? 3
                                : info.format.chroma == Chroma::k422 ? 4
                                                                     : 6;
  const int64_t frame = samples * (info.format.bit_depth > 8 ? 2 : 1) * (planar ? 2 : chroma_halves) / 2;
  return frame * (queued + (planar ? 0 : kReferencePictures + threads));
}

}  // namespace vq::cli
