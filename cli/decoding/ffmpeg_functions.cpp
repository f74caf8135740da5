#include "cli/decoding/ffmpeg_functions.h"

#include <dlfcn.h>

#include <array>
#include <string>

#include "core/error.h"

namespace vq::cli {
namespace {

// In the order of FfmpegLibrary. Structs are those of the version whose headers were compiled.
constexpr std::array<const char*, 3> kLibraries = {"libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR),
                                                   "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR),
                                                   "libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)};

}  // namespace

// Libraries stay open: threads and exit handlers of what they bring may be at work to the end.
void* ffmpeg_function(FfmpegLibrary library, const char* name) {
  void* const opened = dlopen(kLibraries[static_cast<size_t>(library)], RTLD_LAZY);
  void* const function = opened != nullptr ? dlsym(opened, name) : nullptr;
  if (function == nullptr) {
    throw Error(ErrorKind::kResource, std::string("FFmpeg cannot be used: ") + dlerror());
  }
  return function;
}

}  // namespace vq::cli
