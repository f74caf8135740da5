// Files of what was found out once and takes time to find out again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace vq::vulkan {

// What the file holds for exactly this key, or nothing: files that are missing, cut, damaged or another's
// count as absent. Who is given the data trusts it, so a checksum stands guard. Never throws.
std::vector<uint8_t> load_cache(const std::filesystem::path& file, std::span<const uint8_t> key);

// Where this thread writes first what save_cache() is to put in the file's place.
std::filesystem::path own_partial(const std::filesystem::path& file);

// Replaces the file as a whole; what goes wrong is ignored. Never throws.
void save_cache(const std::filesystem::path& file, std::span<const uint8_t> key,
                std::span<const uint8_t> data);

}  // namespace vq::vulkan
