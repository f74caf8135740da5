// The version of this program and its libraries.
#pragma once

namespace vq {

const char* version();  // "1.2.3"

}  // namespace vq
