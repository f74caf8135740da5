// Work for the device: recorded once, then submitted once per frame.
#pragma once

#include <chrono>

#include "core/frame.h"
#include "vulkan/context.h"
#include "vulkan/device.h"

namespace vq::vulkan {

// Device time between two marks of a recording.
struct StageTime {
  std::string stage;
  double milliseconds = 0;
};

class Upload;
class CommandList;

// Dependency and queue of a submission.
struct Order {
  uint32_t queue = 0;              // any number; taken modulo the number of queues
  const Upload* behind = nullptr;  // submitted, and not waited for yet
  // For work that shares pictures with work on other queues: it also sees what all uploads up to `after`
  // brought, the upload behind which such work was submitted last; null: there was none.
  bool shares = false;
  const Upload* after = nullptr;
  std::vector<std::shared_ptr<CommandList>> first = {};  // run before, as a part of what the upload brings
};

// A finished recording. Submit and wait alternate; another thread than the submitting one may wait. It
// co-owns the buffers and pipelines that it uses, which may be destroyed before it. The destructor waits for
// the device; if the device does not answer, everything it may be using is leaked.
class CommandList {
 public:
  // Throws Error{kBackend}, immediately if the device has timed out before.
  void submit(const Order& order = {});
  // Returns when the device has finished. Throws Error{kBackend} on a timeout or if the device is lost. After
  // the first timeout every later wait fails immediately.
  void wait(std::chrono::milliseconds timeout);
  // Times of the last wait, in order; stages of the same name are one entry. Empty if the device has no
  // clock.
  const std::vector<StageTime>& times() const { return times_; }
  int barriers() const;
  // Number of submissions to the queue, one after another.
  int submissions() const;
  int64_t bytes_read() const;  // copied to memory of kind kReadback
  // Bytes of the largest buffer that a shader is given.
  int64_t largest_binding() const;

  struct Impl;

 private:
  friend class Recorder;
  friend class Upload;
  // Waits for submitted work, then frees it, or leaks it if the device does not answer.
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
  int64_t count() const { return int64_t{x} * y * z; }
};

// Every device takes 65535 groups in each direction, which is enough even for one for each column and row.
static_assert(kMaxSide <= 65535);

// The number of groups of `size` that cover `count`.
constexpr uint32_t groups_for(int64_t count, int64_t size) {
  return static_cast<uint32_t>((count + size - 1) / size);
}
// The groups that cover a picture if each covers `columns` by `rows` samples.
constexpr Groups groups_for(PlaneSize picture, int64_t columns, int64_t rows) {
  return {groups_for(picture.width, columns), groups_for(picture.height, rows)};
}

struct Copy {
  const Buffer* from = nullptr;
  const Buffer* to = nullptr;
  int64_t from_offset = 0, to_offset = 0, bytes = 0;
};

// What a dispatch wrote through one of its bindings, for checks.
struct Written {
  std::string stage, shader;  // "terms", "psnr_hvs_terms"
  size_t binding = 0;
  Buffer copy;  // Memory::kDevice
};

// Records work in order, in several submissions if the device may be too slow for one, and tracks accesses to
// each buffer since the last barrier to insert barriers exactly where they are needed: callers never name
// one. Throws Error{kBackend}. Used and destroyed by the thread that made it.
class Recorder {
 public:
  // `leave_out` is the number of a barrier that is omitted, so that tests can show it is needed.
  explicit Recorder(const std::shared_ptr<Device>& device, int leave_out = -1);
  ~Recorder();
  Recorder& operator=(Recorder&&) = delete;

  // The copies are unordered, so none may touch what another writes.
  void copy(std::span<const Copy> copies);
  // Copies all of `from` to the beginning of `to`.
  void copy(const Buffer& from, const Buffer& to);
  // Sets every 32-bit word.
  void fill(const Buffer& buffer, uint32_t word);
  // Prefix of the names of stages that begin from now on.
  void set_stage_prefix(std::string prefix);
  // Commands recorded from now on belong to `stage`, for CommandList::times; from the 256th on, stages count
  // for the one before.
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

  // What is submitted behind this list sees what was recorded up to now, without waiting for it elsewhere.
  void show_to_later_lists();

  // From now on a buffer in the device's memory is zero before its first write, and what a dispatch writes is
  // copied behind it, so that each result of the same work is seen, in the same bytes. `written` outlives
  // this.
  void watch(std::vector<Written>& written);

  // Ends the recording; the recorder cannot be used after that.
  CommandList finish();

 private:
  void dispatch(const Pass& pass, std::span<const std::byte> push, Groups groups);
  void copy_writes(const Pass& pass);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Passes write records for the host, those of one pass behind those of another. They have a buffer on the
// device and one that the host reads.
class Results {
 public:
  Results() = default;
  Results& operator=(Results&&) = delete;

  // The records of a pass.
  class Part {
   public:
    const Buffer& buffer() const { return all_.buffer(); }
    // Number of records of this size before them in the buffer.
    uint32_t first() const { return static_cast<uint32_t>(offset_ / record_bytes_); }
    // Needs: read_back() has run; Record has that size.
    template <typename Record>
    std::span<const Record> records() const {
      return {reinterpret_cast<const Record*>(all_.here_.mapped() + offset_), static_cast<size_t>(count_)};
    }

   private:
    friend class Results;
    Part(const Results& all, int64_t offset, int64_t count, int64_t record_bytes)
        : all_(all), offset_(offset), count_(count), record_bytes_(record_bytes) {}
    const Results& all_;
    int64_t offset_, count_, record_bytes_;
  };
  // Room for a pass, which does not outlive this. Needs: what was added before has a multiple of that size.
  Part add(int64_t count, int64_t record_bytes) {
    const Part part(*this, bytes_, count, record_bytes);
    HWY_DASSERT(bytes_ % record_bytes == 0);
    bytes_ += count * record_bytes;
    return part;
  }
  // Makes the buffers, once all have room. Throws Error{kBackend}.
  void make(const std::shared_ptr<Device>& device) {
    there_ = Buffer(device, Memory::kDevice, bytes_);
    here_ = Buffer(device, Memory::kReadback, bytes_);
  }
  const Buffer& buffer() const { return there_; }
  void read_back(Recorder& recorder) const { recorder.copy(there_, here_); }

 private:
  int64_t bytes_ = 0;
  Buffer there_, here_;
};

// The upload of a frame's samples to a device, on a queue of its own if there is one: recorded anew for every
// frame.

// If the device is still working on it, the destructor behaves as that of a CommandList.
class Upload {
 public:
  // `most_dispatches`: limit between begin() and submit(). Throws Error{kBackend}.
  Upload(const std::shared_ptr<Device>& device, uint32_t most_dispatches);
  ~Upload();
  Upload(Upload&&) noexcept;
  Upload& operator=(Upload&&) noexcept;

  // Discards what was recorded. Needs, here and in finish(): a list submitted behind it was waited for, or
  // nothing was submitted. Throws Error{kBackend}, as all below.
  void begin();
  // Copies and dispatches are unordered.
  void copy(const Copy& copy);
  // Runs on the queue of the list behind it, before that list; otherwise as Recorder::pass.
  void dispatch(const Pipeline& pipeline, const std::vector<const Buffer*>& buffers,
                std::span<const std::byte> push, Groups groups);
  // Keeps the object alive until the upload has finished.
  void keep(const std::shared_ptr<const void>& what);
  // The copies see all earlier writes of the host, and the list behind it sees the copies. Does nothing if
  // nothing was recorded. Afterwards a list must be submitted behind it.
  void submit();
  // Releases the kept objects.
  void finish();
  // Device time of the copies that were submitted last. None if there were none, or their queue has no clock.
  std::optional<double> milliseconds() const { return milliseconds_; }

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  void prepare_dispatches(uint32_t most);
  void read_time();
  std::unique_ptr<Impl> impl_;
  std::optional<double> milliseconds_;
};

// Memory that decoders write pictures into and a device copies them from.

// A store with a limit in bytes that includes unused blocks. Its blocks are PictureSources. Such memory is
// slow to allocate, so returned blocks are kept for requests of the same size; if other sizes leave no room,
// those are freed. Blocks may outlive the store; each keeps the device open.
std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes);

}  // namespace vq::vulkan
