// Reports as files.
#pragma once

#include <string>

#include "engine/libvmaf/context.h"

namespace vq::libvmaf {

// The report in one of VmafOutputFormat; nothing for another number.
std::optional<std::string> report_text(const Context& context, int format);

}  // namespace vq::libvmaf
