// Makes the start of threads fail, with glibc.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace vq::test {

#ifdef __GLIBC__
// While it lives: there is no room for a stack like that.
class RefusedThreads {
 public:
  RefusedThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge = before_;
    pthread_attr_setstacksize(&huge, size_t{1} << 50);
    pthread_setattr_default_np(&huge);
  }
  ~RefusedThreads() { pthread_setattr_default_np(&before_); }
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;

 private:
  pthread_attr_t before_;
};
#endif

}  // namespace vq::test
