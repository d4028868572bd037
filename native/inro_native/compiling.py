"""How numba makes the machine code of a kernel: imported by `kernel` when there is none yet, and by nothing else."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
from llvmlite import binding, ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

from inro_native.machine_code import INTERNAL, MISFIT, Code

_BYTE: Final = ir.IntType(8)
_LONG: Final = ir.IntType(64)
_CONTIGUOUS_AND_ALIGNED: Final = 0x0001 | 0x0100
"""NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED."""
_WORD: Final = ctypes.sizeof(ctypes.c_void_p)
_HEAD: Final = object.__basicsize__
"""Where numpy's own fields begin in an array: data, dimensions, shape, strides, base, type, flags."""
_DATA, _SHAPE, _FLAGS = (_HEAD + place * _WORD for place in (0, 2, 6))


def numba_type(given: Any) -> Any:
    """What a kernel takes a value for."""
    if isinstance(given, np.ndarray):
        return types.Array(from_dtype(given.dtype), given.ndim, "C")
    if isinstance(given, tuple):
        own = type(given) if hasattr(given, "_fields") else None
        return types.BaseTuple.from_types([numba_type(each) for each in given], own)
    if isinstance(given, bool | np.bool_):
        return types.boolean
    if isinstance(given, int):
        return types.int64
    if isinstance(given, float):
        return types.float64
    return from_dtype(given.dtype)


@global_compiler_lock
def compile_entry(dispatcher: Any, given: tuple[Any, ...], name: str) -> Code:
    """The code of a kernel for values like these, with an entry of that name.

    Raises:
        TypeError: it returns something other than numbers, or calls what only the compiler's process has.
    """
    signature = tuple(map(numba_type, given))
    dispatcher.compile(signature)
    made = dispatcher.overloads[signature]
    result = made.signature.return_type
    results = tuple(result.types) if isinstance(result, types.BaseTuple) else (result,)
    if result is types.none:
        results = ()
    kinds = "".join(map(_kind, results))
    library = made.target_context.codegen().create_library(name)
    library.enable_object_caching()
    module = library.create_ir_module(name)
    _write_entry(module, made, signature, results, name)
    library.add_ir_module(module)
    library.add_linking_library(made.library)
    library.finalize()
    for function in library._final_module.functions:
        known = function.name.startswith(("llvm.", *INTERNAL)) or binding.address_of_symbol(function.name)
        if function.is_declaration and not known:
            raise TypeError(f"the kernel {name} calls {function.name}, which nothing but its compiler has")
    return Code("t" + kinds if isinstance(result, types.BaseTuple) else kinds, library._get_compiled_object())


def _kind(result: Any) -> str:
    if result is types.boolean:
        return "b"
    if isinstance(result, types.Integer):
        return "i" if result.signed else "u"
    if isinstance(result, types.Float):
        return "f"
    raise TypeError(f"a kernel returns numbers or nothing, not {result}")


def _write_entry(module: Any, made: Any, signature: tuple[Any, ...], results: tuple[Any, ...], name: str) -> None:
    """The function that takes objects and numbers, checks the arrays, and calls the kernel."""
    context = made.target_context
    flat = [leaf for each in signature for leaf in _leaves(each)]
    wanted = [_passed(each) for each in flat] + [_LONG.as_pointer()]
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), wanted), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    values = []
    for kind, argument in zip(flat, entry.args, strict=False):
        if isinstance(kind, types.Array):
            flags = _field(builder, argument, _FLAGS, ir.IntType(32))
            good = builder.and_(flags, flags.type(_CONTIGUOUS_AND_ALIGNED))
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", good, flags.type(_CONTIGUOUS_AND_ALIGNED))):
                builder.ret(ir.IntType(32)(MISFIT))
            values.append(_array(context, builder, kind, argument))
        elif kind is types.boolean:
            values.append(builder.icmp_signed("!=", argument, _LONG(0)))
        elif isinstance(kind, types.Integer):
            values.append(argument if kind.bitwidth == 64 else builder.trunc(argument, ir.IntType(kind.bitwidth)))
        else:
            values.append(argument if kind.bitwidth == 64 else builder.fptrunc(argument, ir.FloatType()))
    left = iter(values)
    arguments = [_together(context, builder, each, left) for each in signature]
    function = context.declare_function(module, made.fndesc)
    status, found = context.call_conv.call_function(builder, function, made.signature.return_type, signature, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        builder.ret(status.code)
    parts = cgutils.unpack_tuple(builder, found) if isinstance(made.signature.return_type, types.BaseTuple) else [found]
    for place, (kind, part) in enumerate(zip(results, parts, strict=False)):
        slot = builder.gep(entry.args[-1], [ir.IntType(32)(place)])
        if isinstance(kind, types.Float):
            wide = part if kind.bitwidth == 64 else builder.fpext(part, ir.DoubleType())
            builder.store(wide, builder.bitcast(slot, ir.DoubleType().as_pointer()))
        else:
            signed = isinstance(kind, types.Integer) and kind.signed
            if part.type.width < _LONG.width:
                part = builder.sext(part, _LONG) if signed else builder.zext(part, _LONG)
            builder.store(part, slot)
    builder.ret(ir.IntType(32)(0))


def _leaves(kind: Any) -> list[Any]:
    return [leaf for each in kind.types for leaf in _leaves(each)] if isinstance(kind, types.BaseTuple) else [kind]


def _passed(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return _BYTE.as_pointer()
    return ir.DoubleType() if isinstance(kind, types.Float) else _LONG


def _together(context: Any, builder: Any, kind: Any, left: Any) -> Any:
    if not isinstance(kind, types.BaseTuple):
        return next(left)
    return context.make_tuple(builder, kind, [_together(context, builder, each, left) for each in kind.types])


def _field(builder: Any, base: Any, offset: int, kind: Any) -> Any:
    place = builder.gep(base, [_LONG(offset)])
    return builder.load(builder.bitcast(place, kind.as_pointer()))


def _array(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """numba's idea of an array whose memory is looked after by whoever calls."""
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    shape = _field(builder, given, _SHAPE, _LONG.as_pointer())
    extents = [builder.load(builder.gep(shape, [_LONG(axis)])) for axis in range(kind.ndim)]
    strides, items = [], _LONG(1)
    for extent in reversed(extents):
        strides.append(builder.mul(items, _LONG(size)))
        items = builder.mul(items, extent)
    none = _BYTE.as_pointer()(None)
    array.meminfo = builder.bitcast(none, array.meminfo.type)
    array.parent = builder.bitcast(none, array.parent.type)
    array.nitems = items
    array.itemsize = _LONG(size)
    data = _field(builder, given, _DATA, _BYTE.as_pointer())
    array.data = builder.bitcast(data, array.data.type)
    array.shape = cgutils.pack_array(builder, extents, _LONG)
    array.strides = cgutils.pack_array(builder, strides[::-1], _LONG)
    return array._getvalue()
