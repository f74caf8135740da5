// Cache files for results that are slow to compute.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace vq::vulkan {

// The data that the file holds for exactly this key, or nothing: a file that is missing, truncated, damaged
// or not a cache counts as absent. Callers trust the data, so a checksum protects it. Never throws.
std::vector<uint8_t> load_cache(const std::filesystem::path& file, std::span<const uint8_t> key);

// The temporary file of this thread that save_cache() renames to `file`.
std::filesystem::path own_partial(const std::filesystem::path& file);

// Replaces the file as a whole; failures are ignored. Never throws.
void save_cache(const std::filesystem::path& file, std::span<const uint8_t> key,
                std::span<const uint8_t> data);

}  // namespace vq::vulkan
