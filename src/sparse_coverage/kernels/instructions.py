"""What kernels do in machine instructions of their own: dot products, tiles of them, fetching ahead, pointers.

Products are written as vector instructions, so that sums stay in registers and every CPU uses its own multiply-add of
16-bit pairs (AVX2, AVX-512 VNNI, NEON), and of fours of bytes where it has one (AVX-512 VNNI). Nothing here knows a BLAS, whose
threads would compete with ours.
"""

# mypy: disable-error-code="import-untyped,no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import config, types
from numba.extending import intrinsic

from sparse_coverage.kernels import LANES, PANEL, STEP, TILE

_I8, _I16, _I32, _I64 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)


def multiplies_bytes() -> bool:
    """Tell whether the code is made for a CPU with AVX-512 VNNI: one instruction multiplies and adds 64 bytes."""
    features = config.CPU_FEATURES
    if features is None:
        features = get_host_cpu_features().flatten()
    return {"+avx512vnni", "+avx512bw"} <= set(features.split(","))


@intrinsic
def prefetch(typing, array, place):
    """Ask the processor to bring `array[place]` into its cache, without waiting for it. Never fails, whatever the place."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [address.type, _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        # For reading, into every level of the cache, as data.
        builder.call(function, [address, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, place), generate


@intrinsic
def pointer(typing, address):
    """Turn an address, a number of 64 bits, into a pointer that `numba.carray` makes an array of."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(address), generate


@intrinsic
def row_dot(typing, a, a_row, b, b_row):
    """Return the dot product (float64) of a row of `a` and a row of `b`, both C-ordered float32 matrices.

    The products, exact in float64, are summed in LANES interleaved lanes; what is left over goes to the first lane; then
    lane i and lane i + 4 are added, the even pairs, the odd pairs, and both. No step is reordered or fused.
    """
    signature = types.float64(a, a_row, b, b_row)

    def generate(context, builder, signature, arguments):
        a_, a_row_, b_, b_row_ = arguments
        matrix = context.make_array(signature.args[0])(context, builder, a_)
        size = _wide(builder, builder.extract_value(matrix.shape, 1))
        left = _start_of_row(context, builder, signature.args[0], a_, a_row_, size)
        right = _start_of_row(context, builder, signature.args[2], b_, b_row_, size)
        single, double = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(ir.DoubleType(), LANES)
        steps = builder.sdiv(size, _number(LANES))

        def lanes_step(step, sums):
            place = [builder.mul(step, _number(LANES))]
            x = builder.load(builder.bitcast(builder.gep(left, place), single.as_pointer()), align=4)
            y = builder.load(builder.bitcast(builder.gep(right, place), single.as_pointer()), align=4)
            return [builder.fadd(sums[0], builder.fmul(builder.fpext(x, double), builder.fpext(y, double)))]

        (sums,) = _loop(builder, _number(0), steps, [ir.Constant(double, [0.0] * LANES)], lanes_step)

        def rest_step(step, sums):
            x = builder.fpext(builder.load(builder.gep(left, [step])), ir.DoubleType())
            y = builder.fpext(builder.load(builder.gep(right, [step])), ir.DoubleType())
            return [builder.fadd(sums[0], builder.fmul(x, y))]

        lane = [builder.extract_element(sums, ir.Constant(ir.IntType(32), i)) for i in range(LANES)]
        (lane[0],) = _loop(builder, builder.mul(steps, _number(LANES)), size, [lane[0]], rest_step)
        even = builder.fadd(builder.fadd(lane[0], lane[4]), builder.fadd(lane[2], lane[6]))
        odd = builder.fadd(builder.fadd(lane[1], lane[5]), builder.fadd(lane[3], lane[7]))
        return builder.fadd(even, odd)

    return signature, generate


@intrinsic
def tile_products(typing, rows, first_row, panels, panel, floors, limits, limit_panel, out, length):
    """Fill `out` (TILE x PANEL, int32) with the products of TILE rows, from `first_row` on, and one panel of centers.

    `rows` is (any, length) int16; `panels` is (any, length / 2, PANEL, 2) int16. Returns which rows are worth a look, as
    bits: those with a product that reaches both the row's floor (`floors`, one a row) and the center's limit (`limits`,
    one a center, of panel number `limit_panel`). They are compared while they are in registers.
    """
    signature = types.int32(rows, first_row, panels, panel, floors, limits, limit_panel, out, length)

    def generate(context, builder, signature, arguments):
        rows_, first, panels_, panel_, floors_, limits_, limit_panel_, out_, size = arguments
        first, size = _wide(builder, first), _wide(builder, size)
        sums, pairs = ir.VectorType(_I32, PANEL), ir.VectorType(_I16, 2 * PANEL)
        starts = _starts_of_tile(context, builder, signature.args[0], rows_, first, size)
        centers = _start_of_row(context, builder, signature.args[2], panels_, panel_, builder.mul(size, _number(PANEL)))
        centers = builder.bitcast(centers, pairs.as_pointer())

        def step_of_two(step, totals):
            column = builder.load(builder.gep(centers, [step]), align=2)
            updated = []
            for start, total in zip(starts, totals, strict=True):
                pair = builder.load(builder.gep(start, [step]), align=2)
                spread = builder.bitcast(_spread(builder, pair), pairs)
                updated.append(builder.add(total, _pair_products(builder, spread, column, PANEL)))
            return updated

        zeros = [ir.Constant(sums, [0] * PANEL)] * TILE
        totals = _loop(builder, _number(0), builder.sdiv(size, _number(2)), zeros, step_of_two)
        limit = _start_of_row(context, builder, signature.args[5], limits_, limit_panel_, _number(PANEL))
        floor = _start_of_row(context, builder, signature.args[4], floors_, first, _number(1))
        target = context.make_array(signature.args[7])(context, builder, out_).data
        return _worth_a_look(builder, totals, floor, limit, target)

    return signature, generate


@intrinsic
def byte_products(typing, rows, first_row, panels, panel, offsets, floors, limits, out, length):
    """Do what `tile_products` does with bytes: `rows` is (any, length) int8; `panels` (any, length / 4, PANEL, 4) uint8.

    The sums of a row start from its place in `offsets`; `limits` are those of this panel.
    """
    signature = types.int32(rows, first_row, panels, panel, offsets, floors, limits, out, length)

    def generate(context, builder, signature, arguments):
        rows_, first, panels_, panel_, offsets_, floors_, limits_, out_, size = arguments
        first, size = _wide(builder, first), _wide(builder, size)
        sums = ir.VectorType(_I32, PANEL)
        starts = _starts_of_tile(context, builder, signature.args[0], rows_, first, size)
        centers = _start_of_row(context, builder, signature.args[2], panels_, panel_, builder.mul(size, _number(PANEL)))
        centers = builder.bitcast(centers, sums.as_pointer())
        add = _add_byte_products(builder)

        def step_of_four(step, totals):
            column = builder.load(builder.gep(centers, [step]), align=1)
            return [
                add(total, column, _spread(builder, builder.load(builder.gep(start, [step]), align=1)))
                for start, total in zip(starts, totals, strict=True)
            ]

        offset = _start_of_row(context, builder, signature.args[4], offsets_, first, _number(1))
        begun = [_spread(builder, builder.load(builder.gep(offset, [_number(row)]))) for row in range(TILE)]
        totals = _loop(builder, _number(0), builder.sdiv(size, _number(4)), begun, step_of_four)
        floor = _start_of_row(context, builder, signature.args[5], floors_, first, _number(1))
        limit = context.make_array(signature.args[6])(context, builder, limits_).data
        target = context.make_array(signature.args[7])(context, builder, out_).data
        return _worth_a_look(builder, totals, floor, limit, target)

    return signature, generate


def _worth_a_look(builder: Any, totals: list[Any], floors: Any, limits: Any, target: Any) -> Any:
    """Store the sums of a tile; return the rows, as bits, with a sum that reaches the row's floor and its center's limit."""
    sums = ir.VectorType(_I32, PANEL)
    target = builder.bitcast(target, sums.as_pointer())
    limit = builder.load(builder.bitcast(limits, sums.as_pointer()), align=4)
    found = ir.Constant(_I32, 0)
    for row, total in enumerate(totals):
        builder.store(total, builder.gep(target, [_number(row)]), align=4)
        floor = _spread(builder, builder.load(builder.gep(floors, [_number(row)])))
        higher = builder.select(builder.icmp_signed(">", floor, limit), floor, limit)
        lanes = builder.bitcast(builder.icmp_signed(">=", total, higher), ir.IntType(PANEL))
        any_lane = builder.icmp_unsigned("!=", lanes, ir.Constant(ir.IntType(PANEL), 0))
        found = builder.or_(found, builder.shl(builder.zext(any_lane, _I32), ir.Constant(_I32, row)))
    return found


@intrinsic
def row_product(typing, a, a_row, b, b_row, length):
    """Return the product (int32) of a row of `a`, (any, length) int16 or int8, and a row of `b`, (any, length) int16."""
    signature = types.int32(a, a_row, b, b_row, length)

    def generate(context, builder, signature, arguments):
        a_, a_row_, b_, b_row_, size = arguments
        size = _wide(builder, size)
        half = STEP // 2
        pairs = ir.VectorType(_I16, STEP)
        left = _start_of_row(context, builder, signature.args[0], a_, a_row_, size)
        right = _start_of_row(context, builder, signature.args[2], b_, b_row_, size)
        number = left.type.pointee
        left = builder.bitcast(left, ir.VectorType(number, STEP).as_pointer())
        right = builder.bitcast(right, pairs.as_pointer())

        def one_step(step, totals):
            x = builder.load(builder.gep(left, [step]), align=number.width // 8)
            y = builder.load(builder.gep(right, [step]), align=2)
            x = builder.sext(x, pairs) if number.width < 16 else x
            return [builder.add(totals[0], _pair_products(builder, x, y, half))]

        zeros = [ir.Constant(ir.VectorType(_I32, half), [0] * half)]
        (total,) = _loop(builder, _number(0), builder.sdiv(size, _number(STEP)), zeros, one_step)
        while half > 1:
            half //= 2
            low, high = _pick(builder, total, list(range(half))), _pick(builder, total, list(range(half, 2 * half)))
            total = builder.add(low, high)
        return builder.extract_element(total, ir.Constant(_I32, 0))

    return signature, generate


def _pick(builder: Any, vector: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _spread(builder: Any, value: Any) -> Any:
    """Return 32 bits in all lanes of a panel."""
    vector = ir.Constant(ir.VectorType(_I32, PANEL), ir.Undefined)
    return _pick(builder, builder.insert_element(vector, value, ir.Constant(_I32, 0)), [0] * PANEL)


def _add_byte_products(builder: Any) -> Callable[[Any, Any, Any], Any]:
    """Return what adds to 32-bit sums the products of four bytes each, those of the first side without sign."""
    sums = ir.VectorType(_I32, PANEL)
    if multiplies_bytes():
        kind = ir.FunctionType(sums, [sums, sums, sums])
        function = builder.module.declare_intrinsic("llvm.x86.avx512.vpdpbusd.512", [], kind)
        return lambda total, left, right: builder.call(function, [total, left, right])
    byte_lanes, wide = ir.VectorType(_I8, 4 * PANEL), ir.VectorType(_I32, 4 * PANEL)

    def plain(total: Any, left: Any, right: Any) -> Any:
        left = builder.zext(builder.bitcast(left, byte_lanes), wide)
        right = builder.sext(builder.bitcast(right, byte_lanes), wide)
        products = builder.mul(left, right)
        for place in range(4):
            total = builder.add(total, _pick(builder, products, list(range(place, 4 * PANEL, 4))))
        return total

    return plain


def _pair_products(builder: Any, a: Any, b: Any, lanes: int) -> Any:
    """Multiply 2 * lanes 16-bit numbers and add neighbours: one instruction on most CPUs."""
    double = ir.VectorType(_I32, 2 * lanes)
    product = builder.mul(builder.sext(a, double), builder.sext(b, double))
    even, odd = list(range(0, 2 * lanes, 2)), list(range(1, 2 * lanes, 2))
    return builder.add(_pick(builder, product, even), _pick(builder, product, odd))


def _number(value: int) -> Any:
    """Return a 64-bit constant."""
    return ir.Constant(_I64, value)


def _wide(builder: Any, value: Any) -> Any:
    """Return an integer in 64 bits."""
    return builder.sext(value, _I64) if value.type.width < _I64.width else value


def _start_of_row(context: Any, builder: Any, kind: Any, array: Any, row: Any, length: Any) -> Any:
    """Return a pointer to the first element of a row of a C-ordered array whose rows have `length` elements."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [builder.mul(_wide(builder, row), length)])


def _starts_of_tile(context, builder, kind, rows, first, size):
    """Return where each row of a tile begins, as a place of 32 bits: two numbers of 16 bits are taken at a time, or four of 8."""
    numbers = (builder.add(first, _number(row)) for row in range(TILE))
    starts = [_start_of_row(context, builder, kind, rows, number, size) for number in numbers]
    return [builder.bitcast(start, _I32.as_pointer()) for start in starts]


def _loop(
    builder: Any, first: Any, last: Any, initial: list[Any], body: Callable[[Any, list[Any]], list[Any]]
) -> list[Any]:
    """Repeat `body` for the numbers from `first` to `last`; it takes the number and the values so far and gives the next."""
    before = builder.block
    head = builder.append_basic_block("head")
    inside = builder.append_basic_block("inside")
    after = builder.append_basic_block("after")
    builder.branch(head)
    builder.position_at_end(head)
    step = builder.phi(_I64)
    step.add_incoming(first, before)
    values = [builder.phi(value.type) for value in initial]
    for phi, value in zip(values, initial, strict=True):
        phi.add_incoming(value, before)
    builder.cbranch(builder.icmp_signed("<", step, last), inside, after)
    builder.position_at_end(inside)
    updated = body(step, values)
    for phi, value in zip(values, updated, strict=True):
        phi.add_incoming(value, builder.block)
    step.add_incoming(builder.add(step, _number(1)), builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return values
