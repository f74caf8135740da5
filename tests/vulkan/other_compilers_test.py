#!/usr/bin/env python3
"""Whether compilers for devices that are not here do with the floats of all shaders what these ask for: see ADR 0068.

SPIRV-Cross, on which MoltenVK and others build, must guard each sum and product in Metal's and Direct3D's languages. Mesa's compiler for
AMD's GPUs must take all shaders, without the hardware, and make no sum or product that is NoContraction a part of a fused operation.

Usage: other_compilers_test.py BUILD_FOLDER TOP
"""
import collections
import ctypes
import functools
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from ctypes import c_char_p as text, c_int32 as i32, c_size_t as size, c_uint32 as u32, c_uint64 as u64, c_void_p as pointer

BUILD, TOP = sys.argv[1:3]
sys.path.insert(0, f"{TOP}/shaders")
import float_proof
from float_proof import DECORATE, EXTENDED, FUNCTION, NO_CONTRACTION, ROUNDED

DIVIDE, MULTIPLY, SQUARE_ROOT, ABSOLUTE = 136, 133, 31, 4
CAPABILITY, ENTRY_POINT, EXECUTION_MODE = 17, 15, 16
ROUNDS, KEEPS = (4467, 4462), (4466, 4461)  # capabilities and modes of floats, which vulkan/shader.cpp declares
# GCN, RDNA 1, 2 and 3. Mesa 22.3 knows the last by another name.
FAMILIES = [("polaris10",), ("navi10",), ("navi21",), ("navi31", "gfx1100")]
# The older v_mad and v_mac round the product before they add. A product with a power of 2 is exact.
FUSED = re.compile(r"^\tv_\w*(?:fma|fmac|fmamk|fmaak)_(?:f16|f32|f64|legacy|mix)(?!.*\b(?:2\.0|4\.0|0\.5),).*", re.M)
# HLSL has no words of doubles.
NOT_IN_HLSL = {"ciede_add_chunks", "ciede_chunk_steps", "ciede_differences"}


@functools.cache
def shaders():
    """Words of SPIR-V by name, from the headers of the build."""
    found = {}
    for header in sorted(pathlib.Path(BUILD, "shaders").glob("*.h")):
        code = re.search(r"Code\[\] = \{([^}]*)\}", header.read_text())
        found[header.stem] = [int(word) for word in code[1].split(",")]
    return found


def exact_operations(words):
    """How many sums, differences, products and quotients there are that must not be contracted, by their operation."""
    code = list(float_proof.instructions(words))
    exact = {o[0] for operation, o in code if operation == DECORATE and o[1] == NO_CONTRACTION}
    return collections.Counter(operation for operation, o in code if operation in (*ROUNDED, DIVIDE) and o[1] in exact)


def rewritten(words, change):
    """`change` gives for an operation and its operands the instructions that replace it."""
    result = list(words[:5])
    for operation, o in float_proof.instructions(words):
        for new_operation, new in change(operation, list(o)):
            result += [len(new) + 1 << 16 | new_operation, *new]
    return result


def declared(words):
    """As a device gets it that knows the float controls."""
    code = rewritten(words, lambda operation, o: [(operation, o)] + [
        (EXECUTION_MODE, [o[1], mode, 32]) for _, mode in (ROUNDS, KEEPS) if operation == ENTRY_POINT])
    return code[:5] + [word for capability, _ in (ROUNDS, KEEPS) for word in (2 << 16 | CAPABILITY, capability)] + code[5:]


def all_exact(words):
    """With no operation that is not NoContraction, and products instead of quotients and roots, for which drivers fuse."""
    code = list(float_proof.instructions(words))
    exact = {o[0] for operation, o in code if operation == DECORATE and o[1] == NO_CONTRACTION}
    others = [o[1] for operation, o in code if operation in (*ROUNDED, DIVIDE) and o[1] not in exact]
    first_type = next(operation for operation, _ in code if operation in range(19, 40))

    def change(operation, o):
        nonlocal others
        if operation == DIVIDE:
            operation = MULTIPLY
        elif operation == EXTENDED and o[3] == SQUARE_ROOT:
            o[3] = ABSOLUTE
        more, others = (others, []) if operation == first_type else ([], others)
        return [(DECORATE, [each, NO_CONTRACTION]) for each in more] + [(operation, o)]
    return rewritten(words, change)


def none_exact(words):
    return rewritten(words, lambda operation, o: [] if operation == DECORATE and o[1] == NO_CONTRACTION else [(operation, o)])


def binary(words):
    return struct.pack(f"<{len(words)}I", *words)


def record(*fields):
    class Record(ctypes.Structure):
        _fields_ = [(f"field{i}", each) for i, each in enumerate(fields)]
    return Record


def address(what):
    return ctypes.cast(ctypes.pointer(what), pointer)


# Vulkan's structs, by their members: what they are, no extension, flags, then their own.
Application = record(u32, pointer, text, u32, text, u32, u32)
InstanceInfo = record(u32, pointer, u32, pointer, u32, pointer, u32, pointer)
QueueInfo = record(u32, pointer, u32, u32, u32, pointer)
DeviceInfo = record(u32, pointer, u32, u32, pointer, u32, pointer, u32, pointer, pointer)
ModuleInfo = record(u32, pointer, u32, size, text)
Binding = record(u32, u32, u32, u32, pointer)
SetLayoutInfo = record(u32, pointer, u32, u32, pointer)
PushRange = record(u32, u32, u32)
LayoutInfo = record(u32, pointer, u32, u32, pointer, u32, pointer)
StageInfo = record(u32, pointer, u32, u32, u64, text, pointer)
PipelineInfo = record(u32, pointer, u32, StageInfo, u64, u64, i32)


def compile_all(files):
    """Makes pipelines of these files on the first device. The driver writes to stderr what it compiles, behind a line with the name."""
    vulkan = ctypes.CDLL("libvulkan.so.1")

    def make(name, *arguments, handle=u64):
        made = handle()
        result = getattr(vulkan, name)(*arguments, None, ctypes.byref(made))
        if result != 0:
            sys.exit(f"{name}: {result}")
        return made

    bindings, compute, storage_buffer, push_bytes = 16, 0x20, 7, 128
    application = Application(0, None, b"test", 0, None, 0, 1 << 22 | 2 << 12)
    instance = make("vkCreateInstance", ctypes.byref(InstanceInfo(1, None, 0, address(application), 0, None, 0, None)), handle=pointer)
    count, physical = u32(1), pointer()
    vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), ctypes.byref(physical))
    if count.value != 1:
        sys.exit("no device")
    features = (u32 * 55)()
    vulkan.vkGetPhysicalDeviceFeatures(physical, features)
    queue = QueueInfo(2, None, 0, 0, 1, address(ctypes.c_float(1)))
    device_info = DeviceInfo(3, None, 0, 1, address(queue), 0, None, 0, None, address(features))
    device = make("vkCreateDevice", physical, ctypes.byref(device_info), handle=pointer)
    buffers = (Binding * bindings)(*[Binding(i, storage_buffer, 1, compute, None) for i in range(bindings)])
    set_layout = make("vkCreateDescriptorSetLayout", device, ctypes.byref(SetLayoutInfo(32, None, 0, bindings, address(buffers))))
    push = PushRange(compute, 0, push_bytes)
    layout_info = LayoutInfo(30, None, 0, 1, address(set_layout), 1, address(push))
    layout = make("vkCreatePipelineLayout", device, ctypes.byref(layout_info))
    for file in map(pathlib.Path, files):
        code = file.read_bytes()
        module = make("vkCreateShaderModule", device, ctypes.byref(ModuleInfo(16, None, 0, len(code), code)))
        print(f"shader {file.stem}", file=sys.stderr, flush=True)
        stage = StageInfo(18, None, 0, compute, module, b"main", None)
        make("vkCreateComputePipelines", device, u64(0), u32(1), ctypes.byref(PipelineInfo(29, None, 0, stage, layout, 0, -1)))


class OtherCompilers(unittest.TestCase):
    def test_metal_and_direct3d_guard_sums_and_products(self):
        if not shutil.which("spirv-cross"):
            self.skipTest("spirv-cross is not installed")
        guarded = 0
        for name, words in shaders().items():
            exact = exact_operations(words)
            if not exact:
                continue
            metal = self.translated(name, words, "--msl", "--msl-version", "20300")
            for operation, guard in ROUNDED.items():
                calls = len(re.findall(rf"\bspv{guard}\(", metal))
                self.assertEqual(calls, exact[operation] + (calls > 0), f"{name}: {guard}")  # one is the function itself
                guarded += max(calls - 1, 0)
            # The guards' own bodies alone may have fused operations.
            self.assertNotRegex(re.sub(r"\[\[clang::optnone\]\].*?\n\}\n", "", metal, flags=re.S), r"\bfma\(", name)
            if name not in NOT_IN_HLSL:
                direct3d = self.translated(name, words, "--hlsl", "--shader-model", "60")
                self.assertEqual(len(re.findall(r"\bprecise\b", direct3d)), exact.total(), name)
        self.assertGreater(guarded, 500)

    def translated(self, name, words, *language):
        with tempfile.NamedTemporaryFile() as file:
            file.write(binary(words))
            file.flush()
            found = subprocess.run(["spirv-cross", *language, file.name], capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, f"{name}: {found.stderr}")
        return found.stdout

    def test_amd_compiles_all_and_fuses_no_exact_operation(self):
        for names in FAMILIES:
            with self.subTest(family=names[0]):
                self.compile_for(names)

    def compile_for(self, names):
        # The older ones have no fused operations at full speed, so what may be fused is not.
        fuses = names[0] not in ("polaris10", "navi10")
        with tempfile.TemporaryDirectory() as folder:
            for name, words in shaders().items():
                variants = {"own": words}
                if exact_operations(words):
                    variants["exact"] = all_exact(words)
                    if fuses:
                        variants["free"] = none_exact(words)
                for variant, code in variants.items():
                    pathlib.Path(folder, f"{name}-{variant}.spv").write_bytes(binary(declared(code)))
            files = sorted(pathlib.Path(folder).glob("*.spv"))
            for name in names:
                found = self.compiled(name, files)
                if "Unknown family" not in found.stderr:
                    break
        self.assertEqual(found.returncode, 0, found.stderr[-500:])
        parts = re.split(r"^shader (\S+)\n", found.stderr, flags=re.M)[1:]
        fused = {name: len(FUSED.findall(text[text.rindex("disasm:"):])) for name, text in zip(parts[::2], parts[1::2])}
        self.assertEqual(len(fused), len(files))
        for each, count in fused.items():
            if each.endswith("-exact"):
                self.assertEqual(count, 0, each)
        if fuses:
            self.assertGreater(sum(count for each, count in fused.items() if each.endswith("-free")), 500)

    def compiled(self, family, files):
        drivers = [*pathlib.Path("/usr/share/vulkan/icd.d").glob("radeon_icd*.json")]
        if not drivers:
            self.skipTest("Mesa's driver for AMD GPUs is not installed")
        environment = {"VK_ICD_FILENAMES": str(drivers[0]), "VK_DRIVER_FILES": str(drivers[0]), "RADV_FORCE_FAMILY": family,
                       "RADV_DEBUG": "shaders,nocache", "PATH": "/usr/bin"}
        return subprocess.run([sys.executable, "-B", __file__, BUILD, TOP, "compile", *files], env=environment, capture_output=True,
                              text=True, check=False)


if __name__ == "__main__":
    if sys.argv[3:4] == ["compile"]:
        compile_all(sys.argv[4:])
    else:
        unittest.main(argv=sys.argv[:1])
