// The one place that includes Vulkan. Private to this folder; precompiled, since it is long.
#pragma once

#include <vulkan/vulkan_raii.hpp>

static_assert(VK_HEADER_VERSION_COMPLETE >= VK_MAKE_API_VERSION(0, 1, 3, 239));
