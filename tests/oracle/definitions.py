"""What the library's pipelines compute, in NumPy and SciPy.

A function has a pipeline's name. It draws the inputs for given sizes and returns them and the outputs, both by name.
Floating-point outputs are in double precision; `tolerance` is the error allowed in f32, as a share of the largest value.
Integers have to be equal; `off_by` allows a step where rounding decides. `plain`: also under the plain schedule.
"""
from collections import namedtuple

import numpy as np
from scipy import ndimage, signal, special

CASES = {}  # name -> [Case]
Case = namedtuple("Case", "function sizes tolerance off_by plain")


def case(tolerance=1e-6, off_by=0, plain=True, **sizes):
    def add(function):
        CASES.setdefault(function.__name__, []).append(Case(function, sizes, tolerance, off_by, plain))
        return function
    return add


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def f32(self, *shape, lo=-1.0, hi=1.0):
        return self.rng.uniform(lo, hi, shape).astype(np.float32)

    def integers(self, type, *shape, lo, hi):
        return self.rng.integers(lo, hi, shape, type, endpoint=True)


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


def gelu(x):
    return x * special.ndtr(x)


# ---- images ----

def blur(x):
    rows = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


@case(h=35, w=70)
@case(h=5, w=4)
def blur3x3(draw, h, w):
    x = draw.f32(h, w)
    return {"in": x}, {"blur_y": blur(*wide(x))}


@case(h=35, w=70)
def blur3x3_u16(draw, h, w):
    x = draw.integers(np.uint16, h, w, lo=0, hi=4095)
    rows = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) // 3
    return {"in": x}, {"blur_y": (rows[:-2] + rows[1:-1] + rows[2:]) // 3}


@case(h=67, w=131, off_by=1)
def unsharp(draw, h, w):
    x = draw.integers(np.uint8, 3, h, w, lo=0, hi=255)
    taps = [0.0366, 0.1113, 0.2167, 0.2707, 0.2167, 0.1113, 0.0366]
    luma = np.tensordot([0.299, 0.587, 0.114], x, 1)
    soft = luma
    for axis in (0, 1):
        soft = ndimage.correlate1d(soft, taps, axis, mode="nearest")
    sharp = x * ((2 * luma - soft) / (luma + 0.01))
    return {"in": x}, {"output": np.clip(np.rint(sharp), 0, 255).astype(np.uint8)}


@case(h=41, w=75)
def harris(draw, h, w):
    x = draw.f32(h, w, lo=0)
    sobel = np.outer([1, 2, 1], [-1, 0, 1]) / 12
    dx = signal.correlate2d(*wide(x), sobel, "valid")
    dy = signal.correlate2d(*wide(x), sobel.T, "valid")
    xx, xy, yy = (signal.correlate2d(p, np.ones((3, 3)), "valid") for p in (dx * dx, dx * dy, dy * dy))
    return {"in": x}, {"corners": xx * yy - xy**2 - 0.04 * (xx + yy) ** 2}


@case(h=33, w=70)
@case(h=1, w=1)
def histogram(draw, h, w):
    x = draw.integers(np.uint8, h, w, lo=0, hi=255)
    return {"in": x}, {"counts": np.bincount(x.ravel(), minlength=256).astype(np.uint32)}


@case(h=33, w=70)
@case(h=1, w=1)
def equalize(draw, h, w):
    x = draw.integers(np.uint8, h, w, lo=0, hi=99)
    below = np.cumsum(np.bincount(x.ravel(), minlength=256))
    return {"in": x}, {"out": ((below * 255 + x.size // 2) // x.size)[x].astype(np.uint8)}


def recursive(x, axis):  # forwards, then backwards; both start at the first value they meet
    for _ in range(2):
        start = 0.75 * np.take(x, [0], axis)
        x = np.flip(signal.lfilter([0.25], [1, -0.75], x, axis, zi=start)[0], axis)
    return x


@case(h=19, w=70)
@case(h=1, w=1)
def iir_rows(draw, h, w):
    x = draw.f32(h, w)
    return {"in": x}, {"out": recursive(*wide(x), 1)}


@case(h=19, w=70)
@case(h=1, w=1)
def iir_columns(draw, h, w):
    x = draw.f32(h, w)
    return {"in": x}, {"out": recursive(*wide(x), 0)}


@case(h=45, w=83, tolerance=1e-5)
def bilateral_grid(draw, h, w):
    x = draw.f32(h, w, lo=0)
    cell, levels = 8, 10
    ny, nx = (h - 1) // cell + 2, (w - 1) // cell + 2  # nodes that the picture reads; the blurs read two more around
    points = np.pad(x, (2 * cell + cell // 2, 6 * cell), "edge")
    grid = np.zeros((2, ny + 4, nx + 4, levels + 1))
    for y in range(ny + 4):
        for u in range(nx + 4):
            v = points[y * cell:(y + 1) * cell, u * cell:(u + 1) * cell].ravel()
            z = (v * np.float32(levels) + np.float32(0.5)).astype(int)
            np.add.at(grid[0, y, u], z, v)
            np.add.at(grid[1, y, u], z, 1)
    for axis in (3, 2, 1):
        grid = ndimage.correlate1d(grid, [1, 4, 6, 4, 1], axis, mode="constant")
    grid = grid[:, 2:, 2:]
    at = x * np.float32(levels)
    z = np.minimum(at.astype(int), levels - 1)
    y, u = np.mgrid[0:h, 0:w]
    where = [y / cell, u / cell, z + (at - z).astype(np.float64)]
    both = [ndimage.map_coordinates(g, where, order=1, mode="nearest") for g in grid]
    return {"in": x}, {"out": both[0] / both[1]}


def laplacian(draw, levels, h, w):
    x = draw.f32(3, h, w, lo=0)
    copies, steps = 8, 256
    gray32 = np.float32(0.299) * x[0] + np.float32(0.587) * x[1] + np.float32(0.114) * x[2]
    place = np.clip((gray32 * np.float32((copies - 1) * steps)).astype(int), 0, (copies - 1) * steps)

    def remap(t):
        d = t / steps
        return d * np.exp(-d * d / 2) / (copies - 1)

    # A picture is a function of whole coordinates, for the pyramids reach beyond its borders.
    margin = 2 ** (levels + 1)
    pad = ((margin, 2 * margin), (margin, 2 * margin))
    gray = np.pad(gray32.astype(np.float64), pad, "edge")
    place = np.pad(place, pad, "edge")
    stack = [gray + remap(place - steps * k) for k in range(copies)]

    # Coordinate c of level j lies at c + origin[j]; what the borders make wrong stays far from the picture.
    def down(f):
        for axis in (0, 1):
            f = ndimage.correlate1d(f, [1 / 8, 3 / 8, 3 / 8, 1 / 8], axis, origin=-1, mode="nearest")
            f = np.take(f, np.arange(0, f.shape[axis], 2), axis)
        return f

    def up(f, shape):
        for axis in (0, 1):
            t = np.arange(shape[axis])
            first = np.take(f, t // 2, axis)
            second = np.take(f, np.clip(t // 2 - 1 + 2 * (t % 2), 0, f.shape[axis] - 1), axis)
            f = 0.75 * first + 0.25 * second
        return f

    grays, stacks = [gray], [stack]
    for _ in range(levels - 1):
        grays.append(down(grays[-1]))
        stacks.append([down(g) for g in stacks[-1]])
    result = None
    for j in reversed(range(levels)):
        shape = grays[j].shape
        last = j == levels - 1
        detail = np.stack([g if last else g - up(stacks[j + 1][k], shape) for k, g in enumerate(stacks[j])])
        at = grays[j] * (copies - 1)
        below = np.clip(at.astype(int), 0, copies - 2)
        low = np.take_along_axis(detail, below[None], 0)[0]
        high = np.take_along_axis(detail, below[None] + 1, 0)[0]
        chosen = low + (high - low) * (at - below)
        result = chosen if last else chosen + up(result, shape)
    result = result[margin:margin + h, margin:margin + w]
    return {"in": x}, {"out": result * (x + 0.01) / (gray32.astype(np.float64) + 0.01)}


@case(h=45, w=83, tolerance=1e-5, plain=False)  # with all inline, 16 terms a level multiply up
def local_laplacian(draw, h, w):
    return laplacian(draw, 8, h, w)


@case(h=45, w=83, tolerance=1e-5, plain=False)
def local_laplacian_3(draw, h, w):
    return laplacian(draw, 3, h, w)


@case(h=38, w=70, off_by=1)
def camera(draw, h, w):
    raw = draw.integers(np.uint16, h, w, lo=0, hi=1023)
    m = 8
    rows, columns = (np.arange(-m, n + m) for n in (h, w))
    nearest = lambda t, n: np.where(t < 0, t % 2, np.where(t >= n, n - 2 + (t - n) % 2, t))  # of the same colour
    s = raw.astype(int)[np.ix_(nearest(rows, h), nearest(columns, w))]
    roll = lambda f, dy, dx: np.roll(f, (-dy, -dx), (0, 1))  # f(y + dy, x + dx)
    near = np.maximum.reduce([roll(s, -2, 0), roll(s, 2, 0), roll(s, 0, -2), roll(s, 0, 2)])
    s = np.minimum(s, near)
    mean = lambda a, b: (a + b + 1) // 2

    # All at full size: the point (y, x) of the sensor has the colour of its parity.
    y, x = np.mgrid[0:s.shape[0], 0:s.shape[1]] % 2
    is_green, is_red = y == x, (y == 0) & (x == 1)
    up, below, left, right = roll(s, -1, 0), roll(s, 1, 0), roll(s, 0, -1), roll(s, 0, 1)
    edge = np.where(abs(up - below) < abs(left - right), mean(up, below), mean(left, right))
    green = np.where(is_green, s, edge)

    def between(a, b):  # a colour midway between its points at offsets a and b
        return green + mean(roll(s, *a), roll(s, *b)) - mean(roll(green, *a), roll(green, *b))

    across, along = between((0, -1), (0, 1)), between((-1, 0), (1, 0))
    falling = abs(roll(s, -1, -1) - roll(s, 1, 1)) < abs(roll(s, 1, -1) - roll(s, -1, 1))
    diagonal = np.where(falling, between((-1, -1), (1, 1)), between((1, -1), (-1, 1)))
    red = np.where(is_red, s, np.where(is_green, np.where(y == 0, across, along), diagonal))
    blue = np.where(is_green, np.where(y == 0, along, across), np.where(is_red, diagonal, s))

    matrix = np.array([[397, -122, -19], [-54, 390, -80], [-6, -145, 407]])
    linear = np.clip(np.tensordot(matrix, np.stack([red, green, blue]), 1) // 256, 0, 1023)
    light = (linear / 1023) ** (1 / 2.2)
    out = np.rint(255 * light * light * (3 - 2 * light)).astype(np.uint8)
    return {"raw": raw}, {"out": out[:, m:-m, m:-m]}


@case(h=21, w=45, off_by=1)
def picture(draw, h, w):
    v, u = (np.arange(n) * 0.001 for n in (h, w))
    v, u = v[:, None], u[None, :]
    rings = np.sin(((u - 1.7) ** 2 + (v - 1.2) ** 2) * 40)
    hills = np.sin(u * 3.1 + 1) * np.cos(v * 4.3)
    y, x = np.mgrid[0:h, 0:w]
    light = 0.5 + 0.22 * hills + 0.14 * rings + np.where((x // 8 + y // 8) % 2 == 0, 0.06, -0.06)
    tints = [0.75 + 0.25 * np.sin(u * 2), 0.7 + 0.2 * np.cos(v * 1.7), 0.6 + 0.3 * np.sin(u + v)]
    return {}, {"picture": np.clip(np.rint([255 * light * t for t in tints]), 0, 255).astype(np.uint8)}


# ---- scans, reductions, products ----

@case(n=10000)
@case(n=1)
def prefix_sum(draw, n):
    x = draw.integers(np.int32, n, lo=-(2**31), hi=2**31 - 1)
    return {"x": x}, {"y": np.cumsum(x, dtype=np.int32)}


@case(n=10000)
@case(n=1)
def prefix_sum_blocked(draw, n):
    return prefix_sum(draw, n)


@case(m=19, n=200)
def row_sums(draw, m, n):
    x = draw.f32(m, n)
    return {"x": x}, {"y": wide(x)[0].sum(1)}


@case(m=200, n=70, tolerance=3e-6)
def column_sums(draw, m, n):
    x = draw.f32(m, n)
    return {"x": x}, {"y": wide(x)[0].sum(0)}


@case(m=19, n=200)
@case(m=3, n=1)
def argmax(draw, m, n):
    x = np.round(draw.f32(m, n) * 8)  # ties: the first one counts
    return {"x": x}, {"y": x.argmax(1).astype(np.int32)}


@case(m=37, n=70)
def transpose(draw, m, n):
    x = draw.f32(m, n)
    return {"x": x}, {"y": x.T}


@case(m=19, n=200)
def gemv(draw, m, n):
    a, x = draw.f32(m, n), draw.f32(n)
    return {"a": a, "x": x}, {"y": np.matmul(*wide(a, x))}


@case(m=13, n=70, k=37)
@case(m=50, n=300, k=1100, tolerance=3e-6)
def gemm(draw, m, n, k):
    a, b = draw.f32(m, k), draw.f32(k, n)
    return {"a": a, "b": b}, {"c": np.matmul(*wide(a, b))}


# ---- layers of networks ----

@case(m=13, n=70, k=37)
def dense_gelu(draw, m, n, k):
    x, w, bias = draw.f32(m, k), draw.f32(k, n), draw.f32(n)
    return {"x": x, "w": w, "bias": bias}, {"y": gelu(np.matmul(*wide(x, w)) + bias)}


def convolved(x, weights, stride):
    """Sums of products over 3 x 3 windows of x in NHWC."""
    x, weights = wide(x, weights)
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), (3, 3), (1, 2))[:, ::stride, ::stride]
    if weights.ndim == 3:
        return np.einsum("bijcyx,yxc->bijc", windows, weights)
    return np.einsum("bijcyx,yxck->bijk", windows, weights)


def normalised(draw, stride, n, h, w, c, k):
    x, weights = draw.f32(n, h, w, c), draw.f32(3, 3, c, k)
    mean, gain, shift = (draw.f32(k) for _ in range(3))
    variance = draw.f32(k, lo=0.1, hi=2)
    y = (convolved(x, weights, stride) - mean) / np.sqrt(variance + 1e-5) * gain + shift
    return {"x": x, "weights": weights, "mean": mean, "variance": variance, "gain": gain,
            "shift": shift}, {"y": np.maximum(y, 0)}


@case(n=2, h=9, w=17, c=5, k=19)
@case(n=1, h=1, w=1, c=1, k=1)
def conv2d_bn_relu(draw, **sizes):
    return normalised(draw, 1, **sizes)


@case(n=2, h=9, w=18, c=5, k=19)
def conv2d_bn_relu_s2(draw, **sizes):
    return normalised(draw, 2, **sizes)


@case(n=2, h=9, w=17, c=19)
def depthwise(draw, n, h, w, c):
    x, weights, bias = draw.f32(n, h, w, c), draw.f32(3, 3, c), draw.f32(c)
    y = np.clip(convolved(x, weights, 1) + bias, 0, 6)
    return {"x": x, "weights": weights, "bias": bias}, {"y": y}


@case(n=2, h=9, w=18, c=19)
@case(n=1, h=1, w=2, c=1)
def max_pool(draw, n, h, w, c):
    x = draw.f32(n, h, w, c) - 2  # zeros outside would win
    y = ndimage.maximum_filter(x, (1, 3, 3, 1), mode="constant", cval=-np.inf)[:, ::2, ::2]
    return {"x": x}, {"y": y}


@case(m=19, n=200)
@case(m=1, n=1)
def softmax(draw, m, n):
    x = draw.f32(m, n, lo=-20, hi=20)
    return {"x": x}, {"y": special.softmax(*wide(x), axis=1)}


def normal(x, gain, shift):
    x, gain, shift = wide(x, gain, shift)
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * gain + shift


@case(m=19, n=200)
@case(m=1, n=2)
def layernorm(draw, m, n):
    x, gain, shift = draw.f32(m, n, lo=2, hi=9), draw.f32(n), draw.f32(n)
    return {"x": x, "gain": gain, "shift": shift}, {"y": normal(x, gain, shift)}


@case(m=19, n=200, k=37, tolerance=3e-6)
def layernorm_geglu(draw, m, n, k):
    x, gain, shift, w = draw.f32(m, n), draw.f32(n), draw.f32(n), draw.f32(n, 2, k)
    a, b = normal(x, gain, shift) @ wide(w)[0].transpose(1, 0, 2)
    return {"x": x, "gain": gain, "shift": shift, "w": w}, {"y": a * gelu(b)}


@case(n=37, rows=11, d=19)
def embedding(draw, n, rows, d):
    tokens, table = draw.integers(np.int32, n, lo=-3, hi=rows + 3), draw.f32(rows, d)
    return {"tokens": tokens, "table": table}, {"y": table[np.clip(tokens, 0, rows - 1)]}


@case(s=19, m=37, heads=3, d=5)
@case(s=70, m=130, heads=2, d=64)
def qkv(draw, s, m, heads, d):
    x, w, bias = draw.f32(s, m), draw.f32(m, 3, heads, d), draw.f32(3, heads, d)
    q, k, v = np.einsum("im,mphc->phic", *wide(x, w)) + bias[:, :, None]
    return {"x": x, "w": w, "bias": bias}, {"q": q, "k": k, "v": v}


@case(heads=3, s=19, d=5)
@case(heads=2, s=70, d=64, tolerance=3e-6)
def attention(draw, heads, s, d):
    q, k, v = (draw.f32(heads, s, d, lo=-3, hi=3) for _ in range(3))
    scores = np.einsum("hid,hjd->hij", *wide(q, k)) / np.sqrt(d)
    return {"q": q, "k": k, "v": v}, {"out": special.softmax(scores, axis=2) @ wide(v)[0]}
