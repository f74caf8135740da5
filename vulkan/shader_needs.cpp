// Reads from SPIR-V how large a shader's work groups are and how much memory they share: sizes are worked out
// from the specialization constants just as the driver does.
#include <map>
#include <optional>

#include "vulkan/limits.h"
#include "vulkan/spirv.h"

namespace vq::vulkan {
namespace {

using Words = std::span<const uint32_t>;

// Numbers of the SPIR-V specification, version 1.5.
enum Operation : uint32_t {
  kExecutionMode = 16,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kSpecConstantOp = 52,
  kVariable = 59,
  kDecorate = 71,
};
constexpr uint32_t kShaderCapability = 1;
constexpr uint32_t kLocalSize = 17;             // execution mode
constexpr uint32_t kSpecId = 1, kBuiltIn = 11;  // decorations
constexpr uint32_t kWorkgroupSize = 25;         // built-in
constexpr uint32_t kWorkgroup = 4;              // storage class
constexpr uint32_t kBoolBytes = 4;

// The operations of 32-bit constants that occur in sizes; nothing for any other.
std::optional<uint32_t> computed(uint32_t operation, const std::vector<uint32_t>& operands) {
  constexpr uint32_t kAdd = 128, kSubtract = 130, kMultiply = 132, kDivide = 134, kModulo = 137;
  constexpr uint32_t kSelect = 169;
  if (operation == kSelect && operands.size() == 3) return operands[0] != 0 ? operands[1] : operands[2];
  if (operands.size() != 2) return std::nullopt;
  const uint32_t a = operands[0], b = operands[1];
  if (operation == kAdd) return a + b;
  if (operation == kSubtract) return a - b;
  if (operation == kMultiply) return a * b;
  if (operation == kDivide && b != 0) return a / b;
  if (operation == kModulo && b != 0) return a % b;
  return std::nullopt;
}

class NeedsModule {
 public:
  NeedsModule(const Shader& shader, Words constants) : constants_(constants) {
    for_each_instruction(shader, [&](uint32_t operation, Words words) {
      read_type(operation, words);
      read_constant(operation, words);
      read_rest(operation, words);
    });
    if (!is_plain_) throw broken_shader(shader);
  }

  ShaderNeeds needs() const { return needs_; }

 private:
  // Sizes of types in bytes. An array whose length is not known here is in nothing that a group shares.
  void read_type(uint32_t operation, Words words) {
    if (operation == kTypeBool) bytes_[words[1]] = kBoolBytes;
    if (operation == kTypeInt || operation == kTypeFloat) bytes_[words[1]] = words[2] / 8;
    if (operation == kTypeVector && bytes_.contains(words[2])) {
      bytes_[words[1]] = bytes_.at(words[2]) * words[3];
    }
    if (operation == kTypeArray && bytes_.contains(words[2]) && values_.contains(words[3])) {
      bytes_[words[1]] = bytes_.at(words[2]) * values_.at(words[3]);
    }
    if (operation == kTypePointer) pointee_[words[1]] = words[3];
  }

  void read_constant(uint32_t operation, Words words) {
    if (operation == kConstant) values_[words[2]] = words[3];
    if (operation == kConstantTrue || operation == kConstantFalse) {
      values_[words[2]] = operation == kConstantTrue ? 1 : 0;
    }
    if (operation == kSpecConstant) values_[words[2]] = specialized(words[2], words[3]);
    if (operation == kSpecConstantTrue || operation == kSpecConstantFalse) {
      values_[words[2]] = specialized(words[2], operation == kSpecConstantTrue ? 1 : 0);
    }
    if (operation == kSpecConstantOp) {
      const std::optional<uint32_t> value = operands_of(words);
      if (value) values_[words[2]] = *value;
    }
  }

  void read_rest(uint32_t operation, Words words) {
    if (operation == kCapability && words[1] != kShaderCapability) is_plain_ = false;
    if (operation == kExecutionMode && words[2] == kLocalSize) set_group_size({words[3], words[4], words[5]});
    if (operation == kDecorate && words[2] == kSpecId) spec_id_[words[1]] = words[3];
    if (operation == kDecorate && words[2] == kBuiltIn && words[3] == kWorkgroupSize) group_size_ = words[1];
    if (operation == kSpecConstantComposite && words[2] == group_size_) {
      set_group_size({value(words[3]), value(words[4]), value(words[5])});
    }
    if (operation == kVariable && words[3] == kWorkgroup) {
      const auto size = bytes_.find(pointee_.at(words[1]));
      if (size == bytes_.end()) {
        is_plain_ = false;
      } else {
        needs_.shared_bytes += size->second;
      }
    }
  }

  uint32_t specialized(uint32_t id, uint32_t otherwise) const {
    const auto found = spec_id_.find(id);
    if (found == spec_id_.end() || found->second >= constants_.size()) return otherwise;
    return constants_[found->second];
  }

  std::optional<uint32_t> operands_of(Words words) const {
    std::vector<uint32_t> operands;
    for (const uint32_t id : words.subspan(4)) {
      const auto found = values_.find(id);
      if (found == values_.end()) return std::nullopt;
      operands.push_back(found->second);
    }
    return computed(words[3], operands);
  }

  uint32_t value(uint32_t id) {
    const auto found = values_.find(id);
    if (found != values_.end()) return found->second;
    is_plain_ = false;
    return 1;
  }

  // The built-in stands for what the execution mode says, and comes after it.
  void set_group_size(const std::array<uint32_t, 3>& size) {
    for (size_t i = 0; i < size.size(); ++i) needs_.group_size[i] = size[i];
  }

  const Words constants_;
  ShaderNeeds needs_;
  bool is_plain_ = true;
  std::map<uint32_t, int64_t> bytes_;     // of types
  std::map<uint32_t, uint32_t> pointee_;  // of pointer types
  std::map<uint32_t, uint32_t> values_;   // of constants
  std::map<uint32_t, uint32_t> spec_id_;  // of constants
  uint32_t group_size_ = 0;               // the built-in constant
};

}  // namespace

ShaderNeeds needs_of(const Shader& shader, std::span<const uint32_t> constants) {
  ShaderNeeds needs = NeedsModule(shader, constants).needs();
  needs.storage_buffers = static_cast<int64_t>(shader_accesses(shader).size());
  return needs;
}

}  // namespace vq::vulkan
