// Reports as files.
#pragma once

#include <string>

#include "engine/libvmaf/context.h"

namespace vq::libvmaf {

// The report in this form; nothing for a form that there is not.
std::optional<std::string> report_text(const Context& context, VmafOutputFormat format);

}  // namespace vq::libvmaf
