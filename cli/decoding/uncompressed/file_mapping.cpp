#include "cli/decoding/uncompressed/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace vq::cli {

namespace {

size_t page_bytes() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// The kernel sends no signal for the page that a file still reaches into: what was cut off there reads as
// zeros.
class FileLoss final : public SampleLoss {
 public:
  // `file` is closed with this. `end`: of the part, in bytes from the file's start.
  FileLoss(int file, int64_t end) : file_(file), end_(end) {}
  ~FileLoss() override { ::close(file_); }
  FileLoss(const FileLoss&) = delete;
  FileLoss& operator=(const FileLoss&) = delete;

  bool has_happened() const override {
    struct stat status {};
    return happened || (fstat(file_, &status) == 0 && status.st_size < end_);
  }

 private:
  const int file_;
  const int64_t end_;
};

}  // namespace

// All that exist. The handler looks here, in the thread that touched a page that is no longer there; that
// thread does not hold the lock, since no sample is touched under it.
class FileMappings {
 public:
  static FileMappings& all() {
    static FileMappings mappings;
    return mappings;
  }

  void add(FileMapping& mapping) {
    const Lock lock(*this);
    mapping.next_ = first_;
    if (first_ != nullptr) first_->previous_ = &mapping;
    first_ = &mapping;
  }

  void remove(FileMapping& mapping) {
    const Lock lock(*this);
    (mapping.previous_ != nullptr ? mapping.previous_->next_ : first_) = mapping.next_;
    if (mapping.next_ != nullptr) mapping.next_->previous_ = mapping.previous_;
  }

 private:
  struct Lock {
    explicit Lock(FileMappings& mappings) : taken(mappings.taken_) {
      while (taken.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { taken.clear(std::memory_order_release); }
    std::atomic_flag& taken;
  };

  FileMappings() {
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      const int error = errno;
      // Without a handler the access, which is made again, ends the process.
      if (!all().give_zeros(static_cast<const uint8_t*>(info->si_addr))) std::signal(SIGBUS, SIG_DFL);
      errno = error;
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
  }

  // False if the address is in no mapping.
  bool give_zeros(const uint8_t* address) {
    const Lock lock(*this);
    for (FileMapping* mapping = first_; mapping != nullptr; mapping = mapping->next_) {
      if (address < mapping->pages_ || address >= mapping->pages_ + mapping->size_) continue;
      mapping->loss_->happened = true;
      return mmap(mapping->pages_, mapping->size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                  0) != MAP_FAILED;
    }
    return false;
  }

  std::atomic_flag taken_;
  FileMapping* first_ = nullptr;
};

FileMapping::FileMapping(uint8_t* pages, size_t size, size_t lead, std::shared_ptr<SampleLoss> loss)
    : pages_(pages), size_(size), lead_(lead), loss_(std::move(loss)) {
  FileMappings::all().add(*this);
}

FileMapping::~FileMapping() {
  FileMappings::all().remove(*this);
  munmap(pages_, size_ + page_bytes());
}

std::shared_ptr<const FileMapping> FileMapping::of(int file, int64_t offset, size_t size) {
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, which older C libraries do not name
  struct stat status {};
  if (fstat(file, &status) != 0 || offset + static_cast<int64_t>(size) > status.st_size) return nullptr;
  const size_t page = page_bytes(), lead = static_cast<size_t>(offset) % page;
  const size_t whole = (lead + size + page - 1) / page * page;
  const int copy = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return nullptr;
  auto loss = std::make_shared<FileLoss>(copy, offset + static_cast<int64_t>(size));
  // The page behind stays when the file's pages are put before it.
  void* const pages = mmap(nullptr, whole + page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  std::shared_ptr<FileMapping> mapping(
      new FileMapping(static_cast<uint8_t*>(pages), whole, lead, std::move(loss)));
  if (mmap(pages, lead + size, PROT_READ, MAP_SHARED | MAP_FIXED, file,
           offset - static_cast<int64_t>(lead)) == MAP_FAILED)
    return nullptr;
  // Linux before 5.14 does not know this advice, and reads pages when they are touched.
  if (madvise(pages, lead + size, kPopulateRead) != 0 && errno != EINVAL) return nullptr;
  return mapping;
}

}  // namespace vq::cli
