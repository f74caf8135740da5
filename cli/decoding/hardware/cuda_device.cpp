#include "cli/decoding/hardware/cuda_device.h"

#include <dlfcn.h>

namespace vq::cli {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// CUDA's types and calls, as far as they are needed here.
struct Uuid {
  std::array<uint8_t, 16> bytes;
};
using Initialise = int(unsigned flags);
using CountDevices = int(int* count);
using GetDevice = int(int* device, int number);
using GetUuid = int(Uuid* uuid, int device);

template <typename Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

CudaDevice find_cuda_device(const std::array<uint8_t, 16>& uuid) {
  void* const library =
      dlopen(kLibrary, RTLD_LAZY);  // for good: drivers have threads, and FFmpeg will use it
  if (library == nullptr) return {-1, std::string("there is no ") + kLibrary};
  const auto initialise = function<Initialise>(library, "cuInit");
  const auto count_devices = function<CountDevices>(library, "cuDeviceGetCount");
  const auto get_device = function<GetDevice>(library, "cuDeviceGet");
  const auto get_uuid = function<GetUuid>(library, "cuDeviceGetUuid");
  if (!initialise || !count_devices || !get_device || !get_uuid)
    return {-1, std::string(kLibrary) + " is too old"};
  int count = 0;
  if (const int error = initialise(0); error != 0 || count_devices(&count) != 0 || count == 0) {
    return {-1,
            "CUDA has no device" + (error != 0 ? " (error " + std::to_string(error) + ")" : std::string())};
  }
  for (int number = 0; number < count; ++number) {
    int device = 0;
    Uuid own{};
    if (get_device(&device, number) != 0 || get_uuid(&own, device) != 0) continue;
    if (own.bytes == uuid) return {number, {}};
  }
  return {-1, "CUDA does not see it"};
}

}  // namespace vq::cli
