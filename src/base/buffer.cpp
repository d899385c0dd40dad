#include <burin/buffer.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace burin {
namespace {

using int128 = __int128;
constexpr int64_t max_int64 = INT64_MAX;

Error too_large(Type type, std::span<const Dim> dims) {
    std::vector<int64_t> extents;
    for (const Dim& d : dims) extents.push_back(d.extent);
    return Error(ErrorKind::Resource, "buffer-too-large",
                 fmt::format("a buffer {}[{}] needs addresses beyond 64 bits", to_string(type),
                             fmt::join(extents, ", ")));
}

void check_extents(std::span<const int64_t> extents) {
    for (size_t d = 0; d < extents.size(); ++d)
        if (extents[d] < 0)
            throw Error(ErrorKind::Shape, "negative-extent",
                        fmt::format("dimension {} of a buffer has the extent {}", d, extents[d]));
}

// Everything that later arithmetic on coordinates, offsets and sizes relies on not to overflow.
void check_dims(Type type, std::span<const Dim> dims) {
    int128 count = 1, reach = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
        check_extents({&dims[d].extent, 1});
        if (int128(dims[d].min) + dims[d].extent > max_int64)
            throw Error(ErrorKind::Shape, "coordinate-overflow",
                        fmt::format("dimension {} of a buffer, {} from {} on, goes beyond 64 bits",
                                    d, dims[d].extent, dims[d].min));
        int128 stride = dims[d].stride < 0 ? -int128(dims[d].stride) : dims[d].stride;
        int128 steps = std::max<int64_t>(dims[d].extent, 1) - 1;
        if (stride * steps > max_int64) throw too_large(type, dims);
        count *= steps + 1;
        reach += stride * steps;
        if (count * type.bytes() > max_int64 || reach * type.bytes() > max_int64)
            throw too_large(type, dims);
    }
}

constexpr int64_t page_threshold = 4 << 20, huge_page = 2 << 20;

Error no_memory(int64_t bytes) {
    return Error(ErrorKind::Resource, "out-of-memory",
                 fmt::format("no memory for a buffer of {} bytes", bytes));
}

// Large buffers lie on huge pages where the system gives them: fewer TLB misses, faster first
// touch.
std::shared_ptr<void> allocate_pages(int64_t bytes) {
    if (bytes > max_int64 - 2 * huge_page) throw no_memory(bytes);
    size_t length = size_t((bytes + huge_page - 1) / huge_page * huge_page);
    size_t mapped = length + huge_page;
    void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw no_memory(bytes);
    char* begin = static_cast<char*>(p);
    char* aligned = begin + (huge_page - reinterpret_cast<uintptr_t>(p) % huge_page) % huge_page;
    if (aligned > begin) munmap(begin, size_t(aligned - begin));
    if (size_t rest = size_t(begin + mapped - (aligned + length))) munmap(aligned + length, rest);
    madvise(aligned, length, MADV_HUGEPAGE);
    return std::shared_ptr<void>(aligned, [length](void* q) { munmap(q, length); });
}

std::shared_ptr<void> allocate(int64_t bytes) {
    if (bytes >= page_threshold) return allocate_pages(bytes);
    size_t padded = size_t(std::max<int64_t>(bytes, 1) + 63) / 64 * 64;
    void* p = std::aligned_alloc(64, padded);
    if (!p) throw no_memory(bytes);
    return std::shared_ptr<void>(std::memset(p, 0, padded), [](void* q) { std::free(q); });
}

// Calls f(first, n) for each line along the last dimension: its first point and its length.
template <class F>
void for_each_line(std::span<const Dim> dims, F f) {
    std::vector<Dim> heads(dims.begin(), dims.end());
    int64_t n = heads.empty() ? 1 : heads.back().extent;
    if (n == 0) return;
    if (!heads.empty()) heads.back().extent = 1;
    for_each_point(heads, [&](std::span<const int64_t> first) { f(first, n); });
}

int64_t last_stride(const AnyBuffer& b) { return b.rank() ? b.stride(b.rank() - 1) : 0; }

// Calls f with a zero of the unsigned integer as wide as an element.
template <class F>
auto by_width(Type type, F f) {
    switch (type.bytes()) {
        case 1:  return f(uint8_t());
        case 2:  return f(uint16_t());
        case 4:  return f(uint32_t());
        default: return f(uint64_t());
    }
}

// The bits of infinity; greater ones, the sign aside, are NaNs. All ones for types without NaN.
uint64_t infinity_bits(Type type) {
    if (type == f16) return 0x7c00;
    if (type == bf16) return 0x7f80;
    if (type == f32) return 0x7f800000;
    return type == f64 ? 0x7ff0000000000000u : ~0ull;
}

}  // namespace

AnyBuffer::AnyBuffer(Type type, std::initializer_list<int64_t> extents)
    : AnyBuffer(type, std::span(extents.begin(), extents.size())) {}

AnyBuffer::AnyBuffer(Type type, std::span<const int64_t> extents) {
    std::vector<Dim> dims = dense_dims(extents);
    check_dims(type, dims);
    int64_t bytes = type.bytes();
    for (const Dim& d : dims) bytes *= d.extent;
    std::shared_ptr<void> memory = allocate(bytes);
    *this = AnyBuffer(type, memory.get(), std::move(dims), memory);
}

AnyBuffer::AnyBuffer(Type type, void* data, std::vector<Dim> dims, std::shared_ptr<void> owner) {
    if (type.is_index() || !type.is_scalar())
        throw Error(ErrorKind::Type, "not-an-element-type",
                    to_string(type) + " is not a type of buffer elements");
    check_dims(type, dims);
    bool empty = std::any_of(dims.begin(), dims.end(), [](const Dim& d) { return d.extent == 0; });
    if (!data && !empty)
        throw Error(ErrorKind::Value, "null-buffer", "a buffer that is not empty has no memory");
    if (reinterpret_cast<uintptr_t>(data) % type.bytes())
        throw Error(ErrorKind::Value, "misaligned-buffer",
                    fmt::format("memory for {} starts at {}, not at a multiple of {} bytes",
                                to_string(type), data, type.bytes()));
    state_ = std::make_shared<State>(type, static_cast<std::byte*>(data), std::move(dims),
                                     std::move(owner));
}

std::vector<Dim> dense_dims(std::span<const int64_t> extents) {
    check_extents(extents);
    std::vector<Dim> dims(extents.size());
    int128 stride = 1;
    for (size_t d = dims.size(); d-- > 0; stride *= std::max<int64_t>(extents[d], 1)) {
        if (stride > max_int64)
            throw Error(ErrorKind::Resource, "buffer-too-large",
                        fmt::format("[{}] is more than 2^63 elements", fmt::join(extents, ", ")));
        dims[d] = {0, extents[d], int64_t(stride)};
    }
    return dims;
}

const Dim& AnyBuffer::dim(int d) const {
    if (d < 0 || d >= rank())
        throw Error(ErrorKind::Shape, "no-such-dimension",
                    fmt::format("dimension {} of {}, which has {}", d, to_string(*this), rank()));
    return dims()[d];
}

int64_t AnyBuffer::size() const {
    int64_t n = 1;
    for (const Dim& d : dims()) n *= d.extent;
    return n;
}

bool AnyBuffer::is_dense() const {
    int64_t expected = 1;
    for (size_t d = dims().size(); d-- > 0; expected *= dims()[d].extent)
        if (dims()[d].extent > 1 && dims()[d].stride != expected) return size() == 0;
    return true;
}

AnyBuffer AnyBuffer::with(std::byte* data, std::vector<Dim> dims) const {
    return AnyBuffer(type(), data, std::move(dims), state().owner);
}

AnyBuffer AnyBuffer::crop(int d, int64_t min, int64_t extent) const {
    const Dim& whole = dim(d);
    check_extents({&extent, 1});
    if (min < whole.min || int128(min) + extent > int128(whole.min) + whole.extent)
        throw Error(
            ErrorKind::Bounds, "crop-outside",
            fmt::format("{} coordinates of dimension {} from {} on are not all in [{}, {}) of {}",
                        extent, d, min, whole.min, whole.min + whole.extent, to_string(*this)));
    std::vector<Dim> dims(this->dims().begin(), this->dims().end());
    dims[d].min = min, dims[d].extent = extent;
    int64_t skipped = extent ? (min - whole.min) * whole.stride : 0;
    return with(data() + skipped * type().bytes(), std::move(dims));
}

AnyBuffer AnyBuffer::slice(int d, int64_t coordinate) const {
    if (!dim(d).contains(coordinate)) out_of_range(d, coordinate);
    AnyBuffer line = crop(d, coordinate, 1);
    std::vector<Dim> dims(line.dims().begin(), line.dims().end());
    dims.erase(dims.begin() + d);
    return with(line.data(), std::move(dims));
}

AnyBuffer AnyBuffer::transpose(const std::vector<int>& order) const {
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool is_permutation = int(sorted.size()) == rank();
    for (size_t d = 0; d < sorted.size(); ++d) is_permutation &= sorted[d] == int(d);
    if (!is_permutation)
        throw Error(ErrorKind::Shape, "not-a-permutation",
                    fmt::format("transpose({{{}}}) is not an order of the {} dimensions",
                                fmt::join(order, ", "), rank()));
    std::vector<Dim> dims;
    for (int d : order) dims.push_back(dim(d));
    return with(data(), std::move(dims));
}

AnyBuffer AnyBuffer::reversed(int d) const {
    std::vector<Dim> dims(this->dims().begin(), this->dims().end());
    int64_t last = std::max<int64_t>(extent(d) - 1, 0) * stride(d);
    dims[d].stride = -dims[d].stride;
    return with(size() ? data() + last * type().bytes() : data(), std::move(dims));
}

AnyBuffer AnyBuffer::translated(const std::vector<int64_t>& by) const {
    if (int(by.size()) != rank()) wrong_rank(by.size());
    std::vector<Dim> dims(this->dims().begin(), this->dims().end());
    for (size_t d = 0; d < by.size(); ++d)
        if (__builtin_add_overflow(dims[d].min, by[d], &dims[d].min))
            throw Error(ErrorKind::Shape, "coordinate-overflow",
                        fmt::format("moving dimension {} by {} leads beyond 64 bits", d, by[d]));
    return with(data(), std::move(dims));
}

AnyBuffer AnyBuffer::copy() const {
    std::vector<int64_t> extents, mins;
    for (const Dim& d : dims()) extents.push_back(d.extent), mins.push_back(d.min);
    AnyBuffer result = AnyBuffer(type(), extents).translated(mins);
    int64_t stride = last_stride(*this);
    by_width(type(), [&](auto zero) {
        using U = decltype(zero);
        for_each_line(dims(), [&](std::span<const int64_t> first, int64_t n) {
            auto* from = static_cast<const U*>(at(first));
            auto* to = static_cast<U*>(result.at(first));
            if (stride == 1) std::memcpy(to, from, size_t(n) * sizeof(U)), n = 0;
            for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
        });
    });
    return result;
}

void AnyBuffer::fill_with(const void* element) const {
    int64_t stride = last_stride(*this);
    by_width(type(), [&](auto value) {
        std::memcpy(&value, element, sizeof value);
        for_each_line(dims(), [&](std::span<const int64_t> first, int64_t n) {
            auto* to = static_cast<decltype(value)*>(at(first));
            for (int64_t i = 0; i < n; ++i) to[i * stride] = value;
        });
    });
}

void AnyBuffer::check_type(Type wanted) const {
    if (type() != wanted)
        throw Error(ErrorKind::Type, "buffer-type",
                    fmt::format("a buffer of {} is used as one of {}", to_string(type()),
                                to_string(wanted)));
}

void AnyBuffer::undefined() {
    throw Error(ErrorKind::Value, "undefined-buffer",
                "this Buffer has no memory: nothing was assigned to it")
        .help("Buffer<float> b({h, w})");
}

void AnyBuffer::wrong_rank(size_t given) const {
    throw Error(ErrorKind::Shape, "buffer-rank",
                fmt::format("{} coordinates for {}, which has {} dimensions", given,
                            to_string(*this), rank()));
}

void AnyBuffer::out_of_range(size_t d, int64_t coordinate) const {
    throw Error(ErrorKind::Bounds, "outside-buffer",
                fmt::format("coordinate {} of dimension {} is outside [{}, {}) of {}", coordinate,
                            d, min(int(d)), min(int(d)) + extent(int(d)), to_string(*this)));
}

std::string to_string(const AnyBuffer& b) {
    std::vector<std::string> dims;
    for (const Dim& d : b.dims())
        dims.push_back(d.min ? fmt::format("{}:{}", d.min, d.min + d.extent)
                             : std::to_string(d.extent));
    return fmt::format("{}[{}]", to_string(b.type()), fmt::join(dims, ", "));
}

static bool is_same_box(std::span<const Dim> a, std::span<const Dim> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim& x, const Dim& y) {
        return x.min == y.min && x.extent == y.extent;
    });
}

bool same(const AnyBuffer& a, const AnyBuffer& b) {
    return a.type() == b.type() && is_same_box(a.dims(), b.dims()) && !first_difference(a, b);
}

std::optional<std::vector<int64_t>> first_difference(const AnyBuffer& a, const AnyBuffer& b) {
    if (a.type() != b.type() || !is_same_box(a.dims(), b.dims()))
        throw Error(
            a.type() != b.type() ? ErrorKind::Type : ErrorKind::Shape, "not-comparable",
            fmt::format("{} and {} cannot be compared point by point", to_string(a), to_string(b)));
    std::optional<std::vector<int64_t>> found;
    int64_t sa = last_stride(a), sb = last_stride(b);
    by_width(a.type(), [&](auto zero) {
        using U = decltype(zero);
        const bool is_bool = a.type().is_bool();
        const U infinity = U(infinity_bits(a.type())),
                magnitude = U(~U(0)) >> (a.type().is_float() ? 1 : 0);
        for_each_line(a.dims(), [&](std::span<const int64_t> first, int64_t n) {
            auto* p = static_cast<const U*>(a.at(first));
            auto* q = static_cast<const U*>(b.at(first));
            if (found || (sa == 1 && sb == 1 && std::memcmp(p, q, size_t(n) * sizeof(U)) == 0))
                return;
            for (int64_t i = 0; i < n; ++i) {
                U x = p[i * sa], y = q[i * sb];
                if (x == y || (is_bool && x && y)) continue;
                if (U(x & magnitude) > infinity && U(y & magnitude) > infinity) continue;
                found.emplace(first.begin(), first.end());
                if (!found->empty()) found->back() += i;
                return;
            }
        });
    });
    return found;
}

}  // namespace burin
