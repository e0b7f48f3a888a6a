"""Small helpers to write vector instructions for LLVM inside Numba kernels.

Numba's cache of a kernel notices changes in the kernel's own file only: after editing what is emitted here, in `products`
or in `canonical`, remove the `__pycache__` folders of this room and of `vectors`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]

_I64 = ir.IntType(64)


def number(value: int) -> Any:
    """Return a 64-bit constant."""
    return ir.Constant(_I64, value)


def wide(builder: Any, value: Any) -> Any:
    """Return an integer in 64 bits."""
    return builder.sext(value, _I64) if value.type.width < _I64.width else value


def start_of_row(context: Any, builder: Any, kind: Any, array: Any, row: Any, length: Any) -> Any:
    """Return a pointer to the first element of a row of a C-ordered array whose rows have `length` elements."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [builder.mul(wide(builder, row), length)])


def loop(
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
    step.add_incoming(builder.add(step, number(1)), builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return values
