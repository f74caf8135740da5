// Precompiled includes of the sources for several instruction sets; the compiler's vector intrinsics are the
// longest.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hwy/aligned_allocator.h>
#include <hwy/base.h>
#include <hwy/targets.h>

#if HWY_ARCH_X86
#include <immintrin.h>
#endif
