"""Burin's operations in Halide's terms.

Halide leaves open, or defines otherwise, what is written out here: signed overflow from 32 bits
on, division by negative numbers (it rounds towards the remainder that is not negative), shifts
beyond the width, casts of floats that do not fit, NaN and zeros in comparisons, min and max, the
sign of -x at 0, contraction.

Excluded: functions that are ours to define (exp, ...), fma in f64, casts of 64-bit integers to bf16
and saturating casts to floats, products of 128 bits.
"""

import halide as hl

from halide_values import *

# ---- operators ----


def wraps(t):
    return is_signed(t) and t != "index" and bits(t) >= 32


def in_words(t, f, *args):
    """f over unsigned words where Halide does not define signed overflow."""
    if not wraps(t):
        return f(*args)
    return hl.cast(halide(t), f(*(hl.cast(hl.UInt(bits(t)), a) for a in args)))


def negated(v):
    (v,) = typed(v)
    if is_float(v.type):
        w = wide(v.type)
        return Value(v.type, float_of(word_of(v.e, w) ^ word(1 << (bits(w) - 1), bits(w)), w))
    zero = constant(v.type, 0).e
    return Value(v.type, in_words(v.type, lambda z, a: z - a, zero, v.e))


def inverted(v):
    (v,) = typed(v)
    return Value(v.type, no(v.e) if v.type == "bool" else ~v.e)


def divided(t, a, b, want_rest):
    zero, one = constant(t, 0).e, constant(t, 1).e
    if not is_signed(t):
        safe = hl.select(b == zero, one, b)
        return hl.select(b == zero, zero, a % safe if want_rest else a // safe)
    minus = constant(t, -1).e
    special = (b == zero) | (b == minus)
    safe = hl.select(special, one, b)
    quotient, rest = a // safe, a % safe
    other = (safe < zero) & (rest != zero)
    if want_rest:
        return hl.select(special, zero, hl.select(other, rest + safe, rest))
    minus_a = in_words(t, lambda z, x: z - x, zero, a)
    return hl.select(
        b == zero, zero, hl.select(b == minus, minus_a, hl.select(other, quotient - one, quotient))
    )


def shifted(t, a, n, left):
    unsigned = hl.UInt(bits(t))
    amount = hl.cast(unsigned, n)  # a negative one is too large then
    beyond = amount >= word(bits(t), bits(t))
    amount = hl.select(beyond, word(0, bits(t)), amount)
    if left:
        return hl.select(
            beyond, constant(t, 0).e, hl.cast(halide(t), hl.cast(unsigned, a) << amount)
        )
    out = (
        hl.select(a < constant(t, 0).e, constant(t, -1).e, constant(t, 0).e)
        if is_signed(t)
        else constant(t, 0).e
    )
    return hl.select(beyond, out, a >> hl.cast(halide(t), amount))


def compared(op, a, b, t):
    if t == "bool":
        same = (a & b) | (no(a) & no(b))
        return same if op == "==" else no(same)
    w = wide(t)
    if is_float(t):
        ok = ordered(a, b, w)
        return {
            "==": lambda: ok & (a == b),
            "!=": lambda: no(ok) | (a != b),
            "<": lambda: ok & (a < b),
            "<=": lambda: ok & (a <= b),
            ">": lambda: ok & (a > b),
            ">=": lambda: ok & (a >= b),
        }[op]()
    return {
        "==": lambda: a == b,
        "!=": lambda: a != b,
        "<": lambda: a < b,
        "<=": lambda: a <= b,
        ">": lambda: a > b,
        ">=": lambda: a >= b,
    }[op]()


ARITHMETIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def binary(op, a, b):
    a, b = typed(a, b)
    t, x, y = a.type, a.e, b.e
    if op in ("==", "!=", "<", "<=", ">", ">="):
        return Value("bool", compared(op, x, y, t))
    if op in ("&&", "||", "&", "|", "^"):
        if op == "^" and t == "bool":
            return Value(t, (x & no(y)) | (no(x) & y))
        return Value(t, x & y if op[0] == "&" else x | y if op[0] == "|" else x ^ y)
    if op in ("<<", ">>"):
        return Value(t, shifted(t, x, y, op == "<<"))
    if is_float(t):
        v = rounded(t, ARITHMETIC[op](x, y))
    elif op in ("/", "%"):
        v = Value(t, divided(t, x, y, op == "%"))
    else:
        v = Value(t, in_words(t, ARITHMETIC[op], x, y))
    v.factors = (x, y) if op == "*" else None
    return v


# ---- casts ----


def limits(t):
    n = bits(t)
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if is_signed(t) else (0, (1 << n) - 1)


def cast(v, t):
    (v,) = typed(v)
    s, e = v.type, v.e
    if s == t:
        return v
    if t == "bool":
        return Value(t, compared("!=", e, constant(s, 0).e, s))
    if s == "bool":
        return Value(t, hl.select(e, constant(t, 1).e, constant(t, 0).e))
    if is_float(s) and is_float(t):
        if is_half(t) and s == "f64":
            e = odd_f32(e)
        return rounded(t, hl.cast(halide(t), e))
    if is_float(t):
        if t == "bf16" and s != "index" and bits(s) == 64:
            raise Excluded("64-bit integers to bf16")
        if t == "bf16" and bits(s) == 32:
            e = odd_f32(hl.cast(hl.Float(64), e))
        return rounded(t, hl.cast(halide(t), e))
    if is_float(s):
        x = hl.cast(hl.Float(64), e)
        lo, hi = limits(t)
        low, high = x <= real("f64", lo), x >= real("f64", hi + 1)
        good = ordered(x, x, "f64") & no(low) & no(high)
        inner = hl.cast(halide(t), hl.select(good, x, real("f64", 0)))
        return Value(
            t,
            hl.select(
                is_nan(x, "f64"), integer(t, 0), high, integer(t, hi), low, integer(t, lo), inner
            ),
        )
    return Value(t, hl.cast(halide(t), e))


def saturated(v, t):
    (v,) = typed(v)
    if is_float(t):
        raise Excluded("saturating casts to floats")
    if is_float(v.type) or v.type in ("bool", t):
        return cast(v, t)
    (lo, hi), (least, most) = limits(t), (limits(v.type) if v.type != "index" else limits("i32"))
    e = v.e
    if most > hi:
        e = hl.min(e, constant(v.type, hi).e)
    if least < lo:
        e = hl.max(e, constant(v.type, lo).e)
    return Value(t, hl.cast(halide(t), e))


# ---- functions ----


def extreme(lower, a, b):
    a, b = typed(a, b)
    if is_float(a.type):
        return Value(a.type, float_extreme(lower, a.e, b.e, wide(a.type)))
    return Value(a.type, hl.min(a.e, b.e) if lower else hl.max(a.e, b.e))


def select(c, a, b):
    a, b = typed(a, b)
    return Value(a.type, hl.select(c.e, a.e, b.e))


def absolute(v):
    if is_float(v.type):
        w = wide(v.type)
        return Value(v.type, float_of(word_of(v.e, w) & word(ALL_BUT_SIGN[w], bits(w)), w))
    return Value(v.type, hl.select(v.e < constant(v.type, 0).e, negated(v).e, v.e))


def counted(f):
    def count(v):
        n = constant(v.type, bits(v.type)).e
        zero = constant(v.type, 0).e
        return Value(
            v.type,
            hl.select(
                v.e == zero,
                n,
                hl.cast(halide(v.type), f(hl.select(v.e == zero, constant(v.type, 1).e, v.e))),
            ),
        )

    return count


def doubled(t):
    return f"{t[0]}{2 * bits(t)}"


def widened(a, b):
    t = doubled(a.type)
    x, y = hl.cast(halide(t), a.e), hl.cast(halide(t), b.e)
    return Value(t, in_words(t, lambda p, q: p * q, x, y))


def high(a, b):
    if bits(a.type) == 64:
        raise Excluded("128-bit products")
    w = widened(a, b)
    return Value(a.type, hl.cast(halide(a.type), w.e >> constant(w.type, bits(a.type)).e))


def ours(name):
    def refuse(*_):
        raise Excluded("functions that are ours to define")

    return refuse


def idiom(f):
    def make(a, b):
        a, b = typed(a, b)
        return Value(a.type, f(a.e, b.e))

    return make


def whole(f):
    """floor and its kin: exact."""
    return lambda v: Value(v.type, hl.strict_float(f(v.e)))


def fma_of(*args):
    a, b, c = typed(*args)
    return fma(a.type, a.e, b.e, c.e)


def absd(a, b):
    a, b = typed(a, b)
    return Value(f"u{bits(a.type)}", hl.absd(a.e, b.e))


FUNCTIONS = {
    "min": lambda a, b: extreme(True, a, b),
    "max": lambda a, b: extreme(False, a, b),
    "clamp": lambda v, lo, hi: extreme(True, extreme(False, *typed(v, lo)), hi),
    "select": select,
    "likely": lambda v: v,
    "abs": absolute,
    "index": lambda v: Value("index", hl.cast(hl.Int(32), v.e)),
    "sqrt": lambda v: rounded(v.type, hl.sqrt(v.e)),
    "fma": fma_of,
    "floor": whole(hl.floor),
    "ceil": whole(hl.ceil),
    "trunc": whole(hl.trunc),
    "round": whole(hl.round),
    "is_nan": lambda v: Value("bool", is_nan(v.e, wide(v.type))),
    "is_inf": lambda v: Value("bool", absolute(v).e == real(wide(v.type), "inf")),
    "is_finite": lambda v: Value(
        "bool", no(is_nan(v.e, wide(v.type))) & (absolute(v).e < real(wide(v.type), "inf"))
    ),
    "saturating_add": idiom(hl.saturating_add),
    "saturating_sub": idiom(hl.saturating_sub),
    "halving_add": idiom(hl.halving_add),
    "rounding_halving_add": idiom(hl.rounding_halving_add),
    "absd": absd,
    "widening_mul": lambda a, b: widened(*typed(a, b)),
    "mul_high": lambda a, b: high(*typed(a, b)),
    "popcount": lambda v: Value(v.type, hl.cast(halide(v.type), hl.popcount(v.e))),
    "clz": counted(hl.count_leading_zeros),
    "ctz": counted(hl.count_trailing_zeros),
}
for name in "exp log sin cos tanh erf pow rsqrt sigmoid gelu".split():
    FUNCTIONS[name] = ours(name)
TYPES = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split()


def call(name, args):
    if name in TYPES:
        # a bare number inside a cast is a literal of that type
        return cast(args[0], name) if args[0].type else as_type(args[0], name)
    if name.startswith("saturating_cast_"):
        return saturated(args[0], name[len("saturating_cast_") :])
    if name not in FUNCTIONS:
        raise Excluded(name)
    return FUNCTIONS[name](*(typed(*args) if len(args) == 1 else args))


# ---- updates ----


def identities(op, types):
    """What an update without a pure definition starts from."""

    def one(op, t):
        if op == "*=" or (op == "&=" and t == "bool"):
            return constant(t, 1)
        if op == "&=":
            return constant(t, -1 if is_signed(t) else limits(t)[1])
        if op in ("min", "argmin", "max", "argmax"):
            top = op in ("min", "argmin")
            if is_float(t):
                return constant(t, "inf" if top else "-inf")
            if t == "bool":
                return constant(t, top)
            return constant(t, limits(t)[1 if top else 0])
        return constant(t, 0)

    if op.startswith("arg"):
        return [one(op, types[0])] + [constant(t, -1) for t in types[1:]]
    return [one(op, t) for t in types]


def wins(op, now, old):
    """As argmin is defined: NaN first, then the key, then the first in order; -1: no element."""
    lower = truth(False)
    for n, o in reversed(list(zip(now[1:], old[1:]))):
        lower = (n.e < o.e) | ((n.e == o.e) & lower)
    t = now[0].type
    a, b = now[0].e, old[0].e
    better, equal = compared("<" if op == "argmin" else ">", a, b, t), compared("==", a, b, t)
    if is_float(t):
        x, y = is_nan(a, wide(t)), is_nan(b, wide(t))
        better, equal = (x & no(y)) | (no(y) & better), equal | (x & y)
    minus = constant(now[1].type, -1).e
    return (now[1].e != minus) & ((old[1].e == minus) | better | (equal & lower))


def combined(op, old, values, contracts):
    if op == "=":
        return values
    if op in ("argmin", "argmax"):
        take = wins(op, values, old)
        return [Value(n.type, hl.select(take, n.e, o.e)) for n, o in zip(values, old)]
    if op in ("min", "max"):
        return [extreme(op == "min", o, n) for o, n in zip(old, values)]

    def one(o, n):
        if op == "+=" and contracts and is_float(n.type) and n.factors:
            return fma(n.type, *n.factors, o.e)
        return binary(op[0], o, n)

    return [one(o, n) for o, n in zip(old, values)]
