// FFmpeg's messages: silent on the terminal, kept for our own. Its error lines are also the most reliable
// sign of damage: several decoders conceal a broken picture without flagging it or returning an error.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace vq::cli {

// Receives the error lines of the FFmpeg contexts whose `opaque` points to it. Safe to use from several
// threads.
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

// Routes FFmpeg's messages here. May be called any number of times.
void install_ffmpeg_log();

// FFmpeg's words for one of its error codes.
std::string ffmpeg_reason(int error);

// True for a decoder's error line that says nothing against the picture, such as one about closed captions.
bool is_harmless(const std::string& line);

}  // namespace vq::cli
