// Hardware decoding by FFmpeg's hwaccels.

#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/system/files.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr LibraryName kCuda = {"libcuda.so.1", "nvcuda.dll"};

// CUDA's types and calls, as far as they are needed here.
struct Uuid {
  std::array<uint8_t, 16> bytes;
};
using Initialise = int(unsigned flags);
using CountDevices = int(int* count);
using GetDevice = int(int* device, int number);
using GetUuid = int(Uuid* uuid, int device);

// CUDA's number of the device. Throws HardwareRefusal.
int cuda_number(const vulkan::DeviceInfo& wanted) {
  std::string reason;
  const auto refuse = [&](const std::string& why) {
    throw HardwareRefusal(words("{}: {}", wanted.name, why));
  };
  const auto function = [&](const char* name) { return library_function(kCuda, name, reason); };
  const auto initialise = reinterpret_cast<Initialise*>(function("cuInit"));
  if (!initialise) refuse(words("there is no {}", kCuda.here()));
  const auto count_devices = reinterpret_cast<CountDevices*>(function("cuDeviceGetCount"));
  const auto get_device = reinterpret_cast<GetDevice*>(function("cuDeviceGet"));
  const auto get_uuid = reinterpret_cast<GetUuid*>(function("cuDeviceGetUuid"));
  if (!count_devices || !get_device || !get_uuid) refuse(words("{} is too old", kCuda.here()));
  int count = 0;
  if (const int error = initialise(0); error != 0 || count_devices(&count) != 0 || count == 0)
    refuse(error != 0 ? words("CUDA has no device (error {})", error) : "CUDA has no device");
  for (int number = 0; number < count; ++number) {
    int device = 0;
    Uuid own{};
    if (get_device(&device, number) != 0 || get_uuid(&own, device) != 0) continue;
    if (own.bytes == wanted.uuid) return number;
  }
  throw HardwareRefusal(words("{}: CUDA does not see it", wanted.name));
}

// FFmpeg's hwaccels, the best first, if no device is named.
constexpr std::array<const char*, 4> kAnyDevice = {"cuda", "vaapi", "videotoolbox", "vulkan"};

constexpr std::array<AVCodecID, 5> kExact = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1,
                                             AV_CODEC_ID_VP9, AV_CODEC_ID_VP8};

// A device that is open, and what it complains of. The device's pictures and decoders refer to it.
struct OpenDevice {
  explicit OpenDevice(AVBufferRef* opened) : context(opened) {
    if (has_log(device())) device().user_opaque = &log;
  }
  ~OpenDevice() {
    if (has_log(device())) device().user_opaque = nullptr;
  }
  AVHWDeviceContext& device() const { return *reinterpret_cast<AVHWDeviceContext*>(context->data); }

  FfmpegLog log;
  std::shared_ptr<void> stream;  // CUDA's, if it has one of its own
  AvPtr<AVBufferRef> context;
};

AVHWDeviceType type_of(const std::string& hwaccel) { return av_hwdevice_find_type_by_name(hwaccel.c_str()); }

// How the decoder uses such devices; null if it cannot.
const AVCodecHWConfig* config_of(const AVCodec& codec, AVHWDeviceType type) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* const config = avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return nullptr;
    if (config->device_type == type && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
      return config;
  }
}

// Not one that wraps a library of the vendor, which reads the stream by itself and says nothing of damage.
const AVCodec* find_codec(AVCodecID id, AVHWDeviceType type) {
  void* position = nullptr;
  while (const AVCodec* const codec = av_codec_iterate(&position)) {
    const bool is_meant =
        codec->id == id && av_codec_is_decoder(codec) != 0 && codec->wrapper_name == nullptr;
    if (is_meant && config_of(*codec, type) != nullptr) return codec;
  }
  return nullptr;
}

// FFmpeg's nvdec places the chroma of pictures with an odd number of rows wrongly.
bool is_odd(const AVCodecContext& decoder) {
  return decoder.coded_width % 2 != 0 || decoder.coded_height % 2 != 0;
}

// The means to keep pictures on the device: CUDA's calls, the memory of the device with that UUID, and the
// rows that the host looks at. Null if there is none.
struct Stay {
  std::shared_ptr<CudaPictures> cuda;
  std::shared_ptr<DeferredSharedPictures> pictures;
  std::array<uint8_t, 16> uuid{};
  std::shared_ptr<const LookedRows> rows;
};

class FfmpegSession final : public HardwareSession {
 public:
  FfmpegSession(std::string hwaccel, const AVCodec& codec, std::shared_ptr<OpenDevice> device, Stay stay)
      : hwaccel_(std::move(hwaccel)), codec_(codec), device_(std::move(device)), stay_(std::move(stay)) {}

  const std::string& hwaccel() const override { return hwaccel_; }
  const AVCodec& codec() const override { return codec_; }
  void attach(AVCodecContext& decoder) override {
    decoder.hw_device_ctx = av_buffer_ref(device_->context.get());
    if (decoder.hw_device_ctx == nullptr) throw std::bad_alloc();
  }
  AVPixelFormat choose(const AVCodecContext& decoder, const AVPixelFormat* offered) override {
    if (is_odd(decoder)) return AV_PIX_FMT_NONE;
    const AVPixelFormat own = config_of(codec_, type_of(hwaccel_))->pix_fmt;
    while (*offered != AV_PIX_FMT_NONE && *offered != own) ++offered;
    return *offered;
  }

  HostFormat host_format(const AVFrame& picture) const override {
    const auto& pictures = *reinterpret_cast<const AVHWFramesContext*>(picture.hw_frames_ctx->data);
    return {pictures.sw_format, pictures.width, pictures.height};
  }

  // Some of FFmpeg's copies fail with nothing but a line in the log.
  Fetched fetch(const AVFrame& picture, AVFrame& host) override {
    // FFmpeg would leave out the last row of chroma of a 4:2:0 picture with an odd number of rows.
    const AvPtr<AVFrame> whole = owned(av_frame_clone(&picture));
    whole->width = host.width;
    whole->height = host.height;
    const int64_t errors = device_->log.errors();
    const int code = av_hwframe_transfer_data(&host, whole.get(), 0);
    if (device_->log.errors() != errors) return {code < 0 ? code : AVERROR_EXTERNAL, device_->log.first()};
    return {code, code < 0 ? ffmpeg_reason(code) : std::string()};
  }

  std::unique_ptr<PictureCopy> keep(const AVFrame& picture, const PictureLayout& layout,
                                    int planes) override {
    if (!stay_.cuda || !stay_.pictures) return nullptr;
    const std::shared_ptr<vulkan::SharedPictures> memory = stay_.pictures->find(stay_.uuid);
    if (!memory) return nullptr;
    return stay_.cuda->copy(picture, layout, planes, stay_.rows ? stay_.rows->get() : std::vector<int>(),
                            *memory);
  }

 private:
  const std::string hwaccel_;
  const AVCodec& codec_;
  const std::shared_ptr<OpenDevice> device_;
  const Stay stay_;
};

// FFmpeg's name of the device: CUDA's number, Vulkan's, or a node. Empty: any. Throws HardwareRefusal.
std::string ffmpeg_name(const std::string& hwaccel, const vulkan::DeviceInfo& device) {
  const bool has_uuid = device.uuid != std::array<uint8_t, 16>{};
  if (hwaccel == "cuda" && has_uuid) return std::to_string(cuda_number(device));
  if (hwaccel == "vulkan") return std::to_string(device.index);
  return hwaccel == "vaapi" ? device.render_node : std::string();
}

class FfmpegHardware final : public HardwareApi {
 public:
  std::unique_ptr<HardwareSession> open(const HardwareRequest& request, AVCodecID codec, int nth) override {
    if (!is_exact(codec)) {
      throw HardwareRefusal(words("decoders of {} need not agree to the last bit", avcodec_get_name(codec)));
    }
    const vulkan::DeviceInfo* const device =
        request.devices.empty() ? nullptr
                                : &request.devices[static_cast<size_t>(nth) % request.devices.size()];
    std::vector<std::string> names(kAnyDevice.begin(), kAnyDevice.end());
    if (device != nullptr) names = hwaccels_for(*device);
    if (!request.hwaccel.empty()) names = {request.hwaccel};
    std::string reasons;
    for (const std::string& name : names) {
      try {
        return open_as(name, request, codec, device);
      } catch (const HardwareRefusal& refusal) {
        reasons += (reasons.empty() ? "" : "; ") + std::string(refusal.what());
      }
    }
    throw HardwareRefusal(reasons);
  }

 private:
  std::unique_ptr<HardwareSession> open_as(const std::string& hwaccel, const HardwareRequest& request,
                                           AVCodecID codec, const vulkan::DeviceInfo* device) {
    const AVHWDeviceType type = type_of(hwaccel);
    if (type == AV_HWDEVICE_TYPE_NONE) throw HardwareRefusal(words("this FFmpeg has no {}", hwaccel));
    const AVCodec* const decoder = find_codec(codec, type);
    if (decoder == nullptr)
      throw HardwareRefusal(
          words("this FFmpeg does not decode {} with {}", avcodec_get_name(codec), hwaccel));
    std::shared_ptr<OpenDevice> opened =
        open_device(hwaccel, device != nullptr ? ffmpeg_name(hwaccel, *device) : "");
    Stay stay;
    if (hwaccel == "cuda" && device != nullptr && request.pictures) {
      stay = {cuda(), request.pictures, device->uuid, request.rows};
      opened = with_own_stream(std::move(opened));
    }
    return std::make_unique<FfmpegSession>(hwaccel, *decoder, std::move(opened), std::move(stay));
  }

  // Sessions of one device do not wait while another is opened, which takes a third of a second.
  std::shared_ptr<OpenDevice> open_device(const std::string& hwaccel, const std::string& name) {
    std::unique_lock all(mutex_);
    Place& place = devices_[{hwaccel, name}];
    all.unlock();
    const std::lock_guard lock(place.mutex);
    std::shared_ptr<OpenDevice>& device = place.device;
    if (device) return device;
    AVBufferRef* context = nullptr;
    const int code =
        av_hwdevice_ctx_create(&context, type_of(hwaccel), name.empty() ? nullptr : name.c_str(), nullptr, 0);
    if (code < 0) {
      throw HardwareRefusal(words("{} cannot open {} ({})", hwaccel,
                                  name.empty() ? "a device" : "device " + name, ffmpeg_reason(code)));
    }
    device = std::make_shared<OpenDevice>(context);
    return device;
  }

  std::shared_ptr<CudaPictures> cuda() {
    const std::lock_guard lock(mutex_);
    if (!cuda_) cuda_ = CudaPictures::open();
    return cuda_;
  }

  // The same device for one session; as it is if CUDA refuses.
  std::shared_ptr<OpenDevice> with_own_stream(std::shared_ptr<OpenDevice> device) {
    const std::shared_ptr<CudaPictures> calls = cuda();
    if (!calls) return device;
    CudaPictures::OwnStream own = calls->with_own_stream(*device->context);
    if (!own.device) return device;
    const auto result = std::make_shared<OpenDevice>(own.device.release());
    result->stream = std::move(own.stream);
    return result;
  }

  struct Place {
    std::mutex mutex;
    std::shared_ptr<OpenDevice> device = {};
  };
  std::mutex mutex_;
  std::shared_ptr<CudaPictures> cuda_;
  std::map<std::pair<std::string, std::string>, Place> devices_;
};

}  // namespace

std::shared_ptr<HardwareApi> ffmpeg_hardware() {
  install_ffmpeg_log();
  // Never destroyed: to give back a context of CUDA takes a quarter of a second, the end of the process less.
  static const auto* const hardware = new std::shared_ptr<HardwareApi>(std::make_shared<FfmpegHardware>());
  return *hardware;
}

std::vector<std::string> hwaccel_names() {
  std::vector<std::string> names;
  for (AVHWDeviceType type = av_hwdevice_iterate_types(AV_HWDEVICE_TYPE_NONE); type != AV_HWDEVICE_TYPE_NONE;
       type = av_hwdevice_iterate_types(type)) {
    names.emplace_back(av_hwdevice_get_type_name(type));
  }
  return names;
}

bool is_exact(AVCodecID codec) { return contains(kExact, codec); }

std::vector<std::string> hwaccels_for(const vulkan::DeviceInfo& device) {
  constexpr uint32_t kNvidia = 0x10DE;  // among the vendors of the PCI
  return {device.vendor == kNvidia ? "cuda" : "vaapi", "vulkan"};
}

}  // namespace vq::cli
