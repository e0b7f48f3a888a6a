"""The one distance that decides: float32(1 - dot), the dot product summed in float64 in a fixed order.

It does not depend on threads, block sizes or the BLAS at hand. Faster products only screen.
"""

# mypy: disable-error-code="import-untyped,no-untyped-def,no-untyped-call,untyped-decorator"
from __future__ import annotations

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sparse_coverage.kernels import compiled
from sparse_coverage.vocabulary.emit import loop, number, start_of_row, wide

LANES = 8

Matrix = npt.NDArray[np.float32]


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
        size = wide(builder, builder.extract_value(matrix.shape, 1))
        left = start_of_row(context, builder, signature.args[0], a_, a_row_, size)
        right = start_of_row(context, builder, signature.args[2], b_, b_row_, size)
        single, double = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(ir.DoubleType(), LANES)
        steps = builder.sdiv(size, number(LANES))

        def lanes_step(step, sums):
            place = [builder.mul(step, number(LANES))]
            x = builder.load(builder.bitcast(builder.gep(left, place), single.as_pointer()), align=4)
            y = builder.load(builder.bitcast(builder.gep(right, place), single.as_pointer()), align=4)
            return [builder.fadd(sums[0], builder.fmul(builder.fpext(x, double), builder.fpext(y, double)))]

        (sums,) = loop(builder, number(0), steps, [ir.Constant(double, [0.0] * LANES)], lanes_step)

        def rest_step(step, sums):
            x = builder.fpext(builder.load(builder.gep(left, [step])), ir.DoubleType())
            y = builder.fpext(builder.load(builder.gep(right, [step])), ir.DoubleType())
            return [builder.fadd(sums[0], builder.fmul(x, y))]

        lane = [builder.extract_element(sums, ir.Constant(ir.IntType(32), i)) for i in range(LANES)]
        (lane[0],) = loop(builder, builder.mul(steps, number(LANES)), size, [lane[0]], rest_step)
        even = builder.fadd(builder.fadd(lane[0], lane[4]), builder.fadd(lane[2], lane[6]))
        odd = builder.fadd(builder.fadd(lane[1], lane[5]), builder.fadd(lane[3], lane[7]))
        return builder.fadd(even, odd)

    return signature, generate


@compiled
def row_distance(a: Matrix, a_row: int, b: Matrix, b_row: int) -> np.float32:
    """Return the canonical distance of a row of `a` and a row of `b`."""
    distance: np.float32 = np.float32(1.0 - row_dot(a, a_row, b, b_row))
    return distance


def canonical_distance(a: Matrix, b: Matrix) -> np.float32:
    """Return the canonical distance of two vectors.

    >>> float(canonical_distance(np.array([1, 0], np.float32), np.array([0.6, 0.8], np.float32)))
    0.3999999761581421
    """
    return row_distance(np.ascontiguousarray(a[None, :]), 0, np.ascontiguousarray(b[None, :]), 0)
