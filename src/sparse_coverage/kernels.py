"""The decorators for compiled kernels: machine code cached on disk, free of the interpreter's lock, exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function on flat arrays with Numba at its first call.

    The machine code is kept beside the source, or in the user's cache folder where the package cannot be written. Where
    neither can be, as in some containers, every process compiles for itself.
    """
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(F, numba.njit(nogil=True)(function))


def _prefetch(context: Any, array: Any, place: Any) -> Any:
    """Ask the processor to bring `array[place]` into its cache, without waiting for it. Never fails, whatever the place."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = target.make_array(signature.args[0])(target, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        # For reading, into every level of the cache, as data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return target.get_dummy_value()

    return numba.types.void(array, place), generate


prefetch: Callable[[Any, Any], None] = intrinsic(_prefetch)


def _pointer(context: Any, address: Any) -> Any:
    """Turn an address, a number of 64 bits, into a pointer that `numba.carray` makes an array of."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return numba.types.voidptr(address), generate


pointer: Callable[[Any], Any] = intrinsic(_pointer)
