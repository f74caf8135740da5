#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "core/frame.h"
#include "core/trace.h"
#include "feature/slot_pool.h"
#include "shaders/fitting/shared.h"
#include "shaders/fitting_gather.h"  // made by the build from shaders/fitting/gather.comp
#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq {
namespace {

// Decoders have some dozens of pictures. Of pairs there are more; those that are not among the first are
// copied, since recording takes longer. Recordings keep the memory they read, so that those that nobody
// needed for long make room.
constexpr size_t kMostPlaces = 64;
constexpr int64_t kLong = 256;  // frames

// How long a device may take for so many samples.
std::chrono::milliseconds device_timeout(int64_t samples) {
  // 10 s and 4 s for every million samples.
  return std::chrono::milliseconds(10'000 + samples / 250);
}

int64_t samples_of(const vulkan::DevicePicture& picture) {
  int64_t samples = 0;
  for (int i = 0; i < picture.count(); ++i) {
    samples += int64_t{picture.plane(i).layout.width} * picture.plane(i).layout.height;
  }
  return samples;
}

// The largest number of planes over all pictures of a frame.
uint32_t most_planes(const FrameNeeds& use) {
  return static_cast<uint32_t>(kMaxPlanes * (2 + use.before.distorted + use.before.references));
}

}  // namespace

bool uploads_reference(const FrameNeeds& use, const VideoFormats& formats) {
  return use.reference && formats.reference.has_value();
}

template <typename Wanted>
vulkan::CommandList FrameSlot::record(Wanted wanted) const {
  vulkan::Recorder recorder(run_.context->device());
  if (run_.fitting) recorder.begin_stage("fitting");
  for (const Picture& picture : pictures_) {
    if (picture.fitted) picture.fitted->record(recorder);
  }
  for (size_t i = 0; i < works_.size(); ++i) {
    if (!wanted(run_.parts[i])) continue;
    if (works_.size() > 1) recorder.set_stage_prefix(run_.parts[i].name + ": ");
    works_[i]->record(recorder);
  }
  return recorder.finish();
}

FrameSlot::FrameSlot(const DeviceRun& run, const VideoFormats& formats, const SlotKind& kind,
                     KeptFrames& kept)
    : run_(run),
      name_(formats.distorted.name),
      number_(kind.number),
      kept_(kept),
      upload_(run.context->device(), most_planes(run.use)),
      has_reference_(uploads_reference(run.use, formats)) {
  add_picture(formats.distorted, run.use.planes);
  if (has_reference_) add_picture(*formats.reference, run.use.planes);
  for (int i = 0; i < run.use.before.distorted; ++i) add_picture(formats.distorted, neighbour_planes());
  for (int i = 0; has_reference_ && i < run.use.before.references; ++i)
    add_picture(*formats.reference, neighbour_planes());
  if (kind.stages) {
    for (const Picture& picture : pictures_) picture.on_device->prepare_to_stage();
  }
  const DeviceFrame frame = device_frame();
  for (const DevicePart& part : run.parts) works_.push_back(part.feature->make_work(frame));
  record(own_);
}

void FrameSlot::add_picture(const VideoFormat& format, int planes) {
  Picture& added = pictures_.emplace_back();
  const int read = run_.fitting ? fitting::source_planes(format, *run_.fitting, planes) : planes;
  added.on_device = std::make_unique<vulkan::DevicePicture>(run_.context->device(), format, read);
  added.gather = std::make_unique<GatherPlanes>(*run_.context, added.on_device->plane(0).layout.sample_bytes);
  if (run_.fitting && changes(*run_.fitting, format)) {
    added.fitted = std::make_unique<fitting::FittedPicture>(*run_.context, *added.on_device, format,
                                                            *run_.fitting, planes);
  }
}

DeviceFrame FrameSlot::device_frame() const {
  auto next = pictures_.begin();
  DeviceFrame frame{.distorted = *(next++)->seen()};
  if (has_reference_) frame.reference = (next++)->seen();
  for (int i = 0; i < run_.use.before.distorted; ++i) frame.distorted_before.push_back((next++)->seen());
  while (next != pictures_.end()) frame.references_before.push_back((next++)->seen());
  return frame;
}

// One for each picture; if the video begins, null, or the first frame.
std::vector<const Frame*> FrameSlot::frames_of(const FramePair& pair) const {
  std::vector<const Frame*> frames = {&pair.distorted};
  if (has_reference_) frames.push_back(&pair.reference.value());
  const auto add = [&](const Frame* own, const std::vector<Frame>& before, size_t count) {
    const Frame* const first = before.empty() ? own : &before.back();
    const Frame* const missing = run_.use.before.all_planes ? first : nullptr;
    for (size_t i = 0; i < count; ++i) frames.push_back(i < before.size() ? &before[i] : missing);
  };
  add(&pair.distorted, pair.distorted_before, static_cast<size_t>(run_.use.before.distorted));
  add(frames.at(own_pictures() - 1), pair.references_before, pictures_.size() - frames.size());
  return frames;
}

void FrameSlot::record(Recordings& recordings) const {
  recordings.whole = record([](const DevicePart&) { return true; });
  if (run_.looks_at_every_frame())
    recordings.unreported = record([](const DevicePart& part) { return part.every_frame; });
}

// None if the device cannot read all of them as they lie.
std::vector<vulkan::ReadLocation> FrameSlot::places_of(const FramePair& pair) const {
  std::vector<vulkan::ReadLocation> places;
  const std::vector<const Frame*> frames = frames_of(pair);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] == nullptr) return {};
    std::optional<vulkan::ReadLocation> place = pictures_[i].on_device->readable_place(*frames[i]);
    if (!place) return {};
    places.push_back(std::move(*place));
  }
  return places;
}

// A store's pieces come again and again, so that few recordings serve all frames. Null if the device cannot
// read these as they lie.
FrameSlot::Recordings* FrameSlot::in_place(const FramePair& frames) {
  std::vector<vulkan::ReadLocation> places = places_of(frames);
  if (places.empty()) return nullptr;
  ++uses_;
  auto found =
      std::find_if(placed_.begin(), placed_.end(), [&](const auto& each) { return each->places == places; });
  if (found == placed_.end()) {
    std::erase_if(placed_, [&](const auto& each) {
      return placed_.size() == kMostPlaces && each->last_use < uses_ - kLong;
    });
    if (placed_.size() == kMostPlaces) return nullptr;
    placed_.push_back(record_in_place(frames));
    found = placed_.end() - 1;
    (*found)->places = std::move(places);
  }
  (*found)->last_use = uses_;
  return found->get();
}

std::unique_ptr<FrameSlot::Recordings> FrameSlot::record_in_place(const FramePair& pair) {
  const TraceSpan span("record in place", pair.index);
  auto recordings = std::make_unique<Recordings>();
  const std::vector<const Frame*> frames = frames_of(pair);
  const std::lock_guard lock(run_.context->mutex());
  for (size_t i = 0; i < frames.size(); ++i) pictures_[i].on_device->read_from(frames[i]);
  record(*recordings);
  for (const Picture& picture : pictures_) picture.on_device->read_from(nullptr);
  return recordings;
}

// Settles an upload, also if a start fails.
class FrameSlot::Settled {
 public:
  Settled(KeptFrames& kept, int64_t number) : kept_(kept), number_(number) {}
  ~Settled() { kept_.settle(number_); }
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;

 private:
  KeptFrames& kept_;
  const int64_t number_;
};

void FrameSlot::start(const FrameJob& job) {
  const TraceSpan span("begin a frame", job.frames.index);
  upload_.begin();
  Recordings* const placed = in_place(job.frames);
  const TraceSpan submitting("submit", job.frames.index);
  const Settled settled(kept_, announced_);
  bytes_uploaded_ = 0;
  if (placed == nullptr) {
    bring_and_submit(job.frames);
  } else {
    upload_.submit();
  }
  Recordings& recordings = placed != nullptr ? *placed : own_;
  last_ = job.frames.is_reported ? &recordings.whole : &recordings.unreported;
  last_->submit({.queue = number_, .behind = &upload_});
}

void FrameSlot::announce(const FrameJob& job) {
  std::vector<const Frame*> kept;
  const std::vector<const Frame*> frames = frames_of(job.frames);
  for (size_t i = 0; i < own_pictures(); ++i) {
    if (keeps(i)) kept.push_back(frames[i]);
  }
  announced_ = kept_.announce(kept);
}

// Whether a later frame may need a picture.
bool FrameSlot::keeps(size_t picture) const {
  return picture >= own_pictures() ||
         (picture == 0 ? run_.use.before.distorted : run_.use.before.references) > 0;
}

// Returns the bytes that come from the host's memory, as the next.
int64_t FrameSlot::bring(size_t picture, const Frame* frame) {
  const Picture& to = pictures_[picture];
  if (frame == nullptr) return 0;
  if (is_on_host(*frame) && frame->planes[static_cast<size_t>(to.on_device->count()) - 1].empty())
    throw Error(ErrorKind::kInternal, name_ + ": its colours are needed and were not read");
  return to.on_device->upload(*frame, upload_, to.gather.get());
}

int64_t FrameSlot::bring_neighbour(size_t picture, const Frame* frame, const KeptFrames::Turn& turn) {
  const vulkan::DevicePicture& to = *pictures_[picture].on_device;
  const bool may_be_kept = frame != nullptr && to.copies_luma(*frame);
  const std::vector<vulkan::Buffer>* const from = may_be_kept ? turn.find(*frame) : nullptr;
  if (from == nullptr) return bring(picture, frame);
  for (int i = 0; i < to.count(); ++i) {
    const vulkan::Buffer& plane = from->at(static_cast<size_t>(i));
    upload_.copy({.from = &plane, .to = &to.plane(i).buffer, .bytes = plane.bytes()});
  }
  return 0;
}

// A picture of another device, which keeps its copy on the host.
void FrameSlot::fetch_from_elsewhere(size_t picture, const Frame* frame) const {
  const Picture& to = pictures_[picture];
  if (frame != nullptr && !is_on_host(*frame) && !to.on_device->takes_at_once(*frame, to.gather.get()))
    on_host(*frame);
}

// Work that takes time on the host is done before the slot's turn.
void FrameSlot::bring_and_submit(const FramePair& pair) {
  const std::vector<const Frame*> frames = frames_of(pair);
  const bool has_neighbours = frames.size() > own_pictures();
  if (has_neighbours) upload_.follow_earlier_uploads();
  for (size_t i = 0; i < own_pictures(); ++i) bytes_uploaded_ += bring(i, frames[i]);
  if (!has_neighbours) return upload_.submit();
  for (size_t i = own_pictures(); i < frames.size(); ++i) fetch_from_elsewhere(i, frames[i]);
  KeptFrames::Turn turn(kept_, {frames.begin() + static_cast<ptrdiff_t>(own_pictures()), frames.end()},
                        announced_);
  for (size_t i = 0; i < frames.size(); ++i) {
    const vulkan::DevicePicture& own = *pictures_[i].on_device;
    if (turn.forget(own) && frames[i] != nullptr && !own.copies_luma(*frames[i]))
      upload_.let_dispatches_follow();
  }
  for (size_t i = own_pictures(); i < frames.size(); ++i)
    bytes_uploaded_ += bring_neighbour(i, frames[i], turn);
  upload_.submit();
  // Neighbours too: a frame's own slot may have been used again while another still has it as a neighbour.
  for (size_t i = 0; i < frames.size(); ++i) {
    const vulkan::DevicePicture& own = *pictures_[i].on_device;
    if (keeps(i) && frames[i] != nullptr && own.copies_luma(*frames[i])) turn.put(*frames[i], own);
  }
}

bool FrameSlot::starts_at_once(const FrameJob& job) const {
  const std::vector<const Frame*> frames = frames_of(job.frames);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] != nullptr && !pictures_[i].on_device->takes_at_once(*frames[i], pictures_[i].gather.get()))
      return false;
  }
  return true;
}

std::vector<vulkan::StageTime> FrameSlot::times() const {
  std::vector<vulkan::StageTime> times;
  if (const std::optional<double> upload = upload_.milliseconds())
    times.push_back({std::string(kUploadStage), *upload});
  times.insert(times.end(), last_->times().begin(), last_->times().end());
  return times;
}

namespace {

// A frame as features see it, for what they leave to the host: fitted there when its samples are asked for.
class FittedOnDemand final : public FrameMemory {
 public:
  FittedOnDemand(Frame frame, std::shared_ptr<const FrameFitter> fitter)
      : frame_(std::move(frame)), fitter_(std::move(fitter)) {}

  const void* device() const override { return nullptr; }
  const std::array<SampleView, kMaxPlanes>& planes() const override { return fitted().planes; }
  PlaneSize luma_size() const override { return {fitted().luma().width(), fitted().luma().height()}; }
  Frame luma_part(const LumaLines& lines) const override { return copied_rows(fitted(), lines.rows); }

 private:
  const Frame& fitted() const {
    std::call_once(once_, [&] { fitted_ = fitter_->fit(frame_); });
    return fitted_;
  }

  const Frame frame_;
  const std::shared_ptr<const FrameFitter> fitter_;
  mutable std::once_flag once_;
  mutable Frame fitted_;
};

void fit_on_demand(const std::shared_ptr<const FrameFitter>& fitter, int least_bits, Frame& frame) {
  if (!fitter) return;
  Frame seen = frame;
  seen.bit_depth = std::max(frame.bit_depth, least_bits);
  seen.planes = {};
  seen.owner = nullptr;
  seen.place = std::make_shared<FittedOnDemand>(frame, fitter);
  frame = std::move(seen);
}

}  // namespace

FramePair FrameSlot::seen(const FramePair& frames) const {
  FramePair pair = frames;
  if (!run_.fitting) return pair;
  const int bits = run_.fitting->least_bits;
  fit_on_demand(run_.fit_distorted, bits, pair.distorted);
  for (Frame& frame : pair.distorted_before) fit_on_demand(run_.fit_distorted, bits, frame);
  if (pair.reference) fit_on_demand(run_.fit_reference, bits, *pair.reference);
  for (Frame& frame : pair.references_before) fit_on_demand(run_.fit_reference, bits, frame);
  return pair;
}

int64_t fitted_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting) {
  vulkan::Context context(nullptr);
  const auto bytes = [&](const VideoFormat& format, int planes) {
    if (!changes(fitting, format)) return int64_t{0};
    const int read = fitting::source_planes(format, fitting, planes);
    const MemoryCount unread;
    const vulkan::DevicePicture from(nullptr, format, read);
    const MemoryCount made;
    const fitting::FittedPicture picture(context, from, format, fitting, planes);
    return made.bytes() + vulkan::DevicePicture::bytes(format, read) -
           vulkan::DevicePicture::bytes(format, planes);
  };
  const int of_neighbour = use.before.all_planes ? use.planes : 1;
  int64_t all =
      bytes(formats.distorted, use.planes) + use.before.distorted * bytes(formats.distorted, of_neighbour);
  if (uploads_reference(use, formats))
    all += bytes(*formats.reference, use.planes) +
           use.before.references * bytes(*formats.reference, of_neighbour);
  return all;
}

std::vector<PendingFinish> FrameSlot::finish(FrameJob& job) {
  std::optional<vulkan::DriverUse> use;  // of the memory that results are in
  try {
    int64_t samples = 0;
    for (const Picture& picture : pictures_) samples += samples_of(*picture.seen());
    const TraceSpan span("wait for the device", job.frames.index);
    last_->wait(device_timeout(samples * static_cast<int64_t>(works_.size())));
    use.emplace();
    upload_.finish();
  } catch (const Error& error) {
    throw at_frame(error, name_, job.frames.distorted.index);
  }
  const TraceSpan span("take results", job.frames.index);
  std::optional<FramePair> fitted;
  if (run_.fitting) fitted = seen(job.frames);
  const FramePair& frames = fitted ? *fitted : job.frames;
  std::vector<PendingFinish> rests;
  for (size_t i = 0; i < works_.size(); ++i) {
    FrameResult& result = job.results.emplace_back();
    if (!job.frames.is_reported && !run_.parts[i].every_frame) continue;
    if (std::unique_ptr<HostFinish> rest = works_[i]->take(frames)) {
      rests.push_back({i, std::move(rest)});
    } else {
      result = works_[i]->finish(frames);
    }
  }
  job.release_frames();
  return rests;
}

// Features say which devices they run on; all of those gather planes: every device takes 128 invocations of a
// work group, and 65535 work groups in each direction.
static_assert(fitting::gpu::kGroupX * fitting::gpu::kGatherGroupY <= 128);
static_assert(kMaxSide / fitting::gpu::kGroupX <= 65535 && kMaxSide / fitting::gpu::kGatherGroupY <= 65535);

GatherPlanes::GatherPlanes(vulkan::Context& context, int sample_bytes)
    : device_(context.device()->info()),
      pipeline_(context.pipeline(shaders::kFittingGather, {static_cast<uint32_t>(sample_bytes)})),
      sample_bytes_(sample_bytes) {}

bool GatherPlanes::unpacks(const vulkan::PlaneSource& source, const vulkan::DevicePlane& to) const {
  return to.layout.sample_bytes == sample_bytes_ && source.offset % sample_bytes_ == 0 &&
         source.stride % sample_bytes_ == 0 && source.step % sample_bytes_ == 0 &&
         source.buffer->bytes() % 4 == 0 &&
         vulkan::unsupported_buffer_reason(device_, source.buffer->bytes()).empty();
}

void GatherPlanes::record(vulkan::Upload& upload, const vulkan::PlaneSource& source,
                          const vulkan::DevicePlane& to) const {
  using namespace fitting::gpu;
  const vulkan::PlaneLayout& layout = to.layout;
  const GatherPush push{.width = static_cast<uint>(layout.width),
                        .height = static_cast<uint>(layout.height),
                        .offset = static_cast<uint>(source.offset),
                        .from_stride = static_cast<uint>(source.stride),
                        .step = static_cast<uint>(source.step),
                        .shift = static_cast<uint>(source.shift),
                        .to_stride = static_cast<uint>(layout.stride_bytes() / 16)};
  const int samples = static_cast<int>(kGatherWords) * 4 / sample_bytes_;
  upload.dispatch(pipeline_, {source.buffer, &to.buffer}, std::as_bytes(std::span(&push, 1)),
                  {vulkan::groups_for(layout.width, samples * int64_t{kGroupX}),
                   vulkan::groups_for(layout.height, kGatherGroupY)});
}

// Weak pointers of one owner, which may be gone, stand for that owner and for none that comes later.
bool KeptFrames::Identity::operator==(const Identity& other) const {
  return samples == other.samples && !owner.owner_before(other.owner) && !other.owner.owner_before(owner);
}

std::optional<KeptFrames::Identity> KeptFrames::identity_of(const Frame& frame) {
  const SampleView& luma = frame.luma();
  if (luma.empty()) return std::nullopt;
  Identity identity;
  identity.samples = luma.is_u8() ? static_cast<const void*>(luma.u8.data) : luma.u16.data;
  if (frame.owner != nullptr) {
    identity.owner = frame.owner;
  } else if (frame.place != nullptr) {
    identity.owner = frame.place;
  } else {
    return std::nullopt;
  }
  return identity;
}

int64_t KeptFrames::announce(const std::vector<const Frame*>& frames) {
  const std::lock_guard lock(mutex_);
  ++last_number_;
  for (const Frame* const frame : frames) {
    if (const std::optional<Identity> identity = identity_of(*frame))
      announced_.push_back({*identity, last_number_});
  }
  return last_number_;
}

void KeptFrames::settle(int64_t number) {
  const std::lock_guard lock(mutex_);
  std::erase_if(announced_, [&](const Announced& one) { return one.number == number; });
  settled_.notify_all();
}

bool KeptFrames::is_awaited(const Frame& frame, int64_t number) const {
  const std::optional<Identity> identity = identity_of(frame);
  return identity && std::any_of(announced_.begin(), announced_.end(), [&](const Announced& one) {
           return one.number < number && one.frame == *identity;
         });
}

KeptFrames::Turn::Turn(KeptFrames& kept, const std::vector<const Frame*>& wanted, int64_t number)
    : kept_(kept), lock_([&] {
        std::unique_lock lock(kept.mutex_);
        kept.settled_.wait(lock, [&] {
          return std::none_of(wanted.begin(), wanted.end(), [&](const Frame* frame) {
            return frame != nullptr && kept.is_awaited(*frame, number);
          });
        });
        return lock;
      }()) {}

const std::vector<vulkan::Buffer>* KeptFrames::Turn::find(const Frame& frame) const {
  const std::optional<Identity> identity = identity_of(frame);
  if (!identity) return nullptr;
  const auto found = std::find_if(kept_.entries_.begin(), kept_.entries_.end(),
                                  [&](const Entry& entry) { return entry.frame == *identity; });
  return found == kept_.entries_.end() ? nullptr : &found->planes;
}

bool KeptFrames::Turn::forget(const vulkan::DevicePicture& picture) {
  return std::erase_if(kept_.entries_, [&](const Entry& entry) { return entry.picture == &picture; }) > 0;
}

void KeptFrames::Turn::put(const Frame& frame, const vulkan::DevicePicture& picture) {
  forget(picture);
  const std::optional<Identity> identity = identity_of(frame);
  if (!identity) return;
  Entry& entry = kept_.entries_.emplace_back(Entry{.frame = *identity, .picture = &picture, .planes = {}});
  for (int i = 0; i < picture.count(); ++i) {
    const vulkan::Buffer& buffer = picture.plane(i).buffer;
    entry.planes.push_back(buffer.part(0, buffer.bytes()));
  }
}

}  // namespace vq
