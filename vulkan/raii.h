// The one place that includes Vulkan. Private to this folder; precompiled, since it is long.
#pragma once

#include <vulkan/vulkan_raii.hpp>
