"""Stops the build unless a shader's results are the same on every device: see ADR 0068.

What Vulkan promises of floats is that a sum, difference, product or conversion is rounded once, to nearest if the module says so (see
vulkan/shader.cpp), provided that the operation is NoContraction (`precise`). Quotients and roots may be off by some units, round() may
take halves either way, and operations that are not NoContraction may be fused or reordered. These are *estimates*. Each function that
makes some is a row of ESTIMATES, with their number and with the reason why they change no result. What follows from an estimate must
reach memory, a branch or a conversion to integers in one of these functions only. Operations that drivers or translators to other languages
are known to fuse regardless are refused, as are all that are not known here.

Subnormal numbers, which a device may replace by 0, are not part of the proof.
"""

# Rows: folder of the shader ("" for all) and function, the estimates that it makes, how its results depend on them, why.
SETTLES = "its results are exact, as its arguments are"
SETTLES_ALL = "its results are exact even if its arguments are estimates"
HANDS_ON = "its results may be estimates"
ESTIMATES = {
    # Each of these starts at an estimate, and integers then correct it.
    ("", "quotient"): ("FDiv", SETTLES, "the digits of the quotient are corrected by the integer that is left"),
    ("", "rounded_root"): ("", SETTLES_ALL, "the digits of the root are corrected by the integer that is left"),
    ("", "root"): ("FMul FMul Sqrt", SETTLES, "rounded_root"),
    ("siti", "gradient"): ("FAdd FMul Sqrt", SETTLES, "rounded_root"),
    ("vif", "quotient_of"): ("FAdd FDiv FMul FMul FMul FMul", SETTLES, "low by less than what the remainders correct"),
    ("ciede", "quotient"): ("FDiv FDiv", SETTLES, "corrected by the remainder; the start-up check compares the results"),
    ("ciede", "root"): ("FDiv Sqrt", SETTLES, "corrected by the remainder; the start-up check compares the results"),
    # Margins wider than any rounding decide, and integers do the rest.
    ("adm", "is_aligned"): (" ".join(["FAdd"] * 3 + ["FMul"] * 11), SETTLES, "a margin of 2^-17, then integers"),
    ("ssim", "add_term"): ("FAdd", HANDS_ON, "the size of the terms, for is_settled()"),
    ("ssim", "is_settled"): ("FMul FSub", SETTLES_ALL, "the bound has room for all roundings"),
    # The host takes means of MS-SSIM only if bounds that count these errors give one float.
    ("ssim", "quotient_of"): ("FDiv FDiv", SETTLES, "within the bounds, by what the first quotient leaves"),
    ("ssim", "in_units"): ("Round Round", SETTLES, "a unit more or less is within the bounds"),
    ("ssim", "add_structure"): ("FMul", SETTLES, "a size that the bounds grow with"),
    # Guesses that cost time if they are wrong, and no bit.
    ("psnr_hvs", "visible"): ("FMul FMul", SETTLES, "only what is hidden by 1 part in 10,000 or more skips the quotient"),
    ("psnr_hvs", "main"): ("FAdd", HANDS_ON, "chunk_sums"),
    ("ciede", "main"): ("FAdd", HANDS_ON, "chunk_sums"),
    ("", "chunk_sum"): ("FAdd", HANDS_ON, "chunk_sums, and what likely_exponent() begins with"),
    ("", "likely_exponent"): ("FAdd FAdd", SETTLES_ALL, "steps are right for any exponent, and are taken for the sum's alone"),
}
# Members of buffers that may be estimates.
GUESSES = {("ciede", "chunk_sums"), ("psnr_hvs", "chunk_sums")}

# Numbers of the SPIR-V specification, version 1.5.
NAME, MEMBER_NAME, EXTENDED, DECORATE, NO_CONTRACTION = 5, 6, 12, 71, 42
TYPE_FLOAT, TYPE_VECTOR, TYPE_POINTER, CONSTANT, COMPOSITE, VARIABLE = 22, 23, 32, 43, 44, 59
FUNCTION, PARAMETER, FUNCTION_END, CALL, LABEL = 54, 55, 56, 57, 248
LOAD, STORE, COPY_MEMORY, ACCESS_CHAINS, ATOMICS = 61, 62, 63, (65, 66), range(227, 243)
SELECT, PHI, BITCAST, CONSTRUCT, FLOAT_TO_INT, BRANCHES, RETURN_VALUE = 169, 245, 124, 80, (109, 110), (250, 251), 254
NO_RESULT = {0, 8, STORE, COPY_MEMORY, 224, 225, 228, 246, 247, LABEL, 249, *BRANCHES, 252, 253, RETURN_VALUE, 255, 317}
SHIFTS, AND, ADD, MULTIPLY, MODULO = (194, 195, 196), 199, 128, 132, 137
GROUP, PRIVATE, BUFFERS = 4, 6, (2, 12)  # storage classes
ROUNDED = {129: "FAdd", 131: "FSub", 133: "FMul"}  # estimates unless they are NoContraction
ESTIMATED = {136: "FDiv"}
REFUSED = {140: "FRem", 141: "FMod", 142: "vector * scalar", 143: "matrix * scalar", 144: "vector * matrix", 145: "matrix * vector",
           146: "matrix * matrix", 147: "outerProduct()", 148: "dot()"}
# Moves values, negates, and converts to floats or between these, which is rounded once.
MOVES = {1, LOAD, 77, 78, 79, 80, 81, 82, 83, 400, SELECT, PHI, BITCAST, 111, 112, 115, 127, CALL, *ACCESS_CHAINS, VARIABLE, PARAMETER}
# Of GLSL.std.450: trunc, abs, sign, floor, ceil, roundEven, min, max and clamp, and bits of doubles.
EXACT_EXTENDED = {2, 3, 4, 5, 6, 7, 8, 9, 37, 38, 39, 40, 41, 42, 43, 44, 45, 59, 65, 73, 74, 75}
ESTIMATED_EXTENDED = {1: "Round", 31: "Sqrt"}
UNPACK_DOUBLE, UNSIGNED_MIN = 65, 38


def instructions(words):
    position = 5
    while position < len(words):
        length = words[position] >> 16
        yield words[position] & 0xFFFF, words[position + 1:position + length]
        position += length


def text_of(words):
    return b"".join(word.to_bytes(4, "little") for word in words).split(b"\0")[0].decode()


class Function:
    def __init__(self, name):
        self.name, self.parameters, self.body = name, [], []


class Fault(Exception):
    pass


class Proof:
    """Of one module. Raises Fault with the function and what is wrong there."""

    def __init__(self, folder, words):
        self.folder = folder
        self.names, self.member_names, self.decorated = {}, {}, set()
        self.floats, self.pointees, self.constants = set(), {}, {}
        self.variables, self.functions = {}, {}  # storage class and pointee; Function
        self.origins = {}  # what defines an id: operation and operands
        self.stored = {}  # what each variable receives
        self.results = {}  # of functions, by the arguments that are estimates
        function = None
        for operation, o in instructions(words):
            if operation == FUNCTION:
                function = self.functions[o[1]] = Function(self.names[o[1]].split("(")[0])
            elif operation == FUNCTION_END:
                function = None
            elif function is not None:
                self.read_body(function, operation, o)
            else:
                self.read_declaration(operation, o)
        self.main = next(each for each in self.functions.values() if each.name == "main")
        for each in self.functions.values():
            self.check_operations(each)
            self.check_shifts(each)
        self.check_flow()

    def read_declaration(self, operation, o):
        if operation == NAME:
            self.names[o[0]] = text_of(o[1:])
        elif operation == MEMBER_NAME:
            self.member_names[o[0], o[1]] = text_of(o[2:])
        elif operation == DECORATE and o[1] == NO_CONTRACTION:
            self.decorated.add(o[0])
        elif operation == TYPE_FLOAT or operation == TYPE_VECTOR and o[1] in self.floats:
            self.floats.add(o[0])
        elif operation == TYPE_POINTER:
            self.pointees[o[0]] = o[2]
        elif operation == CONSTANT:
            self.constants[o[1]] = o[2]
        elif operation == COMPOSITE:
            self.constants[o[1]] = max(self.constants.get(part, 0) for part in o[2:])
        elif operation == VARIABLE:
            self.variables[o[1]] = (o[2], self.pointees[o[0]])

    def read_body(self, function, operation, o):
        if operation == PARAMETER:
            function.parameters.append(o[1])
        function.body.append((operation, o))
        if operation not in NO_RESULT:
            self.origins[o[1]] = (operation, o)
        if operation == STORE:
            self.stored.setdefault(o[0], []).append(o[1])

    def row_of(self, function):
        for folder in (self.folder, ""):
            row = ESTIMATES.get((folder, function.name))
            # Functions of one name in several shaders are one row only if they make the same estimates.
            if row and sorted(row[0].split()) == self.estimates_of(function):
                return row
        return None

    def estimate_of(self, operation, o):
        """What an instruction estimates, if it does."""
        if operation in ROUNDED and o[1] not in self.decorated:
            return ROUNDED[operation]
        if operation == EXTENDED:
            return ESTIMATED_EXTENDED.get(o[3])
        return ESTIMATED.get(operation)

    def estimates_of(self, function):
        return sorted(filter(None, (self.estimate_of(*each) for each in function.body)))

    # The two checks of instructions one by one.

    def check_operations(self, function):
        for operation, o in function.body:
            if operation in REFUSED:
                raise Fault(f"{function.name}: {REFUSED[operation]} of floats is fused by translators even if it is precise")
            if operation == EXTENDED and o[3] not in EXACT_EXTENDED and o[3] not in ESTIMATED_EXTENDED:
                raise Fault(f"{function.name}: function {o[3]} of GLSL.std.450 has no exact result and is no known estimate")
            known = operation in MOVES or operation in ROUNDED or operation in ESTIMATED or operation == EXTENDED
            if operation not in NO_RESULT and o[0] in self.floats and not known:
                raise Fault(f"{function.name}: instruction {operation} makes floats and is not known")
        estimates = self.estimates_of(function)
        if estimates and not self.row_of(function):
            raise Fault(f"{function.name}: {' '.join(estimates)} may be fused or off and is no reviewed estimate; is `precise` missing?")

    def check_shifts(self, function):
        """Drivers compute both sides of a small `?:`, and take it that no shift in them is out of range. A side is a store to a variable
        without a name, as glslang makes one for each `?:`, or an operand of a selection."""
        sides = [value for operation, o in function.body if operation == SELECT for value in o[3:]]
        sides += [o[1] for operation, o in function.body if operation == STORE and self.is_unnamed(o[0])]
        self.check_sides(function, sides, set())

    def is_unnamed(self, pointer):
        return self.origins.get(pointer, (None,))[0] == VARIABLE and not self.names.get(pointer)

    def check_sides(self, function, waiting, seen):
        while waiting:
            value = waiting.pop()
            operation, o = self.origins.get(value, (None, ()))
            if value in seen or operation in (None, LOAD, PHI, VARIABLE):
                continue
            seen.add(value)
            if operation in SHIFTS and self.most(o[3]) > 31:
                raise Fault(f"{function.name}: a side of ?: shifts by what may be more than 31; give it a mask")
            if operation == CALL:
                called = self.functions[o[2]]
                self.check_sides(called, [each[1] for made_by, each in called.body if made_by in SHIFTS], seen)
            waiting.extend(o[2:])

    def most(self, value):
        """Upper bound of an unsigned number."""
        if value in self.constants:
            return self.constants[value]
        operation, o = self.origins.get(value, (None, ()))
        if operation is None:
            return 0 if value not in self.variables else float("inf")  # a specialization constant
        if operation == LOAD and len(self.stored.get(o[2], ())) == 1 and self.origins.get(o[2], (None,))[0] == VARIABLE:
            return self.most(self.stored[o[2]][0])
        if operation == BITCAST:
            return self.most(o[2])
        if operation == CONSTRUCT:
            return max(map(self.most, o[2:]))
        if operation == AND:
            return min(self.most(o[2]), self.most(o[3]))
        if operation == ADD:
            return self.most(o[2]) + self.most(o[3])
        if operation == MULTIPLY:
            return self.most(o[2]) * self.most(o[3])
        if operation == MODULO:
            return self.most(o[3]) - 1
        if operation == EXTENDED and o[3] == UNSIGNED_MIN:
            return min(self.most(o[4]), self.most(o[5]))
        return float("inf")

    # The check of what follows from estimates.

    def check_flow(self):
        self.shared = set()  # variables of the work group or the invocation that hold estimates
        before = -1
        while len(self.shared) != before:
            before = len(self.shared)
            self.results = {}
            self.follow(self.main, ())

    def follow(self, function, inputs):
        """Which results are estimates: the one that is returned, and each parameter's afterwards."""
        row = self.row_of(function)
        if row and row[1] == SETTLES and any(inputs):
            raise Fault(f"{function.name}: it is called with an estimate, which it does not settle")
        if row and row[1] != HANDS_ON:
            return False, [False] * len(inputs)
        key = function, inputs
        if key not in self.results:
            self.results[key] = Flow(self, function, inputs).result()
        return self.results[key]


class Flow:
    """Of estimates through one function: the ids that are estimates, and the variables that hold some."""

    def __init__(self, proof, function, inputs):
        self.proof, self.function = proof, function
        self.estimates = {parameter for parameter, is_estimate in zip(function.parameters, inputs) if is_estimate}
        self.returns = False
        before = -1
        while len(self.estimates) + self.returns + len(proof.shared) != before:
            before = len(self.estimates) + self.returns + len(proof.shared)
            for operation, o in function.body:
                self.step(operation, o)

    def result(self):
        return self.returns, [parameter in self.estimates for parameter in self.function.parameters]

    def refuse(self, what):
        raise Fault(f"{self.function.name}: {what} depends on an estimate")

    def root(self, pointer):
        """The variable or parameter that a pointer points into, and the member of a buffer."""
        member = None
        while pointer in self.proof.origins and self.proof.origins[pointer][0] in ACCESS_CHAINS:
            _, o = self.proof.origins[pointer]
            pointer, member = o[2], self.proof.constants.get(o[3]) if len(o) > 3 else None
        return pointer, member

    def guess(self, root, member):
        struct_type = self.proof.variables[root][1]
        return (self.proof.folder, self.proof.member_names.get((struct_type, member))) in GUESSES

    def holds_estimates(self, pointer):
        root, member = self.root(pointer)
        if pointer in self.estimates or root in self.estimates or root in self.proof.shared:
            return True
        return root in self.proof.variables and self.proof.variables[root][0] in BUFFERS and self.guess(root, member)

    def put(self, pointer):
        root, member = self.root(pointer)
        if root not in self.proof.variables:
            self.estimates.add(root)
        elif self.proof.variables[root][0] in (GROUP, PRIVATE):
            self.proof.shared.add(root)
        elif not self.guess(root, member):
            self.refuse("what is stored in a buffer")

    def step(self, operation, o):
        if operation == LABEL or operation == PARAMETER:
            return
        if operation == STORE or operation == COPY_MEMORY:
            is_estimate = o[1] in self.estimates or operation == COPY_MEMORY and self.holds_estimates(o[1])
            if is_estimate or o[0] in self.estimates and self.root(o[0])[0] != o[0]:
                self.put(o[0])
        elif operation in BRANCHES:
            if o[0] in self.estimates:
                self.refuse("a branch")
        elif operation == RETURN_VALUE:
            self.returns = self.returns or o[0] in self.estimates
        elif operation == CALL:
            self.call(o)
        elif operation == LOAD:
            if self.holds_estimates(o[2]):
                self.estimates.add(o[1])
        elif operation in ATOMICS:
            if any(operand in self.estimates for operand in o[1:]):
                self.refuse("an atomic operation")
        elif operation not in NO_RESULT:
            self.compute(operation, o)

    def compute(self, operation, o):
        # An access chain is an estimate if one of its indices is.
        operands = o[3:] if operation in ACCESS_CHAINS else o[4:] if operation == EXTENDED else o[2:]
        if self.proof.estimate_of(operation, o):
            self.estimates.add(o[1])
        elif any(operand in self.estimates for operand in operands):
            unpacks = operation == EXTENDED and o[3] == UNPACK_DOUBLE
            if operation in FLOAT_TO_INT or unpacks or operation == BITCAST and o[0] not in self.proof.floats:
                self.refuse("a conversion to integers")
            self.estimates.add(o[1])

    def call(self, o):
        inputs = tuple(argument in self.estimates or self.holds_estimates(argument) for argument in o[3:])
        returned, left = self.proof.follow(self.proof.functions[o[2]], inputs)
        if returned:
            self.estimates.add(o[1])
        for argument, is_estimate in zip(o[3:], left):
            if is_estimate and argument not in self.estimates:
                self.put(argument) if self.is_pointer(argument) else self.estimates.add(argument)

    def is_pointer(self, value):
        operation, o = self.proof.origins.get(value, (VARIABLE, None))
        return operation in (VARIABLE, *ACCESS_CHAINS) or operation == PARAMETER and o[0] in self.proof.pointees


def check(shader, folder, words):
    try:
        Proof(folder, words)
    except Fault as fault:
        raise SystemExit(f"{shader}: {fault} (see shaders/float_proof.py)") from None
