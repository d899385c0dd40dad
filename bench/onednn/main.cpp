// oneDNN as a rival: its primitives on the library's layouts. What it wants laid out differently it gets so in the call,
// as the library packs its matrices in the call.
#include <unistd.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "tools/answers.h"
#include "tools/random.h"

namespace rival {
namespace {

using namespace dnnl;
using Dims = memory::dims;
using Tag = memory::format_tag;
using Args = std::unordered_map<int, memory>;

memory::desc f32(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// What a call does: steps one after another over these inputs.
class Plan {
public:
    engine eng{engine::kind::cpu, 0};
    std::vector<memory> inputs;
    memory out;
    std::function<void()> before;

    memory input(const Dims& dims, Tag tag) {
        inputs.emplace_back(f32(dims, tag), eng);
        return inputs.back();
    }
    memory result(const Dims& dims, Tag tag) { return out = memory(f32(dims, tag), eng); }
    memory as(const memory& from, const memory::desc& wanted) {
        if (from.get_desc() == wanted) return from;
        memory to(wanted, eng);
        step(reorder(reorder::primitive_desc(eng, from.get_desc(), eng, wanted)),
             {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
        return to;
    }
    void step(const primitive& p, const Args& args) { steps_.emplace_back(p, args); }
    void call() {
        if (before) before();
        for (auto& [p, args] : steps_) p.execute(stream_, args);
        stream_.wait();
    }

private:
    stream stream_{eng};
    std::vector<std::pair<primitive, Args>> steps_;
};

// `layer`: with a bias, and gelu at the end.
void matrix(Plan& p, int m, int n, int k, bool layer) {
    memory a = p.input({m, k}, Tag::ab), b = p.input({k, n}, Tag::ab);
    memory out = p.result({m, n}, Tag::ab);
    memory::desc any = f32({k, n}, n == 1 ? Tag::ab : Tag::any);
    primitive_attr attr;
    if (!layer) {
        matmul::primitive_desc pd(p.eng, a.get_desc(), any, out.get_desc());
        memory w = p.as(b, pd.weights_desc());
        p.step(matmul(pd), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, out}});
        return;
    }
    memory bias = p.input({1, n}, Tag::ab);
    post_ops gelu;
    gelu.append_eltwise(algorithm::eltwise_gelu_erf, 0, 0);
    attr.set_post_ops(gelu);
    matmul::primitive_desc pd(p.eng, a.get_desc(), any, bias.get_desc(), out.get_desc(), attr);
    memory w = p.as(b, pd.weights_desc());
    p.step(matmul(pd),
           {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
}

// Padding of one before; after, as much as the windows need.
Dims after(int h, int w, int high, int wide, int stride) {
    return {(high - 1) * stride + 2 - h, (wide - 1) * stride + 2 - w};
}

void conv(Plan& p, const Sizes& s, int stride) {
    const int n = s.at(0), h = s.at(1), w = s.at(2), c = s.at(3), k = s.at(4);
    const int high = (h + stride - 1) / stride, wide = (w + stride - 1) / stride;
    memory x = p.input({n, c, h, w}, Tag::nhwc), weights = p.input({k, c, 3, 3}, Tag::hwio);
    std::vector<memory> norm;  // mean, variance, gain, shift
    for (int i = 0; i < 4; ++i) norm.push_back(p.input({k}, Tag::a));
    memory out = p.result({n, k, high, wide}, Tag::nhwc);
    memory scale(f32({1, k, 1, 1}, Tag::nchw), p.eng), offset(f32({1, k, 1, 1}, Tag::nchw), p.eng);
    p.before = [=] {
        auto at = [](const memory& m) { return static_cast<float*>(m.get_data_handle()); };
        for (int i = 0; i < k; ++i) {
            at(scale)[i] = at(norm[2])[i] / std::sqrt(at(norm[1])[i] + 1e-5f);
            at(offset)[i] = at(norm[3])[i] - at(norm[0])[i] * at(scale)[i];
        }
    };
    post_ops ends;
    ends.append_binary(algorithm::binary_mul, scale.get_desc());
    ends.append_binary(algorithm::binary_add, offset.get_desc());
    ends.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr attr;
    attr.set_post_ops(ends);
    convolution_forward::primitive_desc pd(
        p.eng, prop_kind::forward_inference, algorithm::convolution_direct, x.get_desc(),
        f32({k, c, 3, 3}, Tag::any), out.get_desc(), {stride, stride}, {1, 1},
        after(h, w, high, wide, stride), attr);
    memory packed = p.as(weights, pd.weights_desc());
    p.step(convolution_forward(pd), {{DNNL_ARG_SRC, x},
                                     {DNNL_ARG_WEIGHTS, packed},
                                     {DNNL_ARG_DST, out},
                                     {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, scale},
                                     {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1, offset}});
}

void depthwise(Plan& p, int n, int h, int w, int c) {
    memory x = p.input({n, c, h, w}, Tag::nhwc), weights = p.input({c, 1, 1, 3, 3}, Tag::hwigo);
    memory bias = p.input({c}, Tag::a), out = p.result({n, c, h, w}, Tag::nhwc);
    post_ops clamp;
    clamp.append_eltwise(algorithm::eltwise_clip, 0, 6);
    primitive_attr attr;
    attr.set_post_ops(clamp);
    convolution_forward::primitive_desc pd(p.eng, prop_kind::forward_inference,
                                           algorithm::convolution_direct, x.get_desc(),
                                           f32({c, 1, 1, 3, 3}, Tag::any), bias.get_desc(),
                                           out.get_desc(), {1, 1}, {1, 1}, {1, 1}, attr);
    memory packed = p.as(weights, pd.weights_desc());
    p.step(convolution_forward(pd), {{DNNL_ARG_SRC, x},
                                     {DNNL_ARG_WEIGHTS, packed},
                                     {DNNL_ARG_BIAS, bias},
                                     {DNNL_ARG_DST, out}});
}

void max_pool(Plan& p, int n, int h, int w, int c) {
    const int high = (h + 1) / 2, wide = (w + 1) / 2;
    memory x = p.input({n, c, h, w}, Tag::nhwc), out = p.result({n, c, high, wide}, Tag::nhwc);
    pooling_forward::primitive_desc pd(p.eng, prop_kind::forward_inference, algorithm::pooling_max,
                                       x.get_desc(), out.get_desc(), {2, 2}, {3, 3}, {0, 0}, {1, 1},
                                       after(h, w, high, wide, 2));
    p.step(pooling_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
}

void softmax(Plan& p, int m, int n) {
    memory x = p.input({m, n}, Tag::ab), out = p.result({m, n}, Tag::ab);
    softmax_forward::primitive_desc pd(p.eng, prop_kind::forward_inference,
                                       algorithm::softmax_accurate, x.get_desc(), out.get_desc(),
                                       1);
    p.step(softmax_forward(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
}

void layernorm(Plan& p, int m, int n) {
    memory x = p.input({m, n}, Tag::ab), gain = p.input({n}, Tag::a), shift = p.input({n}, Tag::a);
    memory out = p.result({m, n}, Tag::ab);
    layer_normalization_forward::primitive_desc pd(
        p.eng, prop_kind::forward_inference, x.get_desc(), out.get_desc(), 1e-5f,
        normalization_flags::use_scale | normalization_flags::use_shift);
    p.step(
        layer_normalization_forward(pd),
        {{DNNL_ARG_SRC, x}, {DNNL_ARG_SCALE, gain}, {DNNL_ARG_SHIFT, shift}, {DNNL_ARG_DST, out}});
}

void row_sums(Plan& p, int m, int n) {
    memory x = p.input({m, n}, Tag::ab), out = p.result({m, 1}, Tag::ab);
    reduction::primitive_desc pd(p.eng, algorithm::reduction_sum, x.get_desc(), out.get_desc(), 0,
                                 0);
    p.step(reduction(pd), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}});
}

// Ones times the matrix: its reduction along columns is written for no processor.
void column_sums(Plan& p, int m, int n) {
    memory x = p.input({m, n}, Tag::ab), out = p.result({1, n}, Tag::ab);
    memory ones(f32({1, m}, Tag::ab), p.eng);
    std::fill_n(static_cast<float*>(ones.get_data_handle()), m, 1.0f);
    matmul::primitive_desc pd(p.eng, ones.get_desc(), x.get_desc(), out.get_desc());
    p.step(matmul(pd), {{DNNL_ARG_SRC, ones}, {DNNL_ARG_WEIGHTS, x}, {DNNL_ARG_DST, out}});
}

void transpose(Plan& p, int m, int n) {
    memory x = p.input({m, n}, Tag::ab), out = p.result({m, n}, Tag::ba);
    p.step(reorder(reorder::primitive_desc(p.eng, x.get_desc(), p.eng, out.get_desc())),
           {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, out}});
}

void add16(Plan& p) {
    memory a = p.input({16}, Tag::a), b = p.input({16}, Tag::a), out = p.result({16}, Tag::a);
    binary::primitive_desc pd(p.eng, algorithm::binary_add, a.get_desc(), b.get_desc(),
                              out.get_desc());
    p.step(binary(pd), {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, out}});
}

const std::map<std::string, void (*)(Plan&, const Sizes&)> plans{
    {"add16", [](Plan& p, const Sizes&) { add16(p); }},
    {"column_sums", [](Plan& p, const Sizes& n) { column_sums(p, n.at(0), n.at(1)); }},
    {"conv2d_bn_relu", [](Plan& p, const Sizes& n) { conv(p, n, 1); }},
    {"conv2d_bn_relu_s2", [](Plan& p, const Sizes& n) { conv(p, n, 2); }},
    {"dense_gelu", [](Plan& p, const Sizes& n) { matrix(p, n.at(0), n.at(1), n.at(2), true); }},
    {"depthwise",
     [](Plan& p, const Sizes& n) { depthwise(p, n.at(0), n.at(1), n.at(2), n.at(3)); }},
    {"gemm", [](Plan& p, const Sizes& n) { matrix(p, n.at(0), n.at(1), n.at(2), false); }},
    {"gemv", [](Plan& p, const Sizes& n) { matrix(p, n.at(0), 1, n.at(1), false); }},
    {"layernorm", [](Plan& p, const Sizes& n) { layernorm(p, n.at(0), n.at(1)); }},
    {"max_pool", [](Plan& p, const Sizes& n) { max_pool(p, n.at(0), n.at(1), n.at(2), n.at(3)); }},
    {"row_sums", [](Plan& p, const Sizes& n) { row_sums(p, n.at(0), n.at(1)); }},
    {"softmax", [](Plan& p, const Sizes& n) { softmax(p, n.at(0), n.at(1)); }},
    {"transpose", [](Plan& p, const Sizes& n) { transpose(p, n.at(0), n.at(1)); }},
};

Side make(const std::string& name, const Sizes& sizes, const Ranges& ranges) {
    std::shared_ptr<Plan> plan;
    double ms = median_ms([&] {
        plan = std::make_shared<Plan>();
        plans.at(name)(*plan, sizes);
    });
    for (size_t i = 0; i < plan->inputs.size(); ++i) {
        memory& m = plan->inputs[i];
        auto [lo, hi] = ranges.at(i);
        for (size_t k = 0; k < m.get_desc().get_size() / sizeof(float); ++k)
            static_cast<float*>(m.get_data_handle())[k] = burin::draw<float>(i + 1, k, lo, hi);
    }
    return {[plan] { plan->call(); },
            {{plan->out.get_data_handle(), plan->out.get_desc().get_size()}},
            ms};
}

}  // namespace
}  // namespace rival

int main(int, char** argv) {
    // OpenMP reads its own variable, and before this.
    const char *threads = std::getenv("BURIN_THREADS"), *set = std::getenv("OMP_NUM_THREADS");
    if (threads && (!set || std::string(set) != threads)) {
        setenv("OMP_NUM_THREADS", threads, 1);
        execv("/proc/self/exe", argv);
    }
    dnnl::set_primitive_cache_capacity(0);  // what is compiled again is compiled
    const dnnl_version_t* v = dnnl_version();
    std::ostringstream about;
    about << "oneDNN " << v->major << '.' << v->minor << '.' << v->patch;
    rival::answer_all({about.str(),
                       [](const std::string& name) { return rival::plans.count(name) > 0; },
                       rival::make});
}
