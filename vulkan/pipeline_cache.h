// The pipeline cache's file. Private to this folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace vq::vulkan {

// What the file holds for exactly this key, or nothing: files that are missing, cut, damaged or another's
// count as absent. Drivers trust what they are given, so a checksum stands guard. Never throws.
std::vector<uint8_t> load_cache(const std::filesystem::path& file, std::span<const uint8_t> key);

// Replaces the file as a whole; what goes wrong is ignored. Never throws.
void save_cache(const std::filesystem::path& file, std::span<const uint8_t> key,
                std::span<const uint8_t> data);

}  // namespace vq::vulkan
