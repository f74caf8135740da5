#!/usr/bin/env python3
"""Whether shaders/embed.py stops the build for each fault that shaders/float_proof.py is to find, and for that alone.

Usage: float_proof_test.py GLSLANG TOP
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

GLSLANG, TOP = sys.argv[1:3]

DECLARATIONS = """
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float a, b; vec2 v; uint n; };
layout(std430, binding = 1) buffer Out { float result; vec2 results; uint number; };
shared float common_one;
"""

# Functions that the proof lists for the folder "ssim": a sum with an estimate in it, one that settles it, and one that settles
# nothing but what it estimates itself.
LISTED = """
struct PairSum { float high, low, size; };
void add_term(inout PairSum sum, float term) {
  precise const float high = sum.high + term;
  sum = PairSum(high, sum.low, sum.size + abs(term));
}
bool is_settled(PairSum sum, float share, out float rounded) {
  rounded = sum.high;
  return sum.high - sum.low > share * sum.size;
}
float root(float x) { return uintBitsToFloat(uint(sqrt(x * 2) * 2)); }
PairSum some() {
  PairSum sum = PairSum(0, 0, 0);
  add_term(sum, a);
  return sum;
}
float larger(float x) { return max(x, b); }
"""

IN_MAIN = [  # the fault that is named, and what main() does
    ("main: FAdd may be fused", "result = a + b;"),
    ("main: FSub may be fused", "precise const float c = a * b; result = c - a;"),
    ("main: FMul may be fused", "if (a * b > 1) number = 1;"),
    ("main: FAdd FMul may be fused", "result = a * b + a;"),
    ("", "precise const float sum = a * b + a; result = -sum;"),
    ("vector * scalar", "precise const vec2 scaled = v * a; results = scaled;"),
    ("", "precise const vec2 scaled = v * vec2(a); results = scaled;"),
    ("dot()", "precise const float sum = dot(v, v); result = sum;"),
    ("matrix * vector", "precise const vec2 turned = mat2(a, b, b, a) * v; results = turned;"),
    ("FMod", "precise const float rest = mod(a, b); result = rest;"),
    ("main: FDiv may be fused or off", "precise const float share = a / b; result = share;"),
    ("main: Sqrt may be fused or off", "result = sqrt(a);"),
    ("main: Round may be fused or off", "number = uint(round(a));"),
    ("", "number = uint(roundEven(a)) + uint(floor(b)) + uint(clamp(a, 0.0, b));"),
    ("function 50 of GLSL.std.450", "precise const float sum = fma(a, b, a); result = sum;"),
    ("function 46 of GLSL.std.450", "precise const float mean = mix(a, b, 0.5); result = mean;"),
    ("function 26 of GLSL.std.450", "result = pow(a, b);"),
    ("function 32 of GLSL.std.450", "result = inversesqrt(a);"),
    ("function 10 of GLSL.std.450", "result = fract(a);"),
    ("main: a side of ?: shifts", "number = n == 0 ? 0 : number >> (32 - n);"),
    ("", "number = n == 0 ? 0 : number >> (32 - n & 31);"),
    ("", "const uint by = n % 8; number = n == 0 ? 0 : number >> 2 * by + 1;"),
    ("", "if (n > 0) number = number >> (32 - n);"),
]

WITH_LISTED = [  # in the folder "ssim", behind LISTED
    ("", "float exact; result = is_settled(some(), 0.5, exact) ? exact : 0;"),
    ("", "result = root(a);"),
    ("main: what is stored in a buffer depends on an estimate", "result = some().size;"),
    ("main: what is stored in a buffer depends on an estimate", "precise const float sum = some().size + a; result = sum;"),
    ("main: what is stored in a buffer depends on an estimate", "float kept[2]; kept[n] = larger(some().size); result = kept[0];"),
    ("main: what is stored in a buffer depends on an estimate",
     "result = common_one; barrier(); precise const float sum = some().size; common_one = sum;"),
    ("main: a branch depends on an estimate", "if (some().size > 1) number = 1;"),
    ("main: a branch depends on an estimate", "result = some().size < a ? a : b;"),
    ("main: a branch depends on an estimate", "for (float i = 0; i < some().size; i = a) number = 1;"),
    ("main: what is stored in a buffer depends on an estimate", "results = mix(v, vec2(a), lessThan(v, vec2(some().size)));"),
    ("main: a conversion to integers depends on an estimate", "number = uint(some().size);"),
    ("main: a conversion to integers depends on an estimate", "number = floatBitsToUint(some().size);"),
    ("root: it is called with an estimate", "result = root(some().size);"),
]

BROKEN_LISTS = [  # a function that is listed no longer as it is, in this folder, and what changed in it
    ("add_term", "ssim", "precise const float high", "const float high"),
    ("add_term", "psnr", "", ""),
    ("root", "ssim", "sqrt(x * 2) * 2", "sqrt(x * 2) / 2"),
    ("is_settled", "ssim", "rounded = sum.high", "rounded = sum.high + sum.low"),
    ("larger", "ssim", "max(x, b)", "x + b"),
]


class FloatProof(unittest.TestCase):
    def build(self, folder, code):
        """What the build says of a shader; empty if it goes on."""
        with tempfile.TemporaryDirectory() as top:
            shader = pathlib.Path(top) / folder / "shader.comp"
            shader.parent.mkdir()
            shader.write_text(code)
            found = subprocess.run(
                [sys.executable, f"{TOP}/shaders/embed.py", top, f"{top}/depfile", GLSLANG, shader],
                capture_output=True, text=True, check=False)
            self.assertEqual(found.returncode == 0, pathlib.Path(top, f"{folder}_shader.h").exists(), found.stderr)
            return "" if found.returncode == 0 else found.stdout + found.stderr

    def expect(self, fault, folder, functions, body):
        said = self.build(folder, f"{DECLARATIONS}{functions}\nvoid main() {{ {body} }}\n")
        self.assertEqual(bool(fault), bool(said), f"{body}\n{said}")
        self.assertIn(fault, said, body)

    def test_operations_and_shifts(self):
        for fault, body in IN_MAIN:
            self.expect(fault, "some", "", body)

    def test_what_follows_from_estimates(self):
        for fault, body in WITH_LISTED:
            self.expect(fault, "ssim", LISTED, body)

    def test_estimates_other_than_the_reviewed_ones(self):
        body = "float exact; if (is_settled(some(), 0.5, exact)) result = larger(root(exact));"
        self.expect("", "ssim", LISTED, body)
        for function, folder, old, new in BROKEN_LISTS:
            self.assertIn(old, LISTED)
            self.expect(f"{function}: ", folder, LISTED.replace(old, new), body)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
