// Parts of a file as memory, without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/frame.h"

namespace vq::cli {

// Read-only memory that shows a part of a regular file. If the file becomes shorter in the meantime, the lost
// samples read as zero and `loss` says so: the first mapping installs a handler of SIGBUS, which the kernel
// then sends. For the page that the file still reaches into it sends none, so the length is looked at when
// a frame is released. Behind it at least a page can be read, which is what libraries do that load whole
// vectors. May be used from any thread.
class FileMapping {
 public:
  // Nothing where the part is not in the file, or the system cannot map or read it; read() then says why.
  // `file` may be closed afterwards. Its pages are read before the call returns.
  static std::shared_ptr<const FileMapping> of(int file, int64_t offset, size_t size);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  const uint8_t* data() const { return pages_ + lead_; }
  const std::shared_ptr<SampleLoss>& loss() const { return loss_; }

 private:
  friend class FileMappings;
  FileMapping(uint8_t* pages, size_t size, size_t lead, std::shared_ptr<SampleLoss> loss);

  uint8_t* const pages_;
  const size_t size_;  // from pages_, in whole pages; another one follows
  const size_t lead_;  // bytes of the first page before the part
  const std::shared_ptr<SampleLoss> loss_;
  FileMapping* next_ = nullptr;  // of all that exist
  FileMapping* previous_ = nullptr;
};

}  // namespace vq::cli
