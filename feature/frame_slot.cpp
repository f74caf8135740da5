#include "feature/frame_slot.h"

#include <algorithm>
#include <chrono>

namespace vq {
namespace {

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
  const auto is_for_every_frame = [](const DevicePart& part) { return part.every_frame; };
  whole_ = record([](const DevicePart&) { return true; });
  if (std::any_of(run.parts.begin(), run.parts.end(), is_for_every_frame)) unreported_ = record(is_for_every_frame);
}

void FrameSlot::start(const FrameJob& job) {
  upload_.begin();
  bytes_uploaded_ = distorted_->upload(job.frames.distorted, upload_, gather_distorted_.get());
  if (reference_) bytes_uploaded_ += reference_->upload(job.frames.reference.value(), upload_, gather_reference_.get());
  upload_.submit();
  list_of(job).submit({.queue = number_, .behind = &upload_});
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
  last_ = &list_of(job);
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
