// Options as a caller gives them, and how they become those of a feature.
#pragma once

#include <map>
#include <string>

#include "feature/feature.h"

// Keys and values, the latter normalised.
struct VmafFeatureDictionary {
  std::map<std::string, std::string> entries;
};

namespace vq::libvmaf {

// A text that is a number as a whole, hexadecimal ones included, goes through 32 bits and six digits; any
// other stays as it is.
std::string normalised(const std::string& value);

// What the reference makes of a value for this option: of a number its beginning that is one, or 0.
std::string exact_text(const OptionSpec& option, const std::string& value);

// The option of this name that the reference has as well; null where there is none.
const OptionSpec* find_option(const FeatureInfo& feature, const std::string& name);

// The feature with these options; those that it does not have are left out. Throws Error{kUsage} for a value
// that an option cannot take.
FeatureRequest request_of(const FeatureInfo& feature, const std::map<std::string, std::string>& options);

}  // namespace vq::libvmaf
