#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/content_hash.h"
#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "core/worker_pool.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"

namespace vq {
namespace {

// Large enough for every feature, and for SSIM to shrink.
constexpr PlaneSize kSize = {391, 389};
constexpr std::chrono::seconds kCheckTimeout{300};
constexpr std::string_view kKeptAs = "certificate", kFramesKeptAs = "frames";
constexpr size_t kMostKept = 1 << 14;  // characters, for some hundred videos

// What shaders write as a guess, which differs among devices that are right: later stages settle it.
struct Guess {
  std::string_view shader;
  size_t binding = 0;
};
constexpr Guess kGuesses[] = {{"psnr_hvs_chunk_steps", 3}, {"psnr_hvs_terms", 4}, {"ssim_compare", 2}};

bool is_guess(const vulkan::Written& written) {
  return std::ranges::any_of(kGuesses, [&](const Guess& guess) {
    return guess.shader == written.shader && guess.binding == written.binding;
  });
}

bool are_same(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<uint64_t, double>, std::bit_cast<uint64_t, double>);
}
bool are_same(const FrameResult& a, const FrameResult& b) {
  return are_same(a.values, b.values) && are_same(a.tallies, b.tallies) && a.texts == b.texts;
}

std::string kept(const vulkan::Device& device, std::string_view what) {
  const std::vector<uint8_t> bytes = device.kept(what, version());
  return {bytes.begin(), bytes.end()};
}
void keep(const vulkan::Device& device, std::string_view what, const std::string& text) {
  device.keep(what, version(), std::vector<uint8_t>(text.begin(), text.end()));
}

std::vector<VideoFormat> checked_formats() {
  const VideoFormat plain = {.name = "check", .width = kSize.width, .height = kSize.height};
  VideoFormat deep = plain, bright = plain;
  deep.bit_depth = 10;
  bright.bit_depth = 12;
  bright.chroma = Chroma::k444;
  bright.transfer = Transfer::kPq;
  bright.matrix = Matrix::kBt2020;
  bright.primaries = Primaries::kBt2020;
  return {plain, deep, bright};
}

// One feature on one kind of video.
class CheckedWork {
 public:
  CheckedWork(const FeatureInfo& info, const VideoFormat& format, vulkan::Context& context)
      : context_(context), request_{.info = &info, .options = OptionSet(info.options)} {
    formats_.distorted = format;
    if (info.needs_reference(request_.options)) formats_.reference = format;
    resolve(request_, formats_);
    check_request(request_, formats_);
  }

  void check(CheckedFeature& found) {
    const auto feature =
        device_support(*request_.info)
            ->make(request_.options, formats_, {.backend = Backend::kVulkan, .pool = &pool_}, context_);
    make_pictures();
    const std::unique_ptr<DeviceWork> work = feature->make_work(on_device());
    std::vector<vulkan::Written> written;
    const vulkan::Buffer copies = run(*work, written);
    found.is_on_host = written.empty();
    const FramePair frames = on_host();
    const std::unique_ptr<HostFinish> rest = work->take(frames);
    const FrameResult result = rest ? rest->finish() : work->finish(frames);
    const FrameResult expected =
        request_.info->make(request_.options, formats_, {.backend = Backend::kScalar, .pool = &pool_})
            ->score(frames);
    add_digests(written, copies, found.stages);
    context_.require_same(are_same(result, expected), "results");
  }

 private:
  // The distorted picture and the reference, and pairs of frames before.
  void make_pictures() {
    const FrameNeeds needs = frame_needs(std::span(&request_, 1));
    before_ = needs.before;
    const int pairs = 1 + std::max(before_.distorted, before_.references);
    for (int i = 0; i < 2 * pairs; ++i) {
      pictures_.push_back(std::make_unique<CheckPicture>(context_, formats_.distorted,
                                                         i < 2 || before_.all_planes ? needs.planes : 1,
                                                         static_cast<uint32_t>(i + 1), kSize));
    }
  }
  CheckPicture& picture(bool is_reference, int before) const {
    return *pictures_[static_cast<size_t>(2 * before + (is_reference ? 1 : 0))];
  }
  DeviceFrame on_device() const {
    DeviceFrame frame{.distorted = picture(false, 0).on_device()};
    if (formats_.reference) frame.reference = &picture(true, 0).on_device();
    for (int i = 1; i <= before_.distorted; ++i)
      frame.distorted_before.push_back(&picture(false, i).on_device());
    for (int i = 1; i <= before_.references; ++i)
      frame.references_before.push_back(&picture(true, i).on_device());
    return frame;
  }
  FramePair on_host() const {
    FramePair pair{.distorted = picture(false, 0).frame(), .reference = std::nullopt};
    if (formats_.reference) pair.reference = picture(true, 0).frame();
    for (int i = 1; i <= before_.distorted; ++i) pair.distorted_before.push_back(picture(false, i).frame());
    for (int i = 1; i <= before_.references; ++i) pair.references_before.push_back(picture(true, i).frame());
    return pair;
  }

  // Returns what was written, one copy after the other.
  vulkan::Buffer run(DeviceWork& work, std::vector<vulkan::Written>& written) const {
    vulkan::Recorder recorder(context_.device());
    for (const auto& each : pictures_) each->on_device().record(recorder);
    recorder.watch(written);
    work.record(recorder);
    std::vector<vulkan::Copy> copies;
    int64_t bytes = 0;
    for (const vulkan::Written& each : written) {
      copies.push_back({.from = &each.copy, .to_offset = bytes, .bytes = each.copy.bytes()});
      bytes += each.copy.bytes();
    }
    vulkan::Buffer all(context_.device(), vulkan::Memory::kReadback, std::max<int64_t>(bytes, 4));
    for (vulkan::Copy& copy : copies) copy.to = &all;
    recorder.copy(copies);
    vulkan::CommandList list = recorder.finish();
    for (const auto& each : pictures_) each->on_device().upload(each->frame());
    list.submit();
    list.wait(kCheckTimeout);
    return all;
  }

  static void add_digests(const std::vector<vulkan::Written>& written, const vulkan::Buffer& copies,
                          std::vector<StageDigest>& stages) {
    const char* at = reinterpret_cast<const char*>(copies.mapped());
    ContentHash hash;
    for (const vulkan::Written& each : written) {
      if (stages.empty() || stages.back().stage != each.stage) {
        stages.push_back({.stage = each.stage});
        hash = ContentHash();
      }
      if (!is_guess(each)) hash.add({at, static_cast<size_t>(each.copy.bytes())});
      stages.back().digest = hash.value();
      at += each.copy.bytes();
    }
  }

  vulkan::Context& context_;
  WorkerPool pool_{1};
  FeatureRequest request_;
  VideoFormats formats_;
  NeighbourCount before_;
  std::vector<std::unique_ptr<CheckPicture>> pictures_;
};

// Nothing if the feature is not for such videos.
std::optional<CheckedFeature> check_feature(const FeatureInfo& info, const VideoFormat& format,
                                            vulkan::Context& context) {
  CheckedFeature found{.name = std::string(info.name),
                       .video = words("{} bits, {}", format.bit_depth, to_string(format.chroma))};
  if (format.transfer != Transfer::kUnspecified)
    found.video = words("{}, {}", found.video, to_string(format.transfer));
  std::optional<CheckedWork> work;
  try {
    work.emplace(info, format, context);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto begin = std::chrono::steady_clock::now();
  found.problem = device_support(info)->unsupported(Backend::kVulkan, context.device()->info());
  try {
    if (found.problem.empty()) work->check(found);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBackend || context.device()->has_failed()) throw;
    found.problem = error.what();
  }
  found.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

}  // namespace

DeviceCertificate check_device(const vulkan::DeviceOptions& options,
                               std::span<const FeatureInfo* const> infos) {
  vulkan::Context context(vulkan::Device::open(options));
  DeviceCertificate certificate;
  for (const FeatureInfo* info : infos) {
    if (device_support(*info) == nullptr) continue;
    for (const VideoFormat& format : checked_formats()) {
      if (auto found = check_feature(*info, format, context))
        certificate.features.push_back(std::move(*found));
    }
  }
  if (infos.size() < features().size()) return certificate;
  keep(*context.device(), kKeptAs, certificate.passes() ? hash_text(certificate.digest()) : "");
  keep(*context.device(), kFramesKeptAs, "");
  return certificate;
}

std::string kept_certificate(const vulkan::Device& device) {
  return kept(device, kKeptAs);
}

FirstFrames::FirstFrames(std::span<const FeatureRequest> features, const VideoFormats& formats,
                         const Execution& execution, vulkan::Context& context)
    : context_(context), pool_(execution.pool) {
  const std::string known = kept(*context.device(), kFramesKeptAs);
  for (const FeatureRequest& request : features) {
    const VideoFormats seen = formats_of(request, formats);
    const std::string key = hash_text(content_hash(sharing_key(request, seen))) + "\n";
    features_.push_back({request, seen, key, known.find(key) == std::string::npos});
  }
}

std::vector<size_t> FirstFrames::next(const FramePair& frames) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < features_.size(); ++i) {
    Feature& feature = features_[i];
    if (!feature.is_next || !frames.is_reported) continue;
    const NeighbourCount before = frame_needs(std::span(&feature.request, 1)).before;
    if (std::ssize(frames.distorted_before) < before.distorted ||
        std::ssize(frames.references_before) < before.references)
      continue;
    feature.is_next = false;
    indices.push_back(i);
  }
  return indices;
}

void FirstFrames::compare(FramePair frames, std::span<const FrameResult> found,
                          std::span<const size_t> features) {
  const std::lock_guard lock(mutex_);
  bring_to_host(frames);
  std::string keys;
  for (const size_t i : features) {
    const Feature& feature = features_[i];
    const FeatureRequest& request = feature.request;
    const FrameResult expected =
        request.info->make(request.options, feature.formats, {.backend = Backend::kScalar, .pool = pool_})
            ->score(frames);
    context_.require_same(are_same(found[i], expected),
                          words("scores of frame {} by {}", frames.index, request.info->name));
    keys += feature.key;
  }
  const std::string known = kept(*context_.device(), kFramesKeptAs);
  keep(*context_.device(), kFramesKeptAs, known.size() > kMostKept ? keys : known + keys);
}

}  // namespace vq
