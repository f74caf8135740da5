#include "tests/support/rewritten_shader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vq::test {
namespace {

using Words = std::vector<uint32_t>;

// Numbers of the SPIR-V specification, version 1.5.
enum Op : uint32_t {
  kExtInstImport = 11,
  kExtInst = 12,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypePointer = 32,
  kConstant = 43,
  kConstantComposite = 44,
  kFunction = 54,
  kVariable = 59,
  kLoad = 61,
  kStore = 62,
  kAccessChain = 65,
  kDecorate = 71,
  kCompositeExtract = 81,
  kFConvert = 115,
  kBitcast = 124,
  kIAdd = 128,
  kFAdd = 129,
  kISub = 130,
  kFSub = 131,
  kIMul = 132,
  kFMul = 133,
  kUDiv = 134,
  kFDiv = 136,
  kUMod = 137,
  kULessThan = 176,
  kShiftRight = 194,
  kShiftLeft = 196,
  kOr = 197,
  kXor = 198,
  kAnd = 199,
  kControlBarrier = 224,
  kPhi = 245,
  kLoopMerge = 246,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250
};
enum Extended : uint32_t { kFAbs = 4, kSqrt = 31, kInverseSqrt = 32, kUMin = 38 };
constexpr uint32_t kFloat64 = 10, kNoContraction = 42, kWorkgroup = 4, kHeaderWords = 5;
constexpr uint32_t kLocalSize = 17, kBuiltIn = 11, kLocalId = 27, kLocalIndex = 29;

uint32_t head_of(uint32_t op, size_t operands) { return static_cast<uint32_t>(operands + 1) << 16 | op; }

// Types and constants that are missing are added before the functions. A result that is changed is computed
// under a number of its own, and what changes it has the old one.
class Rewriting {
 public:
  Rewriting(const uint32_t* code, size_t words, const Perturbation& how)
      : code_(code, code + words), how_(how), bound_(code_[3]) {
    for_each(kHeaderWords, [&](uint32_t op, const Words& all) { note(op, all); });
  }

  RewrittenShader result() {
    for_each(functions_, [&](uint32_t op, const Words& all) { rewrite(op, all); });
    Words out(code_.begin(), code_.begin() + kHeaderWords);
    out[3] = bound_;
    if (uses_doubles_ && !has_doubles_) out.insert(out.end(), {head_of(kCapability, 1), kFloat64});
    out.insert(out.end(), code_.begin() + kHeaderWords, code_.begin() + static_cast<long>(functions_));
    out.insert(out.end(), declarations_.begin(), declarations_.end());
    out.insert(out.end(), body_.begin(), body_.end());
    return {std::move(out), site_};
  }

 private:
  template <typename Function>
  void for_each(size_t from, Function function) {
    for (at_ = from; at_ < code_.size(); at_ += code_[at_] >> 16) {
      const auto begin = code_.begin() + static_cast<long>(at_);
      function(code_[at_] & 0xFFFF, Words(begin, begin + (code_[at_] >> 16)));
    }
  }

  void note(uint32_t op, const Words& all) {
    if (op == kCapability) has_doubles_ = has_doubles_ || all[1] == kFloat64;
    if (op == kExtInstImport) extended_ = all[1];
    if (op == kDecorate && all[2] == kNoContraction) exact_.insert(all[1]);
    if (op == kExecutionMode && all[2] == kLocalSize) group_ = Words(all.begin() + 3, all.end());
    if (op == kDecorate && all[2] == kBuiltIn &&
        (all[3] == kLocalIndex || (all[3] == kLocalId && !has_index_))) {
      id_ = all[1];
      has_index_ = all[3] == kLocalIndex;
    }
    if (kTypeBool <= op && op <= kTypePointer) {
      types_[all[1]] = {op, Words(all.begin() + 2, all.end())};
      made_.emplace(types_[all[1]], all[1]);
    }
    if (op == kConstant) values_[all[2]] = all[3];
    if (op == kConstant && all.size() == 4) made_.emplace(std::pair(op, Words{all[1], all[3]}), all[2]);
    if (op == kVariable && all[3] == kWorkgroup) shared_.emplace_back(all[2], all[1]);
    if (op == kFunction && functions_ == 0) functions_ = at_;
    if (op == kFMul) products_[all[2]] = all;
  }

  void rewrite(uint32_t op, const Words& all) {
    if (how_.mode == "junk") return fill_shared(op, all);
    const bool is_root = op == kExtInst && all[3] == extended_ && (all[4] == kSqrt || all[4] == kInverseSqrt);
    const bool is_estimate = op == kFDiv || is_root;
    const bool is_one = op == kFAdd || op == kFSub || op == kFMul || is_estimate;
    if (!is_one || !is_of_floats(all[1])) return keep(all);
    lanes_ = types_.at(all[1]).first == kTypeVector ? types_.at(all[1]).second[1] : 1;
    const bool is_exact = exact_.contains(all[2]), is_legal = how_.mode == "legal";
    if (how_.mode == "ftz") return flush(all, is_root ? 5 : 3);
    if (is_estimate) return is_legal ? change(all, [&](uint32_t x) { return jittered(x); }) : keep(all);
    if (how_.mode == "rtz" || (is_legal && !is_exact)) return truncate(op, all);
    if (how_.mode == "fma" && op == kFAdd) return fuse(all);
    if (how_.mode == "site" && is_exact && site_++ == how_.number)
      return change(all, [&](uint32_t x) { return add_if_not_zero(x, number(1)); });
    keep(all);
  }

  void keep(const Words& all) { body_.insert(body_.end(), all.begin(), all.end()); }

  // `changed` computes the bits of the result from those of what the instruction computes.
  template <typename Function>
  void change(Words all, Function changed) {
    const uint32_t result = std::exchange(all[2], bound_++);
    keep(all);
    put(kBitcast, {all[1], result, changed(bits_of(all[2]))});
  }

  // Up to 4 units either way.
  uint32_t jittered(uint32_t bits) {
    const uint32_t mixed =
        integer(kIMul, integer(kXor, bits, number(how_.number * 7919 + 13)), number(0x9E3779B1));
    const uint32_t step = least(integer(kShiftRight, mixed, number(28)), 8);
    return add_if_not_zero(bits, integer(kISub, step, number(4)));
  }
  uint32_t add_if_not_zero(uint32_t bits, uint32_t units) {
    const uint32_t one = least(integer(kShiftLeft, bits, number(1)), 1);
    return integer(kIAdd, bits, integer(kIMul, units, one));
  }

  uint32_t flushed_bits(uint32_t bits) {
    const uint32_t one = least(integer(kAnd, bits, number(0x7F800000)), 1);
    return integer(kAnd, bits, integer(kOr, number(0x80000000), integer(kISub, number(0), one)));
  }
  void flush(Words all, size_t first_operand) {
    for (size_t i = first_operand; i < all.size(); ++i)
      all[i] = operation(kBitcast, floats(32), {flushed_bits(bits_of(all[i]))});
    change(all, [&](uint32_t x) { return flushed_bits(x); });
  }

  // What was rounded away from zero, as doubles tell, is one unit less.
  void truncate(uint32_t op, const Words& all) {
    const uint32_t wide = operation(op, floats(64), {widened(all[3]), widened(all[4])});
    change(all, [&](uint32_t bits) {
      const uint32_t found = widened(operation(kBitcast, floats(32), {bits}));
      const auto size = [&](uint32_t value) {
        return operation(kExtInst, floats(64), {extended_, kFAbs, value});
      };
      const uint32_t rest = operation(kFSub, floats(64), {size(wide), size(found)});
      const uint32_t sign = bits_of(operation(kFConvert, floats(32), {rest}));
      return integer(kISub, bits, integer(kShiftRight, sign, number(31)));
    });
  }
  uint32_t widened(uint32_t value) {
    uses_doubles_ = true;
    return operation(kFConvert, floats(64), {value});
  }

  void fuse(const Words& all) {
    const bool is_second = products_.contains(all[4]);
    const auto product = products_.find(all[is_second ? 4 : 3]);
    if (product == products_.end()) return keep(all);
    const uint32_t a = widened(product->second[3]), b = widened(product->second[4]);
    const uint32_t other = widened(all[is_second ? 3 : 4]);
    const uint32_t exact = operation(kFMul, floats(64), {a, b});
    put(kFConvert, {all[1], all[2], operation(kFAdd, floats(64), {exact, other})});
  }

  // Behind the variables of the module's first function, which is the entry in what glslang makes of GLSL.
  // Invocations of a row, or of the group, share the elements; the rest of the first block becomes a block of
  // its own.
  void fill_shared(uint32_t op, const Words& all) {
    if (op == kLabel && first_label_ == 0) first_label_ = all[1];
    if (op != kLabel && op != kVariable && first_label_ != 0 && rest_label_ == 0) {
      uint32_t before = first_label_;
      for (const auto& [variable, pointer] : shared_) before = fill(variable, pointer, before);
      const uint32_t group = number(2), order = number(0x108);
      put(kControlBarrier, {group, group, order});
      put(kBranch, {rest_label_ = bound_++});
      put(kLabel, {rest_label_});
    }
    Words own = all;
    if (op == kPhi && rest_label_ != 0) std::replace(own.begin() + 3, own.end(), first_label_, rest_label_);
    keep(own);
  }
  // Behind the block `before`. Returns the last new block.
  uint32_t fill(uint32_t variable, uint32_t pointer, uint32_t before) {
    uint32_t type = types_.at(pointer).second[1], all = 1;
    Words sizes;
    for (; types_.contains(type) && types_.at(type).first == kTypeArray; type = types_.at(type).second[0]) {
      if (!values_.contains(types_.at(type).second[1])) return before;
      sizes.push_back(values_.at(types_.at(type).second[1]));
      all *= sizes.back();
    }
    const uint32_t junk = junk_of(type);
    if (junk == 0 || sizes.empty()) return before;
    const uint32_t header = bound_++, body = bound_++, end = bound_++, i = bound_++, next = bound_++;
    const uint32_t first = own_number(), count = number(all);
    const uint32_t step = number(id_ == 0 ? 1 : has_index_ ? group_[0] * group_[1] * group_[2] : group_[0]);
    put(kBranch, {header});
    put(kLabel, {header});
    put(kPhi, {integers(), i, first, before, next, body});
    const uint32_t goes_on = operation(kULessThan, declared(kTypeBool, {}), {i, count});
    put(kLoopMerge, {end, body, 0});
    put(kBranchConditional, {goes_on, body, end});
    put(kLabel, {body});
    Words place = {variable};
    for (const uint32_t size : sizes) {
      all /= size;
      place.push_back(integer(kUMod, integer(kUDiv, i, number(all)), number(size)));
    }
    const uint32_t place_type = declared(kTypePointer, {kWorkgroup, type});
    put(kStore, {operation(kAccessChain, place_type, place), junk});
    put(kIAdd, {integers(), next, i, step});
    put(kBranch, {header});
    put(kLabel, {end});
    return end;
  }
  uint32_t own_number() {
    if (id_ == 0) return number(0);
    if (has_index_) return operation(kLoad, integers(), {id_});
    lanes_ = 3;
    const uint32_t id = operation(kLoad, integers(), {id_});
    lanes_ = 1;
    return operation(kCompositeExtract, integers(), {id, 0});
  }
  // A constant number of 32 bits or vector of them; 0 if the type is another.
  uint32_t junk_of(uint32_t type) {
    const auto [op, operands] = types_.contains(type) ? types_.at(type) : std::pair(0U, Words());
    if (op == kTypeInt || op == kTypeFloat) return declared(kConstant, {type, how_.number});
    if (op != kTypeVector) return 0;
    Words all = {type};
    all.insert(all.end(), operands[1], junk_of(operands[0]));
    return declared(kConstantComposite, all);
  }

  // Instructions on lanes_ numbers.
  void put(uint32_t op, const Words& operands) {
    body_.push_back(head_of(op, operands.size()));
    body_.insert(body_.end(), operands.begin(), operands.end());
  }
  uint32_t operation(uint32_t op, uint32_t type, const Words& operands) {
    Words all = {type, bound_++};
    all.insert(all.end(), operands.begin(), operands.end());
    put(op, all);
    return all[1];
  }
  uint32_t integer(uint32_t op, uint32_t a, uint32_t b) { return operation(op, integers(), {a, b}); }
  uint32_t least(uint32_t a, uint32_t b) {
    return operation(kExtInst, integers(), {extended_, kUMin, a, number(b)});
  }
  uint32_t bits_of(uint32_t value) { return operation(kBitcast, integers(), {value}); }

  uint32_t integers() { return vector_of(declared(kTypeInt, {32, 0})); }
  uint32_t floats(uint32_t bits) { return vector_of(declared(kTypeFloat, {bits})); }
  uint32_t vector_of(uint32_t type) { return lanes_ == 1 ? type : declared(kTypeVector, {type, lanes_}); }
  uint32_t number(uint32_t value) {
    const uint32_t one = declared(kConstant, {declared(kTypeInt, {32, 0}), value});
    if (lanes_ == 1) return one;
    Words all = {integers()};
    all.insert(all.end(), lanes_, one);
    return declared(kConstantComposite, all);
  }
  // A type, or a constant, whose type comes before its number.
  uint32_t declared(uint32_t op, const Words& operands) {
    const auto [entry, is_new] = made_.try_emplace(std::pair(op, operands), bound_);
    if (!is_new) return entry->second;
    const bool is_type = op < kConstant;
    if (is_type) types_[bound_] = {op, operands};
    declarations_.push_back(head_of(op, operands.size() + 1));
    declarations_.insert(declarations_.end(), operands.begin(), operands.end());
    declarations_.insert(declarations_.end() - static_cast<long>(operands.size() - (is_type ? 0 : 1)),
                         bound_);
    return bound_++;
  }
  bool is_of_floats(uint32_t type) const {
    const auto& [op, operands] = types_.at(type);
    return op == kTypeVector ? is_of_floats(operands[0]) : op == kTypeFloat && operands[0] == 32;
  }

  const Words code_;
  const Perturbation how_;
  uint32_t bound_;
  uint32_t extended_ = 0, site_ = 0, lanes_ = 1;
  size_t at_ = 0, functions_ = 0;  // positions in the code
  bool has_doubles_ = false, uses_doubles_ = false, has_index_ = false;
  uint32_t id_ = 0;  // variable of the invocation's index, or place, in its group; 0: it reads neither
  Words group_;      // size of a work group
  uint32_t first_label_ = 0, rest_label_ = 0;             // blocks of the entry
  std::set<uint32_t> exact_;                              // with NoContraction
  std::map<uint32_t, std::pair<uint32_t, Words>> types_;  // instruction and operands
  std::map<std::pair<uint32_t, Words>, uint32_t> made_;   // types and constants
  std::map<uint32_t, uint32_t> values_;                   // of constants
  std::vector<std::pair<uint32_t, uint32_t>> shared_;     // variables and their types
  std::map<uint32_t, Words> products_;
  Words declarations_, body_;
};

}  // namespace

RewrittenShader rewritten(const uint32_t* code, size_t words, const Perturbation& perturbation) {
  return Rewriting(code, words, perturbation).result();
}

}  // namespace vq::test
