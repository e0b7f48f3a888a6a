"""Integer dot products in machine code: tiles of six rows by sixteen centers, and single pairs.

Written as vector instructions, so that sums stay in registers and every CPU uses its own multiply-add of 16-bit pairs
(AVX2, AVX-512 VNNI, NEON). Integer sums are exact, so their order does not matter. Nothing here knows a BLAS, whose
threads would compete with ours.
"""

# mypy: disable-error-code="import-untyped,no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sparse_coverage.vocabulary.emit import loop, number, start_of_row, wide

TILE = 6
"""Rows of one tile: with a panel's sixteen sums each, they fill the registers of AVX2."""
PANEL = 16
"""Centers of one panel."""
STEP = 32
"""Quantised rows are padded with zeros to a multiple of this length."""

_I16, _I32 = ir.IntType(16), ir.IntType(32)


def _pick(builder: Any, vector: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _pair_products(builder: Any, a: Any, b: Any, lanes: int) -> Any:
    """Multiply 2 * lanes 16-bit numbers and add neighbours: one instruction on most CPUs."""
    double = ir.VectorType(_I32, 2 * lanes)
    product = builder.mul(builder.sext(a, double), builder.sext(b, double))
    even, odd = list(range(0, 2 * lanes, 2)), list(range(1, 2 * lanes, 2))
    return builder.add(_pick(builder, product, even), _pick(builder, product, odd))


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
        first, size = wide(builder, first), wide(builder, size)
        sums, pairs = ir.VectorType(_I32, PANEL), ir.VectorType(_I16, 2 * PANEL)
        starts = []
        for row in range(TILE):
            which = builder.add(first, number(row))
            start = start_of_row(context, builder, signature.args[0], rows_, which, size)
            starts.append(builder.bitcast(start, _I32.as_pointer()))
        centers = start_of_row(context, builder, signature.args[2], panels_, panel_, builder.mul(size, number(PANEL)))
        centers = builder.bitcast(centers, pairs.as_pointer())

        def step_of_two(step, totals):
            column = builder.load(builder.gep(centers, [step]), align=2)
            updated = []
            for start, total in zip(starts, totals, strict=True):
                pair = builder.load(builder.gep(start, [step]), align=2)
                spread = builder.insert_element(ir.Constant(sums, ir.Undefined), pair, ir.Constant(_I32, 0))
                spread = builder.bitcast(_pick(builder, spread, [0] * PANEL), pairs)
                updated.append(builder.add(total, _pair_products(builder, spread, column, PANEL)))
            return updated

        zeros = [ir.Constant(sums, [0] * PANEL)] * TILE
        totals = loop(builder, number(0), builder.sdiv(size, number(2)), zeros, step_of_two)
        target = context.make_array(signature.args[7])(context, builder, out_).data
        target = builder.bitcast(target, sums.as_pointer())
        limit = start_of_row(context, builder, signature.args[5], limits_, limit_panel_, number(PANEL))
        limit = builder.load(builder.bitcast(limit, sums.as_pointer()), align=4)
        floors_ = start_of_row(context, builder, signature.args[4], floors_, first, number(1))
        found = ir.Constant(_I32, 0)
        for row, total in enumerate(totals):
            builder.store(total, builder.gep(target, [number(row)]), align=4)
            floor = builder.load(builder.gep(floors_, [number(row)]))
            floor = builder.insert_element(ir.Constant(sums, ir.Undefined), floor, ir.Constant(_I32, 0))
            floor = _pick(builder, floor, [0] * PANEL)
            higher = builder.select(builder.icmp_signed(">", floor, limit), floor, limit)
            lanes = builder.bitcast(builder.icmp_signed(">=", total, higher), ir.IntType(PANEL))
            any_lane = builder.icmp_unsigned("!=", lanes, ir.Constant(ir.IntType(PANEL), 0))
            found = builder.or_(found, builder.shl(builder.zext(any_lane, _I32), ir.Constant(_I32, row)))
        return found

    return signature, generate


@intrinsic
def row_product(typing, a, a_row, b, b_row, length):
    """Return the product (int32) of one row of `a` and one row of `b`, both (any, length) int16."""
    signature = types.int32(a, a_row, b, b_row, length)

    def generate(context, builder, signature, arguments):
        a_, a_row_, b_, b_row_, size = arguments
        size = wide(builder, size)
        half = STEP // 2
        pairs = ir.VectorType(_I16, STEP)
        left = start_of_row(context, builder, signature.args[0], a_, a_row_, size)
        right = start_of_row(context, builder, signature.args[2], b_, b_row_, size)
        left, right = builder.bitcast(left, pairs.as_pointer()), builder.bitcast(right, pairs.as_pointer())

        def one_step(step, totals):
            x = builder.load(builder.gep(left, [step]), align=2)
            y = builder.load(builder.gep(right, [step]), align=2)
            return [builder.add(totals[0], _pair_products(builder, x, y, half))]

        zeros = [ir.Constant(ir.VectorType(_I32, half), [0] * half)]
        (total,) = loop(builder, number(0), builder.sdiv(size, number(STEP)), zeros, one_step)
        while half > 1:
            half //= 2
            low, high = _pick(builder, total, list(range(half))), _pick(builder, total, list(range(half, 2 * half)))
            total = builder.add(low, high)
        return builder.extract_element(total, ir.Constant(_I32, 0))

    return signature, generate
