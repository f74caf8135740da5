// Reads from SPIR-V what a shader does to its storage buffers, so that no second list can disagree with it.
#include <map>
#include <set>

#include "vulkan/spirv.h"

namespace vq::vulkan {
namespace {

// Numbers of the SPIR-V specification, version 1.5.
constexpr uint32_t kOpTypeStruct = 30, kOpTypePointer = 32, kOpVariable = 59;
constexpr uint32_t kOpDecorate = 71, kOpMemberDecorate = 72;
constexpr uint32_t kNonWritable = 24, kBinding = 33;
constexpr uint32_t kStorageBuffer = 12;  // storage class

struct Module {
  std::map<uint32_t, uint32_t> binding;              // of variables
  std::map<uint32_t, uint32_t> members;              // of structs: how many
  std::map<uint32_t, std::set<uint32_t>> read_only;  // of structs: which members
  std::map<uint32_t, uint32_t> pointee;              // of pointer types
  std::map<uint32_t, uint32_t> variables;            // storage buffers and their pointer types

  void read(uint32_t op, std::span<const uint32_t> words) {
    if (op == kOpTypeStruct) members[words[1]] = static_cast<uint32_t>(words.size() - 2);
    if (op == kOpTypePointer) pointee[words[1]] = words[3];
    if (op == kOpVariable && words[3] == kStorageBuffer) variables[words[2]] = words[1];
    if (op == kOpDecorate && words[2] == kBinding) binding[words[1]] = words[3];
    if (op == kOpMemberDecorate && words[3] == kNonWritable) read_only[words[1]].insert(words[2]);
  }

  bool only_reads(uint32_t variable) const {
    const uint32_t type = pointee.at(variables.at(variable));
    const auto found = read_only.find(type);
    return found != read_only.end() && found->second.size() == members.at(type);
  }
};

}  // namespace

std::vector<Access> shader_accesses(const Shader& shader) {
  Module module;
  for_each_instruction(shader, [&](uint32_t op, std::span<const uint32_t> words) { module.read(op, words); });
  // Several declarations may share a binding to see it as different types.
  std::map<uint32_t, Access> accesses;
  for (const auto& [variable, type] : module.variables) {
    const auto found = module.binding.find(variable);
    if (found == module.binding.end()) throw broken_shader(shader);
    const Access access = module.only_reads(variable) ? Access::kRead : Access::kWrite;
    const auto [entry, is_new] = accesses.try_emplace(found->second, access);
    if (!is_new && access == Access::kWrite) entry->second = access;
  }
  std::vector<Access> list;
  for (const auto& [number, access] : accesses) {
    if (number != list.size()) throw broken_shader(shader);
    list.push_back(access);
  }
  return list;
}

}  // namespace vq::vulkan
