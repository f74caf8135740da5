// Work for the device: recorded once, then submitted as often as there are frames.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vulkan/buffer.h"
#include "vulkan/pipeline.h"

namespace vq::vulkan {

// Device time between two marks of a recording.
struct StageTime {
  std::string stage;
  double milliseconds = 0;
};

class Upload;

// What a recording is submitted behind, and where.
struct Order {
  uint32_t queue = 0;              // any number: queues take turns
  const Upload* behind = nullptr;  // submitted, and by nobody waited for yet
};

// A finished recording. Submitting and waiting take turns; one list may be waited for by another thread than
// the one that submits others. It owns what it names together with the buffers and pipelines themselves: they
// may go before it. Where it goes while the device is at work, it waits; a device that does not answer keeps
// everything it may be using for as long as the process lives.
class CommandList {
 public:
  // Throws Error{kBackend}; so it does at once where the device has not answered before.
  void submit(const Order& order = {});
  // Returns when the device is done. Throws Error{kBackend} where that takes longer, or the device is lost.
  // Once a device has not answered in time, nobody waits for it again, and those who do are told so.
  void wait(std::chrono::milliseconds timeout);
  // Of the last wait, in order; stages of one name are one entry. Empty where the device has no clock.
  const std::vector<StageTime>& times() const { return times_; }
  int barriers() const;
  // Of each stage, as times() has them: the bytes of the buffers that it was given, each read once and, where
  // it writes to it, written once. What a stage must move is no more.
  std::vector<std::pair<std::string, int64_t>> most_bytes() const;

  struct Impl;

 private:
  friend class Recorder;
  friend class Upload;
  // Waits for what was submitted, then frees it or gives it up to the device.
  struct Retire {
    void operator()(Impl* impl) const noexcept;
  };
  void see_what_was_written() const;
  void read_times();
  std::unique_ptr<Impl, Retire> impl_;
  std::vector<StageTime> times_;
};

struct Groups {
  uint32_t x = 1, y = 1, z = 1;
};

// How many groups of `size` cover `count`.
constexpr uint32_t groups_for(int64_t count, int64_t size) {
  return static_cast<uint32_t>((count + size - 1) / size);
}

struct Copy {
  const Buffer* from = nullptr;
  const Buffer* to = nullptr;
  int64_t from_offset = 0, to_offset = 0, bytes = 0;
};

// Records work in order and remembers what it did to each buffer since the last barrier, so that it puts one
// wherever, and only where, the next step needs it: callers never name one. Throws Error{kBackend}.
class Recorder {
 public:
  // `leave_out` is the number of a barrier that is not recorded, so that tests can show it is needed.
  explicit Recorder(const std::shared_ptr<Device>& device, int leave_out = -1);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The copies run in no particular order, so none may touch what another writes.
  void copy(std::span<const Copy> copies);
  // All of `from`, to the beginning of `to`.
  void copy(const Buffer& from, const Buffer& to);
  // Sets every 32-bit word.
  void fill(const Buffer& buffer, uint32_t word);
  // What is put before the names of the stages that begin from here on.
  void set_stage_prefix(std::string prefix);
  // What is recorded from here on belongs to `stage`, for CommandList::times; the 256th and all after it to
  // the one before.
  void begin_stage(std::string_view stage);

  // A dispatch is built in two steps: recorder.pass(pipeline, {&a, &b}).run(push, groups).
  class Pass {
   public:
    template <typename Push>
    void run(const Push& push, Groups groups) const {
      static_assert(sizeof(Push) <= kMaxPushBytes && sizeof(Push) % 4 == 0);
      recorder_.dispatch(*this, std::as_bytes(std::span(&push, 1)), groups);
    }

   private:
    friend class Recorder;
    Pass(Recorder& recorder, const Pipeline& pipeline, std::vector<const Buffer*> buffers)
        : recorder_(recorder), pipeline_(pipeline), buffers_(std::move(buffers)) {}
    Recorder& recorder_;
    const Pipeline& pipeline_;
    std::vector<const Buffer*> buffers_;
  };
  // One buffer for each of the shader's bindings, in order.
  Pass pass(const Pipeline& pipeline, std::vector<const Buffer*> buffers) {
    return {*this, pipeline, std::move(buffers)};
  }

  // Ends the recording; the recorder is of no further use.
  CommandList finish();

 private:
  void dispatch(const Pass& pass, std::span<const std::byte> push, Groups groups);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vq::vulkan
