#include "feature/scoring_group.h"

#include <algorithm>

namespace vq {
namespace {

std::string key_of(const VideoFormat& video) {
  std::string key;
  for (const int value :
       {video.width, video.height, video.bit_depth, static_cast<int>(video.chroma),
        static_cast<int>(video.range), static_cast<int>(video.transfer), static_cast<int>(video.matrix),
        static_cast<int>(video.primaries), static_cast<int>(video.chroma_location),
        static_cast<int>(video.rounds_chroma_down)})
    key += std::to_string(value) + " ";
  return key + std::to_string(video.frame_rate);
}

template <typename T>
bool is_same_view(const PlaneView<T>& a, const PlaneView<T>& b) {
  return a.data == b.data && a.stride == b.stride && a.width == b.width && a.height == b.height;
}

}  // namespace

std::shared_ptr<HostFeature> ScoringGroup::shared(const std::string& key, std::shared_ptr<HostFeature> own) {
  const std::lock_guard lock(mutex_);
  return features_.emplace(key, std::move(own)).first->second;
}

std::string sharing_key(const FeatureRequest& request, const VideoFormats& formats) {
  std::string key(request.info->name);
  for (const OptionSpec& option : request.info->options)
    key += "\n" + std::string(option.name) + "=" + request.options.text(option.name);
  key += request.heatmaps ? "\nheatmaps" : "";
  key += request.histograms ? "\nhistograms" : "";
  key += "\n" + key_of(formats.distorted);
  return formats.reference ? key + "\n" + key_of(*formats.reference) : key;
}

bool is_same_picture(const Frame& a, const Frame& b) {
  return a.bit_depth == b.bit_depth &&
         std::equal(a.planes.begin(), a.planes.end(), b.planes.begin(), [](const auto& p, const auto& q) {
           return is_same_view(p.u8, q.u8) && is_same_view(p.u16, q.u16);
         });
}

}  // namespace vq
