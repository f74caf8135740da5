// Pictures of callers as frames of the engine.
#pragma once

#include <memory>
#include <utility>

#include "core/frame.h"
#include "include/cambi/cambi.h"

namespace vq::c_api {

// Calls the caller's release function when nobody holds the picture any more.
class PictureOwner {
 public:
  explicit PictureOwner(const CambiPicture& picture)
      : release_(picture.release), user_(picture.release_user) {}
  ~PictureOwner() {
    if (release_ != nullptr) release_(user_);
  }
  PictureOwner(PictureOwner&& other) noexcept
      : release_(std::exchange(other.release_, nullptr)), user_(other.user_) {}
  PictureOwner& operator=(const PictureOwner&) = delete;

 private:
  void (*release_)(void*);
  void* user_;
};

// Throws Error: kUsage for values that no picture has, kMismatch for sizes and depths that are not taken.
VideoFormat format_of(const CambiPicture& picture, const char* name);

// The first `planes` planes of the picture, or as many as its format has. Samples are copied where the
// picture has no release function, and used in place, kept by `owner`, otherwise. Throws Error{kUsage} for
// planes that are null or whose rows overlap, std::bad_alloc.
Frame frame_of(const CambiPicture& picture, const VideoFormat& format, int planes,
               std::shared_ptr<const PictureOwner> owner);

}  // namespace vq::c_api
