#include <set>

#include "core/error.h"
#include "core/frame.h"
#include "core/trace.h"
#include "feature/slot_pool.h"
#include "shaders/fitting/shared.h"
#include "shaders/fitting_gather.h"  // made by the build from shaders/fitting/gather.comp
#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq {

// Decoders have some dozens of pictures. Of pairs there are more; those that are not among the first are
// copied, since recording takes longer. Recordings keep the memory they read, so that those that nobody
// needed for long make room.
constexpr size_t kMostPlaces = 64;
constexpr int64_t kLong = 256;  // frames

// How long a device may take for so many samples.
static std::chrono::milliseconds device_timeout(int64_t samples) {
  // 10 s and 4 s for every million samples.
  return std::chrono::milliseconds(10'000 + samples / 250);
}

static int64_t samples_of(const vulkan::DevicePicture& picture) {
  int64_t samples = 0;
  for (int i = 0; i < picture.count(); ++i) {
    samples += int64_t{picture.plane(i).layout.width} * picture.plane(i).layout.height;
  }
  return samples;
}

// The largest number of planes over all pictures of a frame.
static uint32_t most_planes(const FrameNeeds& use) {
  return static_cast<uint32_t>(kMaxPlanes * (2 + use.before.distorted + use.before.references));
}

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
                     KeptPictures* kept)
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
    for (size_t i = 0; i < own_pictures(); ++i) pictures_[i].on_device->prepare_to_stage();
  }
  const DeviceFrame frame = device_frame();
  for (const DevicePart& part : run.parts) works_.push_back(part.feature->make_work(frame));
  if (kept_ == nullptr) {
    record(own_);
    return;
  }
  if (kind.number > 0) kept_->add_one();
  // For the first frame.
  std::vector<vulkan::ReadLocation> places;
  for (size_t i = 0; i < pictures_.size(); ++i) {
    pictures_[i].on_device->read_from(kept_->first(video_of(i)));
    places.push_back(pictures_[i].on_device->place());
  }
  record(new_recordings(std::move(places)));
}

void FrameSlot::add_picture(const VideoFormat& format, int planes) {
  Picture& added = pictures_.emplace_back();
  const int read = run_.fitting ? fitting::source_planes(format, *run_.fitting, planes) : planes;
  added.on_device =
      std::make_unique<vulkan::DevicePicture>(run_.context->device(), format, read, kept_ == nullptr);
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

size_t FrameSlot::video_of(size_t picture) const {
  if (picture < own_pictures()) return picture;
  return picture - own_pictures() < static_cast<size_t>(run_.use.before.distorted) ? 0 : 1;
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
  recordings.is_recorded = true;
}

// None if the device cannot read all of them as they lie.
std::vector<vulkan::ReadLocation> FrameSlot::places_of(const std::vector<const Frame*>& frames) const {
  std::vector<vulkan::ReadLocation> places;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i] == nullptr) return {};
    std::optional<vulkan::ReadLocation> place = pictures_[i].on_device->readable_place(*frames[i]);
    if (!place) return {};
    places.push_back(std::move(*place));
  }
  return places;
}

std::vector<KeptPictures::Wanted> FrameSlot::wanted(const FramePair& pair) const {
  std::vector<KeptPictures::Wanted> wanted;
  for (const Frame* const frame : frames_of(pair)) {
    const size_t i = wanted.size();
    wanted.push_back({frame, video_of(i), pictures_[i].on_device->count()});
  }
  return wanted;
}

bool FrameSlot::has_room(const FramePair& frames) const {
  return kept_ == nullptr || kept_->has_room(wanted(frames));
}

// The same places come again and again, so that few recordings serve all frames. Null if there is none and no
// room for another.
FrameSlot::Recordings* FrameSlot::recordings_at(std::vector<vulkan::ReadLocation> places) {
  const auto found = std::ranges::find_if(placed_, [&](const auto& each) { return each->places == places; });
  if (found != placed_.end()) return found->get();
  std::erase_if(placed_, [&](const auto& each) {
    return placed_.size() == kMostPlaces && each->last_use < uses_ - kLong;
  });
  return placed_.size() == kMostPlaces ? nullptr : &new_recordings(std::move(places));
}

FrameSlot::Recordings& FrameSlot::new_recordings(std::vector<vulkan::ReadLocation> places) {
  placed_.push_back(std::make_unique<Recordings>());
  placed_.back()->places = std::move(places);
  return *placed_.back();
}

void FrameSlot::announce(const FrameJob& job) {
  ++uses_;
  held_.clear();
  current_ = nullptr;
  std::vector<vulkan::ReadLocation> places = places_of(frames_of(job.frames));
  if (!places.empty()) current_ = recordings_at(std::move(places));
  if (current_ == nullptr && kept_ != nullptr) {
    held_ = kept_->take(wanted(job.frames));
    turn_ = kept_->taken();
    places.clear();
    for (size_t i = 0; i < held_.size(); ++i) {
      places.push_back(held_[i].on_device().place());
      places.back().resize(static_cast<size_t>(pictures_[i].on_device->count()));
    }
    current_ = recordings_at(places);
    if (current_ == nullptr) {
      placed_.erase(std::ranges::min_element(
          placed_, [](const auto& a, const auto& b) { return a->last_use < b->last_use; }));
      current_ = &new_recordings(std::move(places));
    }
  }
  if (current_ == nullptr) current_ = &own_;
  current_->last_use = uses_;
}

// Lets the pictures be those that the frame holds, or those of the frames themselves while they are recorded.
void FrameSlot::make_ready(const FramePair& pair) {
  for (size_t i = 0; i < held_.size(); ++i) pictures_[i].on_device->read_from(held_[i].on_device());
  if (current_->is_recorded) return;
  const TraceSpan span("record in place", pair.index);
  const std::vector<const Frame*> frames = held_.empty() ? frames_of(pair) : std::vector<const Frame*>();
  const std::lock_guard lock(run_.context->mutex());
  for (size_t i = 0; i < frames.size(); ++i) pictures_[i].on_device->read_from(frames[i]);
  record(*current_);
  for (size_t i = 0; i < frames.size(); ++i) pictures_[i].on_device->read_from(nullptr);
}

void FrameSlot::start(const FrameJob& job) {
  const TraceSpan span("begin a frame", job.frames.index);
  std::optional<KeptPictures::Turn> turn;
  if (!held_.empty()) turn.emplace(*kept_, turn_);
  upload_.begin();
  bytes_uploaded_ = 0;
  make_ready(job.frames);
  vulkan::Order order{.queue = number_, .behind = &upload_, .shares = turn.has_value()};
  const std::vector<const Frame*> frames = frames_of(job.frames);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (!must_bring(i)) continue;
    bring(i, frames[i]);
    if (held_.empty()) continue;
    if (auto derivation = kept_->derivation(held_[i], video_of(i)))
      order.first.push_back(std::move(derivation));
  }
  if (turn) order.after = turn->wait();
  const TraceSpan submitting("submit", job.frames.index);
  upload_.submit();
  last_ = job.frames.is_reported ? &current_->whole : &current_->unreported;
  last_->submit(order);
  if (turn) turn->done(upload_);
}

void FrameSlot::bring(size_t picture, const Frame* frame) {
  const Picture& to = pictures_[picture];
  if (frame == nullptr) return;
  if (is_on_host(*frame) && frame->planes[static_cast<size_t>(to.on_device->count()) - 1].empty())
    throw Error(ErrorKind::kInternal, name_ + ": its colours are needed and were not read");
  bytes_uploaded_ += to.on_device->upload(*frame, upload_, to.gather.get());
}

bool FrameSlot::starts_at_once(const FrameJob& job) const {
  const std::vector<const Frame*> frames = frames_of(job.frames);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (must_bring(i) && frames[i] != nullptr &&
        !pictures_[i].on_device->takes_at_once(*frames[i], pictures_[i].gather.get()))
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
    if (!held_.empty()) kept_->release(held_);
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
// work group.
static_assert(fitting::gpu::kGroupX * fitting::gpu::kGatherGroupY <= 128);

GatherPlanes::GatherPlanes(vulkan::Context& context, int sample_bytes)
    : device_(context.device()->info()),
      pipeline_(context.pipeline(shaders::kFittingGather, {static_cast<uint32_t>(sample_bytes)})),
      sample_bytes_(sample_bytes) {
  pipeline_.impl();  // a device that cannot compile it says so before the first frame
}

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
                  vulkan::groups_for(layout.size(), samples * int64_t{kGroupX}, kGatherGroupY));
}

// Weak pointers of one owner, which may be gone, stand for that owner and for none that comes later.
bool KeptPictures::Identity::operator==(const Identity& other) const {
  return samples == other.samples && !owner.owner_before(other.owner) && !other.owner.owner_before(owner);
}

std::optional<KeptPictures::Identity> KeptPictures::identity_of(const Frame& frame) {
  if (frame.owner == nullptr && frame.place == nullptr) return std::nullopt;
  Identity identity;
  if (frame.owner != nullptr && is_on_host(frame)) {
    identity.owner = frame.owner;
  } else {
    identity.owner = frame.place;
  }
  const SampleView& luma = frame.luma();
  identity.samples = luma.is_u8() ? static_cast<const void*>(luma.u8.data) : luma.u16.data;
  if (luma.empty()) identity.samples = frame.place.get();
  return identity;
}

// None if several would, if features see other pictures than those that are kept, or if the device has no
// memory for those of a frame and of some more in flight.
const DevicePart* KeptPictures::part_that_derives(const VideoFormats& formats) const {
  constexpr int kMoreInFlight = 4;
  const auto derives = [](const DevicePart& part) { return part.feature->derived_bytes() > 0; };
  const auto found = std::ranges::find_if(run_.parts, derives);
  if (found == run_.parts.end() || std::ranges::count_if(run_.parts, derives) > 1) return nullptr;
  const NeighbourCount& before = run_.use.before;
  const auto is_fitted = [&](const VideoFormat& format) {
    return run_.fitting && changes(*run_.fitting, format);
  };
  if (!before.all_planes || is_fitted(formats.distorted)) return nullptr;
  int64_t pictures = before.distorted + 1 + kMoreInFlight;
  if (uploads_reference(run_.use, formats)) {
    if (is_fitted(*formats.reference)) return nullptr;
    pictures += before.references + 1 + kMoreInFlight;
  }
  const bool has_room =
      has_to_spare(*run_.context->device(), pictures, pictures * found->feature->derived_bytes());
  return has_room ? &*found : nullptr;
}

KeptPictures::KeptPictures(const DeviceRun& run, const VideoFormats& formats)
    : run_(run), deriving_(part_that_derives(formats)) {
  const TraceSpan span("make memory of pictures");
  const auto add_video = [&](const VideoFormat& format, int before) {
    const int planes =
        run.fitting ? fitting::source_planes(format, *run.fitting, run.use.planes) : run.use.planes;
    Video& video = videos_.emplace_back(Video{.format = format, .planes = planes, .pictures = {}});
    for (int i = 0; i <= before; ++i) add(video);
  };
  add_video(formats.distorted, run.use.before.distorted);
  if (uploads_reference(run.use, formats)) add_video(*formats.reference, run.use.before.references);
}

void KeptPictures::add_one() {
  const std::lock_guard lock(mutex_);
  for (Video& video : videos_) add(video);
}

void KeptPictures::add(Video& video) const {
  video.pictures.push_back(std::make_unique<Picture>(
      Picture{std::make_unique<vulkan::DevicePicture>(run_.context->device(), video.format, video.planes)}));
  if (deriving_ != nullptr) video.pictures.back()->on_device->make_derived(derived_bytes());
}

std::shared_ptr<vulkan::CommandList> KeptPictures::derivation(const Held& held, size_t video) const {
  if (!held.is_new || deriving_ == nullptr) return nullptr;
  std::shared_ptr<vulkan::CommandList>& list = held.picture->derivation;
  if (list != nullptr) return list;
  const std::lock_guard lock(run_.context->mutex());
  vulkan::Recorder recorder(run_.context->device());
  if (run_.parts.size() > 1) recorder.set_stage_prefix(deriving_->name + ": ");
  deriving_->feature->record_derived(recorder, held.on_device(), video != 0);
  recorder.show_to_later_lists();
  list = std::make_shared<vulkan::CommandList>(recorder.finish());
  return list;
}

KeptPictures::Picture* KeptPictures::find(const Video& video, const Wanted& wanted) {
  const std::optional<Identity> identity = identity_of(*wanted.frame);
  const auto found = std::ranges::find_if(video.pictures, [&](const auto& picture) {
    return identity && picture->frame == identity && picture->planes >= wanted.planes;
  });
  return found == video.pictures.end() ? nullptr : found->get();
}

bool KeptPictures::has_room(const std::vector<Wanted>& wanted) {
  const std::lock_guard lock(mutex_);
  for (size_t v = 0; v < videos_.size(); ++v) {
    Video& video = videos_[v];
    std::set<const Picture*> found;
    std::vector<std::optional<Identity>> lacking;
    for (const Wanted& one : wanted) {
      if (one.video != v || one.frame == nullptr) continue;
      const std::optional<Identity> identity = identity_of(*one.frame);
      if (const Picture* const picture = find(video, one)) {
        found.insert(picture);
      } else if (!identity || !contains(lacking, identity)) {
        lacking.push_back(identity);
      }
    }
    auto free = static_cast<size_t>(std::ranges::count_if(video.pictures, [&](const auto& picture) {
      return picture->users == 0 && !found.contains(picture.get());
    }));
    for (; free < lacking.size(); ++free) {
      if (!has_to_spare(*run_.context->device(), kMaxPlanes + 1,
                        vulkan::DevicePicture::bytes(video.format, video.planes) + derived_bytes()))
        return false;
      try {
        add(video);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kBackend) throw;
        return false;
      }
    }
  }
  return true;
}

KeptPictures::Picture& KeptPictures::take_free(Video& video) {
  while (video.pictures[video.next % video.pictures.size()]->users > 0) ++video.next;
  return *video.pictures[video.next++ % video.pictures.size()];
}

std::vector<KeptPictures::Held> KeptPictures::take(const std::vector<Wanted>& wanted) {
  const std::lock_guard lock(mutex_);
  ++taken_;
  std::vector<Held> held(wanted.size());
  const auto take_if_there = [&](size_t i) {
    held[i].picture = find(videos_[wanted[i].video], wanted[i]);
    if (held[i].picture != nullptr) ++held[i].picture->users;
  };
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].frame != nullptr) take_if_there(i);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (held[i].picture != nullptr) continue;
    Video& video = videos_[wanted[i].video];
    if (wanted[i].frame == nullptr) {
      held[i].picture = video.pictures[0].get();
      ++held[i].picture->users;
      continue;
    }
    take_if_there(i);  // the frame may be the same as one before
    if (held[i].picture != nullptr) continue;
    Picture& picture = take_free(video);
    picture.frame = identity_of(*wanted[i].frame);
    picture.planes = wanted[i].planes;
    ++picture.users;
    held[i] = {&picture, true};
  }
  return held;
}

void KeptPictures::release(const std::vector<Held>& held) {
  const std::lock_guard lock(mutex_);
  for (const Held& each : held) --each.picture->users;
}

const vulkan::Upload* KeptPictures::Turn::wait() {
  std::unique_lock lock(kept_.mutex_);
  kept_.changed_.wait(lock, [&] { return kept_.has_failed_ || kept_.done_ == number_ - 1; });
  if (kept_.has_failed_) throw Error(ErrorKind::kBackend, "a frame before was not submitted");
  return kept_.last_;
}

void KeptPictures::Turn::done(const vulkan::Upload& upload) {
  const std::lock_guard lock(kept_.mutex_);
  is_done_ = true;
  kept_.done_ = number_;
  kept_.last_ = &upload;
  kept_.changed_.notify_all();
}

KeptPictures::Turn::~Turn() {
  if (is_done_) return;
  const std::lock_guard lock(kept_.mutex_);
  kept_.has_failed_ = true;
  kept_.changed_.notify_all();
}

}  // namespace vq
