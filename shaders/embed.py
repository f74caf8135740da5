#!/usr/bin/env python3
"""Compiles shaders and makes headers of them: usage embed.py FOLDER DEPFILE GLSLANG SHADER...

shaders/cambi/mask.comp becomes vq::shaders::kCambiMask in FOLDER/cambi_mask.h: the SPIR-V, and beside it what the shader asks of a
device, read from the SPIR-V itself so that no second list can disagree with it (see vulkan/shader.h). A shader that needs more than
every device has, is not laid out as vulkan/ expects, or may have other results on other devices (see float_proof.py), stops the build.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import float_proof
from float_proof import instructions

# What all shaders begin with. For version 4.50 and later glslang reads built-in functions that double the time of a shader.
PROLOGUE = """#version 440
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#line 1
"""

# Numbers of the SPIR-V specification, version 1.5.
EXECUTION_MODE, CAPABILITY, DECORATE, MEMBER_DECORATE, VARIABLE = 16, 17, 71, 72, 59
TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_ARRAY, TYPE_STRUCT, TYPE_POINTER = 20, 21, 22, 23, 28, 30, 32
CONSTANT_TRUE, CONSTANT_FALSE, CONSTANT = 41, 42, 43
SPEC_TRUE, SPEC_FALSE, SPEC_CONSTANT, SPEC_COMPOSITE, SPEC_OP = 48, 49, 50, 51, 52
SHADER, DOUBLES, LOCAL_SIZE, SPEC_ID, BUILT_IN, WORKGROUP_SIZE, NON_WRITABLE, BINDING = 1, 10, 17, 1, 11, 25, 24, 33
WORKGROUP, STORAGE_BUFFER = 4, 12  # storage classes
OPERATORS = {128: "+", 130: "-", 132: "*", 134: "/", 137: "%"}
SELECT = 169


class Module:
    """Values and sizes are expressions of C++, as they may depend on specialization constants."""

    def __init__(self, shader, words):
        self.shader = shader
        self.values, self.bytes, self.spec_ids = {}, {}, {}
        self.pointees, self.members, self.read_only, self.bindings, self.buffers = {}, {}, {}, {}, {}
        self.group_size, self.size_id, self.shared = ["1"] * 3, None, []
        for operation, operands in instructions(words):
            self.read_type(operation, operands)
            self.read_value(operation, operands)
            self.read_rest(operation, operands)

    def read_type(self, operation, o):
        if operation == TYPE_BOOL:
            self.bytes[o[0]] = "4"
        elif operation in (TYPE_INT, TYPE_FLOAT):
            self.bytes[o[0]] = str(o[1] // 8)
        elif operation == TYPE_VECTOR and o[1] in self.bytes:
            self.bytes[o[0]] = f"{self.bytes[o[1]]} * {o[2]}"
        elif operation == TYPE_ARRAY and o[1] in self.bytes and o[2] in self.values:
            self.bytes[o[0]] = f"{self.bytes[o[1]]} * {self.values[o[2]]}"
        elif operation == TYPE_STRUCT:
            self.members[o[0]] = len(o) - 1
            if all(member in self.bytes for member in o[1:]):
                self.bytes[o[0]] = "({})".format(" + ".join(self.bytes[member] for member in o[1:]))
        elif operation == TYPE_POINTER:
            self.pointees[o[0]] = o[2]

    def read_value(self, operation, o):
        if operation == CONSTANT:
            self.values[o[1]] = str(o[2])
        elif operation in (CONSTANT_TRUE, CONSTANT_FALSE):
            self.values[o[1]] = str(int(operation == CONSTANT_TRUE))
        elif operation in (SPEC_CONSTANT, SPEC_TRUE, SPEC_FALSE):
            own = o[2] if operation == SPEC_CONSTANT else int(operation == SPEC_TRUE)
            self.values[o[1]] = f"vulkan::specialized(constants, {self.spec_ids[o[1]]}, {own})"
        elif operation == SPEC_OP and all(operand in self.values for operand in o[3:]):
            values = [self.values[operand] for operand in o[3:]]
            if o[2] == SELECT:
                self.values[o[1]] = "({} != 0 ? {} : {})".format(*values)
            elif o[2] in OPERATORS:
                self.values[o[1]] = f"({values[0]} {OPERATORS[o[2]]} {values[1]})"

    def read_rest(self, operation, o):
        # Who uses a shader with doubles asks first whether the device has any: vulkan/device.h.
        if operation == CAPABILITY and o[0] not in (SHADER, DOUBLES):
            sys.exit(f"{self.shader}: it needs what not every device has, capability {o[0]}")
        elif operation == EXECUTION_MODE and o[1] == LOCAL_SIZE:
            self.group_size = [str(side) for side in o[2:5]]
        elif operation == DECORATE and o[1] == SPEC_ID:
            self.spec_ids[o[0]] = o[2]
        elif operation == DECORATE and o[1] == BINDING:
            self.bindings[o[0]] = o[2]
        elif operation == DECORATE and o[1:3] == (BUILT_IN, WORKGROUP_SIZE):
            self.size_id = o[0]
        elif operation == MEMBER_DECORATE and o[2] == NON_WRITABLE:
            self.read_only.setdefault(o[0], set()).add(o[1])
        elif operation == SPEC_COMPOSITE and o[1] == self.size_id:  # stands for what the execution mode says
            self.group_size = [self.values[side] for side in o[2:5]]
        elif operation == VARIABLE and o[2] == WORKGROUP:
            self.shared.append(self.bytes[self.pointees[o[0]]])
        elif operation == VARIABLE and o[2] == STORAGE_BUFFER:
            self.buffers[o[1]] = self.pointees[o[0]]

    def accesses(self):
        """Of bindings 0, 1, ... Several declarations may share one to see it as different types."""
        written = {}
        for variable, struct_type in self.buffers.items():
            only_reads = len(self.read_only.get(struct_type, ())) == self.members[struct_type]
            written[self.bindings[variable]] = written.get(self.bindings[variable], False) or not only_reads
        if not written or sorted(written) != list(range(len(written))):
            sys.exit(f"{self.shader}: its storage buffers are not bindings 0, 1, ...")
        return ["kWrite" if written[number] else "kRead" for number in range(len(written))]


def header(shader, name, words):
    title = "".join(word.capitalize() for word in name.split("_"))
    module = Module(shader, words)
    accesses = module.accesses()
    needs = f"{{{', '.join(module.group_size)}}}, {' + '.join(module.shared) or 0}, {len(accesses)}"
    parameter = "constants" if "constants" in needs else ""
    return f"""// Made of a shader by shaders/embed.py.
#pragma once

#include "vulkan/shader.h"

namespace vq::shaders {{

inline constexpr uint32_t k{title}Code[] = {{{", ".join(map(str, words))}}};
inline constexpr vulkan::Access k{title}Accesses[] = {{{", ".join(f"vulkan::Access::{access}" for access in accesses)}}};
inline constexpr vulkan::Shader k{title} = {{
    "{name}", k{title}Code, k{title}Accesses,
    [](std::span<const uint32_t> {parameter}) {{ return vulkan::ShaderNeeds{{{needs}}}; }}}};

}}  // namespace vq::shaders
"""


def main():
    output, depfile, glslang = sys.argv[1:4]
    headers, inputs = [], [float_proof.__file__]
    with tempfile.TemporaryDirectory() as folder:
        binary, found = (pathlib.Path(folder, name) for name in ("code", "depfile"))
        for shader in map(pathlib.Path, sys.argv[4:]):
            whole = pathlib.Path(folder, shader.name)
            whole.write_text(PROLOGUE + shader.read_text())
            command = [glslang, "--quiet", "-V", "--target-env", "vulkan1.2", f"-I{shader.parent}", "--depfile", found, "-o", binary, whole]
            if subprocess.run(command, check=False).returncode != 0:
                sys.exit(1)
            inputs.append(found.read_text().split(":", 1)[1].strip().replace(str(whole), str(shader)))
            data = binary.read_bytes()
            words = struct.unpack(f"<{len(data) // 4}I", data)
            float_proof.check(shader, shader.parent.name, words)
            name = f"{shader.parent.name}_{shader.stem}"
            headers.append(pathlib.Path(output, name + ".h"))
            headers[-1].write_text(header(shader, name, words))
    pathlib.Path(depfile).write_text(f"{' '.join(map(str, headers))}: {' '.join(inputs)}\n")


main()
