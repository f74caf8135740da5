#include "engine/c_api/border.h"

#include <new>

namespace vq::c_api {
namespace {

// An array, so that threads that end after the library was unloaded have nothing to destroy.
constexpr size_t kMostErrorBytes = 1024;
thread_local char last_text[kMostErrorBytes] = "";

void remember(const char* text) noexcept {
  size_t bytes = std::min(std::strlen(text), kMostErrorBytes - 1);
  // A character of UTF-8 is kept whole or left out.
  while (bytes > 0 && text[bytes] != '\0' && (text[bytes] & 0xC0) == 0x80) --bytes;
  std::memcpy(last_text, text, bytes);
  last_text[bytes] = '\0';
}

CambiStatus status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return CAMBI_EUSAGE;
    case ErrorKind::kInput:
    case ErrorKind::kMismatch:
    case ErrorKind::kIncomplete:
    case ErrorKind::kThreshold:
      return CAMBI_EFORMAT;
    case ErrorKind::kBackend:
      return CAMBI_EDEVICE;
    case ErrorKind::kOutput:
      return CAMBI_EOUTPUT;
    case ErrorKind::kResource:
      return CAMBI_ENOMEM;
    case ErrorKind::kInternal:
      break;
  }
  return CAMBI_EINTERNAL;
}

}  // namespace

CambiStatus status_of_exception() noexcept {
  try {
    throw;
  } catch (const NotFound& error) {
    remember(error.what());
    return CAMBI_ENOTFOUND;
  } catch (const Stopped& error) {
    remember(error.what());
    return CAMBI_ESTOPPED;
  } catch (const Error& error) {
    remember(error.what());
    return status_of(error.kind());
  } catch (const std::bad_alloc&) {
    remember("not enough memory");
    return CAMBI_ENOMEM;
  } catch (const std::exception& error) {
    remember(error.what());
  } catch (...) {
    remember("an unknown exception");
  }
  return CAMBI_EINTERNAL;
}

const char* last_error() noexcept {
  return last_text;
}

}  // namespace vq::c_api
