// What the command line says, flag by flag, before it is checked as a whole.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/run_options.h"

namespace vq::cli {

struct CollectedFlags {
  RunOptions arguments;
  std::vector<std::string> positionals, features, outputs, fail_above, fail_below;
  std::string width, height, pixel_format, bit_depth;
  std::map<std::string, std::string> own;  // option of the feature -> text
  std::vector<std::string> own_flags;      // as written, for messages
  std::string profile, encode, source;
  std::optional<std::string> html;
  std::optional<ReportFormat> format;  // of every report
  ColourWishes colour;
  int64_t worst = -1;  // not given
  bool full_ref = false, version = false;
};

// The arguments that the flags come to, with a feature and all that follows from others. `several`: any number
// of positionals. Throws Error{kUsage}, and Error{kMismatch} for impossible sizes of raw video.
RunOptions complete(CollectedFlags flags, bool several);

}  // namespace vq::cli
