// FFmpeg's messages: not printed, but kept for our own. Error lines are also the most reliable sign of
// damage: several decoders conceal a broken picture without flagging it or returning an error.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {

// Receives the error lines of FFmpeg contexts whose `opaque` points to it, and of hardware devices whose
// `user_opaque` does, if allowed: see has_log(). May be used from several threads.
class FfmpegLog {
 public:
  void add(std::string line);
  int64_t errors() const;
  // A part of a picture was concealed. Not an error in itself: if it matters the picture has a flag, which
  // can get lost between a decoder's threads.
  void add_concealment();
  // Whether a line or a concealment came since begin().
  bool saw_damage() const;
  void begin();
  // The first line since the last mark(), since later ones are mostly consequences; empty if there was none.
  std::string first() const;
  void mark();

 private:
  mutable std::mutex mutex_;
  int64_t errors_ = 0;
  int64_t concealments_ = 0;
  std::string first_;
};

// Whether `user_opaque` of such a device is free for the log. FFmpeg uses that of VA-API's itself.
bool has_log(const AVHWDeviceContext& device);

// May be called repeatedly.
void install_ffmpeg_log();

std::string ffmpeg_reason(int error);

// Information that FFmpeg gives as text only. The texts are those of FFmpeg 5.1 to 7.1; a test compares them
// with the installed FFmpeg.
//
// A decoder's error line that does not indicate a damaged picture, such as one about closed captions.
bool is_harmless(std::string_view line);
// The decoder concealed a part of a picture. For a line's format string.
bool tells_of_concealment(std::string_view line);
// The decoder returned an empty picture, since it could not add grain. For a format string too.
bool tells_of_failed_grain(std::string_view line);
bool tells_of_too_many_streams(std::string_view line);
// A picture exceeds FFmpeg's or our limit.
bool tells_of_too_large_a_picture(std::string_view line);
// Hardware or its driver failed; the stream may be intact.
bool tells_of_hardware(std::string_view line);

class HardwarePictures;
class PictureMemory;

// Reached by FFmpeg's callbacks through the decoder's context, and by the log. Outlives the context.
struct DecoderOwner : FfmpegLog {
  HardwarePictures* hardware = nullptr;  // null: decodes in software
  PictureMemory* memory = nullptr;       // never null once the decoder is open
};

inline void set_owner(AVCodecContext& decoder, DecoderOwner& owner) {
  decoder.opaque = static_cast<FfmpegLog*>(&owner);  // as the log expects it
}

// Needs: set_owner().
inline DecoderOwner& owner_of(const AVCodecContext& decoder) {
  return *static_cast<DecoderOwner*>(static_cast<FfmpegLog*>(decoder.opaque));
}

}  // namespace vq::cli
