#include "core/content_hash.h"
#include "core/version.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "shaders/common_copy_quads.h"

namespace vq {

using vulkan::Buffer;
using vulkan::Memory;

constexpr std::chrono::seconds kBandwidthTimeout{60};
constexpr int kRuns = 7;
// More than caches hold, which on devices are up to some hundred million bytes; software copies as the host
// does.
constexpr int64_t kBytes = int64_t{512} << 20, kSoftwareBytes = int64_t{64} << 20;
// Bytes of a frame or two.
constexpr int64_t kLinkBytes = int64_t{32} << 20;

// Seconds that the device takes for what was recorded, in the middle of several runs.
static double seconds_of(vulkan::Recorder& recorder) {
  vulkan::CommandList list = recorder.finish();
  std::vector<double> times;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    list.submit();
    list.wait(kBandwidthTimeout);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double by_clock = list.times().empty() ? 0 : 1e-3 * list.times()[0].milliseconds;
    times.push_back(by_clock > 0 ? by_clock : wall.count());
  }
  return median(times);
}

static double bytes_a_second(int64_t bytes, double seconds) {
  return static_cast<double>(bytes) / std::max(seconds, 1e-9);
}

// Not a copy command, which some devices carry out at a fifth of what their shaders reach.
static double memory_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  const vulkan::DeviceInfo& info = device->info();
  const int64_t wanted = info.type == vulkan::DeviceType::kSoftware ? kSoftwareBytes : kBytes;
  const int64_t allowed = std::min(info.max_buffer_bytes, info.memory_bytes / 8);
  const int64_t bytes = std::max<int64_t>(std::min(wanted, allowed) / 16 * 16, 16);
  const Buffer a(device, Memory::kDevice, bytes), b(device, Memory::kDevice, bytes);
  const vulkan::Pipeline copy(device, shaders::kCommonCopyQuads, {});
  vulkan::Recorder recorder(device);
  recorder.fill(a, 1);
  recorder.begin_stage("copy");
  constexpr uint32_t kGroups = 4096;
  const std::array push = {static_cast<uint32_t>(bytes / 16), kGroups * 256};
  recorder.pass(copy, {&a, &b}).run(push, {kGroups});
  recorder.pass(copy, {&b, &a}).run(push, {kGroups});
  return bytes_a_second(4 * bytes, seconds_of(recorder));
}

static double link_bandwidth(const std::shared_ptr<vulkan::Device>& device, const Buffer& from,
                             const Buffer& to) {
  vulkan::Recorder recorder(device);
  recorder.begin_stage("copy");
  recorder.copy(from, to);
  return bytes_a_second(from.bytes(), seconds_of(recorder));
}

DeviceBandwidth device_bandwidth(const std::string& selector) {
  return measure_bandwidth(vulkan::Device::open({.selector = selector}));
}

DeviceBandwidth measure_bandwidth(const std::shared_ptr<vulkan::Device>& device) {
  const Buffer on(device, Memory::kDevice, kLinkBytes), up(device, Memory::kUpload, kLinkBytes),
      back(device, Memory::kReadback, kLinkBytes);
  return {.memory = memory_bandwidth(device),
          .upload = link_bandwidth(device, up, on),
          .readback = link_bandwidth(device, on, back)};
}

namespace {

constexpr uint32_t kSeedsEach = 16;  // even: a picture's planes are banded or not together

// Keeps the matrix that a video without a tag has by its size.
VideoFormat of_size(VideoFormat like, PlaneSize size) {
  const Matrix matrix = matrix_of(like);
  like.width = size.width;
  like.height = size.height;
  if (matrix_of(like) != matrix) like.matrix = matrix;
  return like;
}

// Samples of a plane of a CheckPicture. Noise reaches all bits; ramps with flat parts are smooth, and banded
// in every other picture, so that sums meet small and equal terms; blocks of the ends of the range, of single
// samples and of what is the same in all pictures reach what is rare elsewhere.
class CheckSamples {
 public:
  CheckSamples(PlaneSize size, int bit_depth, uint32_t seed)
      : size_(size), bit_depth_(bit_depth), max_((1U << bit_depth) - 1), number_(seed), noise_(seed) {}

  // In the order of rows.
  uint32_t next(int x, int y) {
    noise_ = noise_ * 1664525 + 1013904223;  // Numerical Recipes
    const int third = (size_.width + 2) / 3, part = x / third;
    if (part == 0) return noise_ >> (32 - bit_depth_);
    return part == 1 ? ramp(x - third, y, third) : block(x, y);
  }

 private:
  uint32_t ramp(int x, int y, int width) const {
    const bool is_flat = y / 8 % 3 == 1;
    const auto along = static_cast<uint32_t>(is_flat ? width : 2 * x + y),
               all = static_cast<uint32_t>(2 * width + size_.height);
    const uint32_t value = along * max_ / all;
    return number_ % 2 == 0 ? value : value >> (bit_depth_ - 6) << (bit_depth_ - 6);
  }
  uint32_t block(int x, int y) const {
    const auto number = static_cast<uint32_t>(x / 8 + 5 * (y / 8)), kind = (number * (number_ + 1)) % 6;
    const bool is_odd = (x + y) % 2 != 0, is_single = x % 8 == 3 && y % 8 == 4;
    const uint32_t values[] = {0,
                               max_,
                               is_odd ? max_ : 0,
                               (max_ + 1) / 2,
                               is_single ? max_ : 1,
                               (number * 37 + static_cast<uint32_t>(x * y)) & max_};
    return values[number % 7 == 0 ? 5 : kind];
  }

  const PlaneSize size_;
  const int bit_depth_;
  const uint32_t max_, number_;
  uint32_t noise_;
};

template <typename T>
Plane<T> check_plane(PlaneSize size, CheckSamples samples) {
  Plane<T> plane(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.row(y)[x] = static_cast<T>(samples.next(x, y));
  }
  return plane;
}

}  // namespace

CheckPicture::CheckPicture(const vulkan::Context& context, VideoFormat like, int planes, uint32_t seed,
                           PlaneSize size)
    : format_(of_size(std::move(like), size)), on_device_(context.device(), format_, planes) {
  frame_.bit_depth = format_.bit_depth;
  for (int i = 0; i < on_device_.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const PlaneSize of_plane = plane_size(format_, i);
    const CheckSamples samples(of_plane, format_.bit_depth, seed + kSeedsEach * static_cast<uint32_t>(i));
    if (format_.bit_depth > 8) {
      words_[at] = check_plane<uint16_t>(of_plane, samples);
      frame_.planes[at].u16 = words_[at].view();
    } else {
      bytes_[at] = check_plane<uint8_t>(of_plane, samples);
      frame_.planes[at].u8 = bytes_[at].view();
    }
  }
}

void run_once(const vulkan::Context& context, std::span<CheckPicture* const> pictures,
              const std::function<void(vulkan::Recorder&)>& record, std::chrono::seconds timeout) {
  vulkan::Recorder recorder(context.device());
  for (CheckPicture* const picture : pictures) picture->on_device().record(recorder);
  record(recorder);
  vulkan::CommandList list = recorder.finish();
  for (CheckPicture* const picture : pictures) picture->on_device().upload(picture->frame());
  list.submit();
  list.wait(timeout);
}

FeatureMemory slot_memory(const VideoFormats& formats,
                          const std::function<void(vulkan::Context&, const DeviceFrame&)>& make_work) {
  constexpr size_t kMostBefore = 60;
  const MemoryCount pictures;
  const vulkan::DevicePicture distorted(nullptr, formats.distorted, kMaxPlanes),
      reference(nullptr, formats.reference.value_or(formats.distorted), kMaxPlanes);
  const DeviceFrame frame{.distorted = distorted,
                          .reference = &reference,
                          .distorted_before = std::vector(kMostBefore, &distorted),
                          .references_before = std::vector(kMostBefore, &reference)};
  vulkan::Context context(nullptr);
  const MemoryCount with_tables;
  make_work(context, frame);
  const MemoryCount slot;  // finds the tables in the context
  make_work(context, frame);
  return {.fixed = 2 * (with_tables.bytes() - slot.bytes()),
          .each_slot = slot.bytes(),
          .largest_buffer = slot.largest_buffer()};
}

namespace {

// Large enough for every feature, and for SSIM to shrink.
constexpr PlaneSize kLargeSize = {391, 389};
constexpr std::chrono::seconds kCheckTimeout{300};
constexpr std::string_view kKeptAs = "certificate", kFramesKeptAs = "frames";
constexpr size_t kMostKept = 1 << 14;  // characters, for some hundred videos

// What shaders write as a guess, which differs among devices that are right: later stages settle it.
struct Guess {
  std::string_view shader;
  size_t binding = 0;
};
constexpr Guess kGuesses[] = {{"ciede_chunk_steps", 3},
                              {"ciede_differences", 7},
                              {"psnr_hvs_chunk_steps", 3},
                              {"psnr_hvs_terms", 4},
                              {"ssim_compare", 2}};

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

Execution checked_execution(const FeatureRequest& request) {
  Execution execution = {.backend = Backend::kScalar};
  execution.histograms = request.info->histograms != nullptr;
  return execution;
}

// Whether a device finds for small pictures what the scalar stages find.
bool finds_the_same(DeviceWork& work, const CheckFrames& frames, const FeatureRequest& request,
                    WorkerPool* pool) {
  const FramePair pair = frames.on_host();
  const std::unique_ptr<HostFinish> rest = work.take(pair);
  const FrameResult found = rest ? rest->finish() : work.finish(pair);
  Execution execution = checked_execution(request);
  execution.pool = pool;
  const FrameResult expected = request.info->make(request.options, frames.formats(), execution)->score(pair);
  return are_same(found, expected) && found.histograms == expected.histograms;
}

std::string kept(const vulkan::Device& device, std::string_view what) {
  const std::vector<uint8_t> bytes = device.kept(what, version());
  return {bytes.begin(), bytes.end()};
}
void keep(const vulkan::Device& device, std::string_view what, const std::string& text) {
  device.keep(what, version(), std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace

CheckFrames::CheckFrames(const vulkan::Context& context, VideoFormats formats, const FrameNeeds& needs,
                         PlaneSize size)
    : context_(context), formats_(std::move(formats)), before_(needs.before) {
  const int pairs = 1 + std::max(before_.distorted, before_.references);
  for (int i = 0; i < 2 * pairs; ++i) {
    std::unique_ptr<CheckPicture>& picture = pictures_.emplace_back();
    if (i % 2 == 1 && !formats_.reference) continue;
    const VideoFormat& like = i % 2 == 0 ? formats_.distorted : *formats_.reference;
    picture = std::make_unique<CheckPicture>(context, like, i < 2 || before_.all_planes ? needs.planes : 1,
                                             // Both parities come in each video: 1, 4, 7 and 2, 5, 8.
                                             static_cast<uint32_t>(i + 1 + i / 2), size);
  }
  formats_.distorted = distorted().format();
  if (formats_.reference) formats_.reference = reference().format();
}

DeviceFrame CheckFrames::on_device() const {
  DeviceFrame frame{.distorted = distorted().on_device()};
  if (formats_.reference) frame.reference = &reference().on_device();
  for (int i = 1; i <= before_.distorted; ++i)
    frame.distorted_before.push_back(&picture(false, i).on_device());
  for (int i = 1; i <= before_.references; ++i)
    frame.references_before.push_back(&picture(true, i).on_device());
  return frame;
}

FramePair CheckFrames::on_host() const {
  FramePair pair{.distorted = distorted().frame(), .reference = std::nullopt};
  if (formats_.reference) pair.reference = reference().frame();
  for (int i = 1; i <= before_.distorted; ++i) pair.distorted_before.push_back(picture(false, i).frame());
  for (int i = 1; i <= before_.references; ++i) pair.references_before.push_back(picture(true, i).frame());
  return pair;
}

void CheckFrames::run(const Record& record, std::chrono::seconds timeout) const {
  std::vector<CheckPicture*> pictures;
  for (const auto& picture : pictures_)
    if (picture) pictures.push_back(picture.get());
  run_once(context_, pictures, record, timeout);
}

void check_scores(const FeatureRequest& request, const VideoFormats& formats, vulkan::Context& context,
                  DeviceMaker& make) {
  const CheckFrames frames(context, formats, frame_needs(std::span(&request, 1)));
  const auto feature = make(request.options, frames.formats(), checked_execution(request), context);
  const std::unique_ptr<DeviceWork> work = feature->make_work(frames.on_device());
  frames.run(*work);
  context.require_same(finds_the_same(*work, frames, request, nullptr), "scores");
}

namespace {

std::vector<VideoFormat> checked_formats() {
  const VideoFormat plain = {.name = "check", .width = kLargeSize.width, .height = kLargeSize.height};
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
    Execution execution = checked_execution(request_);
    execution.backend = Backend::kVulkan;
    execution.pool = &pool_;
    const auto feature =
        device_support(*request_.info)->make(request_.options, formats_, execution, context_);
    const CheckFrames frames(context_, formats_, frame_needs(std::span(&request_, 1)), kLargeSize);
    const std::unique_ptr<DeviceWork> work = feature->make_work(frames.on_device());
    std::vector<vulkan::Written> written;
    const vulkan::Buffer copies = run(frames, *work, written);
    found.is_on_host = written.empty();
    add_digests(written, copies, found.stages);
    context_.require_same(finds_the_same(*work, frames, request_, &pool_), "results");
  }

 private:
  // Returns what was written, one copy after the other.
  vulkan::Buffer run(const CheckFrames& frames, DeviceWork& work,
                     std::vector<vulkan::Written>& written) const {
    vulkan::Buffer all;
    frames.run(
        [&](vulkan::Recorder& recorder) {
          recorder.watch(written);
          work.record(recorder);
          std::vector<vulkan::Copy> copies;
          int64_t bytes = 0;
          for (const vulkan::Written& each : written) {
            copies.push_back(
                {.from = &each.copy, .to = &all, .to_offset = bytes, .bytes = each.copy.bytes()});
            bytes += each.copy.bytes();
          }
          all = vulkan::Buffer(context_.device(), vulkan::Memory::kReadback, std::max<int64_t>(bytes, 4));
          recorder.copy(copies);
        },
        kCheckTimeout);
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

std::string kept_certificate(const vulkan::Device& device) { return kept(device, kKeptAs); }

FirstFrames::FirstFrames(std::span<const FeatureRequest> features, const VideoFormats& formats,
                         const Execution& execution, vulkan::Context& context)
    : context_(context), on_host_{.pool = execution.pool, .cpumask = execution.cpumask} {
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
  const std::vector<FrameResult> expected = parallel_map(features.size(), [&](size_t k) {
    const auto& [request, formats, key, is_next] = features_[features[k]];
    return request.info->make(request.options, formats, on_host_)->score(frames);
  });
  std::string keys;
  for (size_t k = 0; k < features.size(); ++k) {
    const Feature& feature = features_[features[k]];
    context_.require_same(are_same(found[features[k]], expected[k]),
                          words("scores of frame {} by {}", frames.index, feature.request.info->name));
    keys += feature.key;
  }
  const std::string known = kept(*context_.device(), kFramesKeptAs);
  keep(*context_.device(), kFramesKeptAs, known.size() > kMostKept ? keys : known + keys);
}

}  // namespace vq
