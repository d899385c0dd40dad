"""Types, constants and single floats of Burin's as Halide holds them.

Halfs are computed in f32 and rounded to their type after each operation, as they are defined; the
rounding is Halide's.
"""

import struct

import halide as hl

ALL_BUT_SIGN = {"f32": 0x7FFFFFFF, "f64": 0x7FFFFFFFFFFFFFFF}


class Excluded(Exception):
    pass


class Value:
    """An expression of a type; None: a bare number, `e` is its text. `factors`: of a product."""

    def __init__(self, type, e, factors=None):
        self.type, self.e, self.factors = type, e, factors


def bits(t):
    return 64 if t == "index" else 8 if t == "bool" else int(t.lstrip("biuf"))


def is_float(t):
    return t[0] == "f" or t == "bf16"


def is_half(t):
    return t in ("f16", "bf16")


def wide(t):
    """The type in which halfs are computed."""
    return "f32" if is_half(t) else t


def is_signed(t):
    return t[0] == "i"


def halide(t):
    """How a value of t is held in expressions and Funcs."""
    if t == "bool":
        return hl.UInt(1)
    if t == "index":
        return hl.Int(32)
    return {"i": hl.Int, "u": hl.UInt, "f": hl.Float}[wide(t)[0]](bits(wide(t)))


def stored(t):
    """Of a buffer's elements: halfs by their bits, and so u64, as Halide takes no array of it."""
    return {"bool": hl.UInt(8), "f16": hl.UInt(16), "bf16": hl.UInt(16), "u64": hl.Int(64)}.get(
        t
    ) or halide(t)


def half(t):
    return hl.Float(16) if t == "f16" else hl.BFloat(16)


def loaded(t, e):
    if t == "bool":
        return Value(t, e != hl.cast(hl.UInt(8), 0))
    if is_half(t):
        return Value(t, hl.cast(hl.Float(32), hl.reinterpret(half(t), e)))
    return Value(t, hl.reinterpret(halide(t), e) if t == "u64" else e)


def to_store(v):
    if v.type == "bool":
        return hl.select(v.e, hl.cast(hl.UInt(8), 1), hl.cast(hl.UInt(8), 0))
    if is_half(v.type):
        return hl.reinterpret(hl.UInt(16), hl.cast(half(v.type), v.e))
    return hl.reinterpret(hl.Int(64), v.e) if v.type == "u64" else v.e


def rounded(t, e):
    """e, a result in wide(t), as a value of t."""
    e = hl.strict_float(e)
    return Value(t, hl.cast(hl.Float(32), hl.cast(half(t), e)) if is_half(t) else e)


# ---- constants ----


def word(value, n):
    """An unsigned integer of n bits."""
    value &= (1 << n) - 1
    if n == 64:
        return (hl.cast(hl.UInt(64), word(value >> 32, 32)) << hl.cast(hl.UInt(64), 32)) | hl.cast(
            hl.UInt(64), word(value, 32)
        )
    return hl.cast(hl.UInt(n), hl.Expr((value ^ 0x80000000) - 0x80000000 if n == 32 else value))


def integer(t, value):
    if t == "index":
        return hl.Expr(value)
    return hl.cast(halide(t), word(value, bits(t)))


def real(t, value):
    """A float of type f32 or f64."""
    value = float(value)
    if t == "f32":
        try:
            (n,) = struct.unpack("<I", struct.pack("<f", value))
        except OverflowError:
            n = 0x7F800000 | (0x80000000 if value < 0 else 0)
        return hl.reinterpret(hl.Float(32), word(n, 32))
    return hl.reinterpret(hl.Float(64), word(struct.unpack("<Q", struct.pack("<d", value))[0], 64))


def truth(value):
    return hl.cast(hl.UInt(1), 1 if value else 0)


def constant(t, value):
    if t == "bool":
        return Value(t, truth(value))
    if is_float(t):
        return rounded(t, real(wide(t), value)) if is_half(t) else Value(t, real(t, value))
    return Value(t, integer(t, int(value)))


def number(text):
    return Value(None, text)


def natural(v):
    return v.type or ("f32" if any(c in v.e for c in ".en") else "i32")


def as_type(v, t):
    """A bare number as what stands beside it; anything else as it is."""
    if v.type:
        return v
    return constant(t, v.e if is_float(t) else int(v.e))


def typed(*values):
    """Values of one type: the first that is not bare tells it."""
    t = next((v.type for v in values if v.type), None)
    if not t:
        t = "f32" if "f32" in map(natural, values) else "i32"
    return [as_type(v, t) for v in values]


def tuple_of(exprs):
    return exprs[0] if len(exprs) == 1 else tuple(exprs)


# ---- floats ----


def no(e):
    return hl.logical_not(e)


def word_of(e, t):
    return hl.reinterpret(hl.UInt(bits(t)), e)


def float_of(e, t):
    return hl.reinterpret(hl.Float(bits(t)), e)


def is_nan(e, t):
    return (word_of(e, t) & word(ALL_BUT_SIGN[t], bits(t))) > word_of(real(t, "inf"), t)


def ordered(a, b, t):
    return no(is_nan(a, t) | is_nan(b, t))


def odd_f32(e):
    """An f64 as f32 for a second rounding to fewer bits: an inexact result gets an odd last bit."""
    n = hl.cast(hl.Float(32), e)
    back = hl.cast(hl.Float(64), n)
    low = word_of(n, "f32")
    away = hl.select((back < e) == (e > real("f64", 0)), low + word(1, 32), low - word(1, 32))
    fix = (
        (back != e)
        & ((low & word(1, 32)) == word(0, 32))
        & ordered(e, e, "f64")
        & (hl.abs(back) != real("f64", "inf"))
    )
    return hl.select(fix, float_of(away, "f32"), n)


def fma_f32(a, b, c):
    """The product is exact in f64; the sum is rounded to odd there, then to f32."""
    d = hl.Float(64)
    p, c = hl.strict_float(hl.cast(d, a) * hl.cast(d, b)), hl.cast(d, c)
    s = hl.strict_float(p + c)
    v = hl.strict_float(s - p)
    error = hl.strict_float(hl.strict_float(p - hl.strict_float(s - v)) + hl.strict_float(c - v))
    low, zero = word_of(s, "f64"), real("f64", 0)
    away = hl.select((error > zero) == (s > zero), low + word(1, 64), low - word(1, 64))
    finite = (low & word(0x7FF0000000000000, 64)) != word(0x7FF0000000000000, 64)
    fix = finite & ((error > zero) | (error < zero)) & ((low & word(1, 64)) == word(0, 64))
    return hl.cast(hl.Float(32), hl.select(fix, float_of(away, "f64"), s))


def fma(t, a, b, c):
    if t == "f64":
        raise Excluded("fma in f64")
    return rounded(t, fma_f32(a, b, c))


def float_extreme(lower, a, b, t):
    x, y = word_of(a, t), word_of(b, t)
    equal = float_of(x | y if lower else x & y, t)
    first = a < b if lower else b < a
    second = b < a if lower else a < b
    return hl.select(ordered(a, b, t), hl.select(first, a, second, b, equal), real(t, "nan"))
