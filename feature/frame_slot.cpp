#include "feature/frame_slot.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace vq {
namespace {

// Decoders have some dozens of pictures. Of pairs there are more; those that are not among the first are copied, since recording
// takes longer. Recordings keep the memory they read, so that those that nobody needed for long make room.
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

}  // namespace

bool uploads_reference(const FrameUse& use, const InputFormats& formats) {
  return use.reference && formats.reference.has_value();
}

template <typename Wanted>
vulkan::CommandList FrameSlot::record(Wanted wanted) const {
  vulkan::Recorder recorder(run_.context->device());
  for (size_t i = 0; i < works_.size(); ++i) {
    if (!wanted(run_.parts[i])) continue;
    if (works_.size() > 1) recorder.set_stage_prefix(run_.parts[i].name + ": ");
    works_[i]->record(recorder);
  }
  return recorder.finish();
}

FrameSlot::FrameSlot(const DeviceRun& run, const InputFormats& formats, uint32_t number)
    : run_(run), name_(formats.distorted.name), number_(number), upload_(run.context->device()) {
  const std::shared_ptr<vulkan::Device>& device = run.context->device();
  distorted_ = std::make_unique<vulkan::DevicePicture>(device, formats.distorted, run.use.planes);
  if (uploads_reference(run.use, formats)) {
    reference_ = std::make_unique<vulkan::DevicePicture>(device, *formats.reference, run.use.planes);
  }
  const auto unpacker = [&](const vulkan::DevicePicture& picture) {
    return std::make_unique<GatherPlanes>(*run.context, picture.plane(0).layout.sample_bytes);
  };
  gather_distorted_ = unpacker(*distorted_);
  if (reference_) gather_reference_ = unpacker(*reference_);
  for (const DevicePart& part : run.parts) {
    works_.push_back(part.feature->make_work({*distorted_, reference_.get()}));
  }
  record(own_);
}

void FrameSlot::record(Recordings& recordings) const {
  const auto is_for_every_frame = [](const DevicePart& part) { return part.every_frame; };
  recordings.whole = record([](const DevicePart&) { return true; });
  if (std::none_of(run_.parts.begin(), run_.parts.end(), is_for_every_frame)) return;
  recordings.unreported = record(is_for_every_frame);
}

// A store's pieces come again and again, so that few recordings serve all frames. Null where the device cannot read these as
// they lie.
FrameSlot::Recordings* FrameSlot::in_place(const FramePair& frames) {
  const auto distorted = distorted_->readable_place(frames.distorted);
  const auto reference = distorted && reference_ ? reference_->readable_place(frames.reference.value()) : vulkan::PicturePlace();
  if (!distorted || !reference) return nullptr;
  ++uses_;
  const auto serves = [&](const auto& each) { return each->distorted == *distorted && each->reference == *reference; };
  auto found = std::find_if(placed_.begin(), placed_.end(), serves);
  if (found == placed_.end()) {
    std::erase_if(placed_, [&](const auto& each) { return placed_.size() == kMostPlaces && each->last_use < uses_ - kLong; });
    if (placed_.size() == kMostPlaces) return nullptr;
    placed_.push_back(record_in_place(frames));
    found = placed_.end() - 1;
    (*found)->distorted = *distorted;
    (*found)->reference = *reference;
  }
  (*found)->last_use = uses_;
  return found->get();
}

std::unique_ptr<FrameSlot::Recordings> FrameSlot::record_in_place(const FramePair& frames) {
  auto recordings = std::make_unique<Recordings>();
  const std::lock_guard lock(run_.context->mutex());
  distorted_->read_from(&frames.distorted);
  if (reference_) reference_->read_from(&*frames.reference);
  record(*recordings);
  distorted_->read_from(nullptr);
  if (reference_) reference_->read_from(nullptr);
  return recordings;
}

void FrameSlot::start(const FrameJob& job) {
  upload_.begin();
  Recordings* const placed = in_place(job.frames);
  if (placed == nullptr) bring(job.frames);
  bytes_uploaded_ = distorted_->fetched_bytes() + (reference_ ? reference_->fetched_bytes() : 0);
  upload_.submit();
  Recordings& recordings = placed != nullptr ? *placed : own_;
  last_ = job.frames.is_reported ? &recordings.whole : &recordings.unreported;
  last_->submit({.queue = number_, .behind = &upload_});
}

void FrameSlot::bring(const FramePair& frames) {
  distorted_->upload(frames.distorted, upload_, gather_distorted_.get());
  if (reference_) reference_->upload(frames.reference.value(), upload_, gather_reference_.get());
}

bool FrameSlot::starts_at_once(const FrameJob& job) const {
  return distorted_->takes_at_once(job.frames.distorted, gather_distorted_.get()) &&
         (!reference_ || reference_->takes_at_once(job.frames.reference.value(), gather_reference_.get()));
}

std::vector<vulkan::StageTime> FrameSlot::times() const {
  std::vector<vulkan::StageTime> times;
  if (const std::optional<double> upload = upload_.milliseconds()) times.push_back({std::string(kUploadStage), *upload});
  times.insert(times.end(), last_->times().begin(), last_->times().end());
  return times;
}

void FrameSlot::finish(FrameJob& job) {
  try {
    const int64_t samples = samples_of(*distorted_) + (reference_ ? samples_of(*reference_) : 0);
    last_->wait(device_timeout(samples * static_cast<int64_t>(works_.size())));
    upload_.finish();
  } catch (const Error& error) {
    throw at_frame(error, name_, job.frames.distorted.index);
  }
  bytes_read_ = 0;
  for (size_t i = 0; i < works_.size(); ++i) {
    const bool wanted = job.frames.is_reported || run_.parts[i].every_frame;
    job.results.push_back(wanted ? works_[i]->finish(job.frames) : FrameResult());
    if (wanted) bytes_read_ += works_[i]->bytes_read();
  }
  job.release_frames();
}

}  // namespace vq
