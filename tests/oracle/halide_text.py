"""Reads the canonical text of an algorithm into Halide: the same Funcs, each operation as
halide_ops.py has it. What cannot be said in Halide's terms raises Excluded.

"""

import re

import halide as hl

import halide_ops as ops
from halide_ops import Value

TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*(?:\.\w+)?)"
    r"|(->|\.\.|\|\||&&|==|!=|<=|>=|<<|>>|[+\-*&|^]=|[-+*/%&|^!~<>=()\[\]{},:]))"
)
LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", "<=", ">", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]


def tokens_of(text):
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise ValueError(f"no token at {text[at:at + 20]!r}")
        found.append(m.group(m.lastindex))
        at = m.end()
    return found


def definitions(text):
    """The first line, then each definition, whose brackets may hold newlines."""
    lines, depth, part = [], 0, ""
    for line in text.splitlines():
        part += line + "\n"
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        if depth == 0:
            if part.strip():
                lines.append(part)
            part = ""
    return lines


class Func:
    def __init__(self, name):
        self.name, self.func = name, hl.Func(name)
        self.types, self.rank, self.has_updates = None, 0, False

    def read(self, args, element):
        at = self.func[tuple(reversed([a.e for a in args]))]
        return Value(self.types[element], hl.Expr(at[element] if len(self.types) > 1 else at))


class Input:
    def __init__(self, name, type, rank):
        self.name, self.type, self.rank = name, type, rank
        self.image = hl.ImageParam(ops.stored(type), rank, name)

    def dim(self, d):
        return self.image.dim(self.rank - 1 - d)

    def read(self, args, element):
        # Halide's interval of what is read may be wider than what is needed; nothing uses the rest
        at = [hl.clamp(a.e, self.dim(d).min(), self.dim(d).max()) for d, a in enumerate(args)]
        return ops.loaded(self.type, self.image[tuple(reversed(at))])


class Algorithm:
    """`numbers`: names and types of the parameters and sizes."""

    def __init__(self, text, numbers):
        self.types = numbers
        self.params = {name: hl.Param(ops.stored(t), name + "_") for name, t in numbers.items()}
        self.numbers = {
            name: ops.loaded(t, hl.Expr(self.params[name])) for name, t in numbers.items()
        }
        self.inputs, self.funcs, self.outputs = {}, {}, []
        lines = definitions(text)
        names = self.read_header(Reader(self, lines[0]))
        for line in lines[1:]:
            Definition(self, line).build()
        stores = []
        for f in (self.funcs[name] for name in names):
            at = [Value("index", hl.Expr(hl.Var(f"v{d}"))) for d in range(f.rank)]
            for i, t in enumerate(f.types):
                store = hl.Func(f"{f.name}_out")
                store[tuple(reversed([a.e for a in at]))] = ops.to_store(f.read(at, i))
                stores.append(store)
                self.outputs.append((t, f.rank))
        for f in self.funcs.values():
            if f.has_updates:
                f.func.compute_root()
        self.pipeline = hl.Pipeline(stores)

    def read_header(self, r):
        r.take("pipeline"), r.next(), r.take("(")
        while not r.skip(")"):
            name = r.next()
            r.take(":")
            type = r.next()
            if r.peek() == "[":
                self.inputs[name] = Input(name, type, len(r.dims()))
            r.skip(",")
        r.take("->")
        names = []
        while r.peek() not in (None, "strict", "relaxed"):
            names.append(r.next())
            r.dims()
            r.skip(",")
        self.contracts = r.peek() != "strict"
        return names


class Reader:
    def __init__(self, algorithm, text):
        self.algorithm, self.tokens, self.at = algorithm, tokens_of(text), 0
        self.names = dict(algorithm.numbers)  # what bare names stand for

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, token):
        found = self.peek() == token
        self.at += found
        return found

    def take(self, token):
        if not self.skip(token):
            raise ValueError(f"{token} was expected before {self.tokens[self.at:self.at + 5]}")

    def dims(self):
        """The tokens between brackets, in parts."""
        parts, depth = [[]], 0
        self.next()
        while True:
            t = self.next()
            if depth == 0 and t in "])":
                return [p for p in parts if p]
            depth += (t in "([") - (t in ")]")
            if depth == 0 and t == ",":
                parts.append([])
            else:
                parts[-1].append(t)

    def list(self, close):
        items = []
        while not self.skip(close):
            items.append(self.expr())
            self.skip(",")
        return items

    def index(self):
        return ops.as_type(self.expr(), "index")

    def expr(self, level=0):
        if level == len(LEVELS):
            return self.prefix()
        a = self.expr(level + 1)
        while self.peek() in LEVELS[level]:
            a = ops.binary(self.next(), a, self.expr(level + 1))
        return a

    def prefix(self):
        if self.skip("-"):
            number = self.peek()
            if number[0].isdigit() or number in ("inf", "nan"):
                return ops.number("-" + self.next())
            return ops.negated(self.prefix())
        if self.skip("!") or self.skip("~"):
            return ops.inverted(self.prefix())
        return self.primary()

    def primary(self):
        if self.skip("("):
            e = self.expr()
            self.take(")")
            return e
        t = self.next()
        if t[0].isdigit() or t in ("inf", "nan"):
            return ops.number(t)
        if t in ("true", "false"):
            return Value("bool", ops.truth(t == "true"))
        if not self.skip("("):
            return self.names[t]
        if t in ("origin", "extent"):
            source = self.algorithm.inputs[self.next()]
            self.take(",")
            dim = source.dim(int(self.next()))
            self.take(")")
            return Value("index", dim.min() if t == "origin" else dim.extent())
        args = self.list(")")
        source = self.algorithm.funcs.get(t) or self.algorithm.inputs.get(t)
        if not source:
            return ops.call(t, args)
        element = 0
        if self.skip("["):
            element = int(self.next())
            self.take("]")
        return source.read([ops.as_type(a, "index") for a in args], element)


class Definition(Reader):
    """f(args) op values for domain where condition let { names }"""

    def build(self):
        name = self.peek()
        is_first = name not in self.algorithm.funcs
        f = self.algorithm.funcs.setdefault(name, Func(name))
        self.next()
        left = self.dims()
        start = self.at
        f.rank = len(left)
        inside = self.domain()
        unknown = [
            d[0] for d in left if len(d) == 1 and d[0] not in self.names and not d[0][0].isdigit()
        ]
        self.names.update({v: Value("index", hl.Expr(hl.Var(v))) for v in unknown})
        self.lets()
        self.at = 2
        args = self.list(")")
        args = [ops.as_type(a, "index") for a in args]
        where = self.where()
        self.at = start
        op = self.next()
        own = self.tokens[:start]  # f(args) again: f(x) = max(f(x), value)
        if op == "=" and self.tokens[self.at + 2 : self.at + 3 + start] == own + [","]:
            op = self.next()
            self.at += start + 2
        values = self.list("}") if self.skip("{") else [self.expr()]
        at = tuple(reversed([a.e for a in args]))
        if is_first:
            f.types = [ops.natural(v) for v in values]
            if op == "=" and inside is None:
                f.func[at] = ops.tuple_of([ops.as_type(v, t).e for v, t in zip(values, f.types)])
                return
            pure = [d[0] if d[0] in unknown else f"_{i}" for i, d in enumerate(left)]
            f.func[tuple(hl.Var(v) for v in reversed(pure))] = ops.tuple_of(
                [v.e for v in ops.identities(op, f.types)]
            )
        f.has_updates = True
        values = [ops.as_type(v, t) for v, t in zip(values, f.types)]
        old = [f.read(args, i) for i in range(len(values))]
        new = ops.combined(op, old, values, self.algorithm.contracts)
        if inside is not None:
            holds = inside if where is None else inside & where
            new = [Value(n.type, hl.select(holds, n.e, o.e)) for n, o in zip(new, old)]
        f.func[at] = ops.tuple_of([v.e for v in new])

    def find(self, word):
        depth = 0
        for i, t in enumerate(self.tokens):
            depth += (t in "([{") - (t in ")]}")
            if depth == 0 and t == word:
                self.at = i + 1
                return True
        return False

    def domain(self):
        """Names its variables; a condition that always holds: a use, by which Halide finds it."""
        if not self.find("for"):
            return None
        ranges = []
        while not ranges or self.skip(","):
            name = self.next()
            self.take(":")
            lo = self.index().e
            self.take("..")
            ranges.append((name, lo, hl.max(self.index().e - lo, 0)))
        domain = hl.RDom([(lo, n) for _, lo, n in reversed(ranges)])
        inside = None
        for i, (name, lo, _) in enumerate(reversed(ranges)):
            v = hl.Expr(domain[i])
            self.names[name] = Value("index", v)
            inside = v >= lo if inside is None else inside & (v >= lo)
        return inside

    def where(self):
        return self.expr().e if self.find("where") else None

    def lets(self):
        if self.find("let"):
            self.take("{")
            while not self.skip("}"):
                name = self.next()
                self.take("=")
                e = self.expr()
                self.names[name] = ops.as_type(e, ops.natural(e))
                self.skip(",")
