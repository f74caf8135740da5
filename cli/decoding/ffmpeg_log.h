// FFmpeg's messages: silent on the terminal, kept for our own. Its error lines are also the most reliable
// sign of damage: several decoders conceal a broken picture without flagging it or returning an error.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace vq::cli {

// Receives the error lines of the FFmpeg contexts whose `opaque` points to it, and of the hardware devices
// whose `user_opaque` does, if they may have one: see has_log(). Safe to use from several threads.
class FfmpegLog {
 public:
  void add(std::string line);
  int64_t errors() const;
  // A part of a picture was made up. No error by itself: where that matters the picture carries a flag, which
  // however gets lost between the threads of a decoder.
  void add_concealment();
  int64_t concealments() const;
  // The first line since the last call of mark(), since later ones mostly follow from it; empty where there
  // was none.
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

// Routes FFmpeg's messages here. May be called any number of times.
void install_ffmpeg_log();

// FFmpeg's words for one of its error codes.
std::string ffmpeg_reason(int error);

// What FFmpeg tells in words only. The words are those of FFmpeg 5.1 to 7.1; a test compares them with the
// FFmpeg that is installed.
//
// A decoder's error line that says nothing against the picture, such as one about closed captions.
bool is_harmless(std::string_view line);
// A decoder fills in what is missing of a picture. For the format string of a line, before it is filled in.
bool tells_of_concealment(std::string_view line);
// A decoder gave out a picture without anything in it, since it could not add its grain. Of the format string
// as well.
bool tells_of_failed_grain(std::string_view line);
// A container has more streams than the limit given to it.
bool tells_of_too_many_streams(std::string_view line);
// A picture is larger than FFmpeg can hold, or than the limit given to it.
bool tells_of_too_large_a_picture(std::string_view line);

// Hardware that decodes failed, or its driver did; the stream may be whole.
bool tells_of_hardware(std::string_view line);

}  // namespace vq::cli
