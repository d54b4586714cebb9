/* Cooperative groups: tiles of all sizes, partitions of partitions, reduce and scan of many types. */
#include "rows.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <unsigned N> __device__ void tile(ull *o, int &r) {
    int t = threadIdx.x, v = t * 37 % 53 - 9;
    auto g = cg::tiled_partition<N>(cg::this_thread_block()); P(g.size()); P(g.num_threads());
    P(g.thread_rank()); P(g.meta_group_rank()); P(g.meta_group_size()); P(g.shfl(v, 0));
    P(g.shfl(v, 1)); P(g.shfl(v, t)); P(g.shfl_up(v, 1)); P(g.shfl_down(v, 1));
    P(g.shfl_down(v, 3)); P(g.shfl_xor(v, N / 2)); P(g.shfl_xor(v, N > 1)); P(g.any(t == 3));
    P(g.all(t != 3)); P(g.ballot(t % 3)); P(g.match_any(t / 3)); int p = 9;
    P(g.match_all(t / 4, p)); P(p); P(g.shfl((long long)v << 40, 1)); P(g.shfl(v * .5, 1));
    P(g.shfl_xor((short)v, N > 1)); P(g.shfl((unsigned char)v, 0));
    P(cg::reduce(g, v, cg::plus<int>())); P(cg::reduce(g, v, cg::less<int>()));
    P(cg::reduce(g, v, cg::greater<int>())); P(cg::reduce(g, (unsigned)v, cg::less<unsigned>()));
    P(cg::reduce(g, v, cg::bit_xor<int>())); P(cg::reduce(g, v, cg::bit_or<int>()));
    P(cg::reduce(g, v, cg::bit_and<int>())); P(cg::reduce(g, v * .37f, cg::plus<float>()));
    P(cg::reduce(g, v * .37, cg::plus<double>()));
    P(cg::reduce(g, (long long)v << 33, cg::plus<long long>()));
    P(cg::reduce(g, (ull)v, cg::greater<ull>()));
    P(cg::reduce(g, v * .37f, cg::greater<float>()));
    P(cg::reduce(g, v * .37f, cg::less<float>())); P(cg::reduce(g, (short)v, cg::plus<short>()));
    P(cg::reduce(g, (signed char)v, cg::greater<signed char>()));
    P(cg::reduce(g, v, [](int a, int b) { return a * 3 + b; }));
    P(cg::reduce(g, v * .37f, [](float a, float b) { return a * b + 1; }));
    P(cg::inclusive_scan(g, v)); P(cg::exclusive_scan(g, v));
    P(cg::inclusive_scan(g, v, cg::greater<int>())); P(cg::exclusive_scan(g, v, cg::less<int>()));
    P(cg::inclusive_scan(g, v * .37f)); P(cg::exclusive_scan(g, v * .37f));
    P(cg::inclusive_scan(g, v * .37, cg::plus<double>()));
    P(cg::exclusive_scan(g, v * .37, cg::greater<double>()));
    P(cg::inclusive_scan(g, (long long)v << 33));
    P(cg::exclusive_scan(g, (unsigned)v, cg::bit_xor<unsigned>()));
    P(cg::inclusive_scan(g, (short)v));
    P(cg::inclusive_scan(g, v, [](int a, int b) { return a * 3 + b; }));
    P(cg::exclusive_scan(g, v, [](int a, int b) { return a > b ? a : b; }));
    P(cg::exclusive_scan(g, (unsigned char)v)); P(cg::invoke_one_broadcast(g, [&] { return v; }));
    if (N > 1) { cg::invoke_one(g, [&] { v += 1000; }); } P(v); g.sync(); }
__global__ void t1(ull *o) { int r = 0; tile<1>(o, r); } __global__ void t2(ull *o) { int r = 0;
    tile<2>(o, r); } __global__ void t4(ull *o) { int r = 0; tile<4>(o, r); }
    __global__ void t8(ull *o) { int r = 0; tile<8>(o, r); } __global__ void t16(ull *o) {
    int r = 0; tile<16>(o, r); } __global__ void t32(ull *o) { int r = 0; tile<32>(o, r); }
struct pt { int key; float val; }; struct best { __device__ pt operator()(pt a, pt b) const {
    return a.val > b.val || (a.val == b.val && a.key < b.key) ? a : b; } };
struct three { float x, y, z; };
    struct add3 { __device__ three operator()(three a, three b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z} ; } }; struct d4 { double a, b, c, d; } ;
__global__ void structs(ull *o) { int r = 0, t = threadIdx.x;
    auto w = cg::tiled_partition<32>(cg::this_thread_block()); auto q = cg::tiled_partition<8>(w);
    pt p = {t, t * 37 % 53 * .3f} ; pt m = cg::reduce(w, p, best()); P(m.key); P(m.val);
    m = cg::reduce(q, p, best()); P(m.key); three v = {t * .1f, -t * .2f, t * t * .3f} ;
    three s = cg::reduce(w, v, add3()); P(s.x); P(s.y); P(s.z);
    s = cg::inclusive_scan(q, v, add3()); P(s.z); s = cg::exclusive_scan(q, v, add3());
    if (q.thread_rank()) P(s.z); else r++; m = cg::inclusive_scan(w, p, best()); P(m.key);
    pt x = q.shfl(p, 2); P(x.key); P(x.val); x = w.shfl_up(p, 1); P(x.key);
    d4 dd = {t / 3., 1, 2, t / 7.} ; d4 e = w.shfl_xor(dd, 5); P(e.a); P(e.d);
    three z = q.shfl_down(v, 2); P(z.y); if (t % 4) { auto c = cg::coalesced_threads();
    m = cg::reduce(c, p, best()); P(m.key); s = cg::reduce(c, v, add3()); P(s.x); P(s.z);
    x = c.shfl(p, 3); P(x.key); z = c.shfl_up(v, 1); P(z.x); e = c.shfl_down(dd, 2); P(e.d);
    m = cg::inclusive_scan(c, p, best()); P(m.val); } }
__global__ void coal(ull *o) { int r = 0, t = threadIdx.x, v = t * 37 % 53 - 9;
    if (t % 7 != 2) { auto c = cg::coalesced_threads(); P(c.size()); P(c.num_threads());
    P(c.thread_rank()); P(c.meta_group_rank()); P(c.meta_group_size()); P(c.shfl(v, 0));
    P(c.shfl(v, c.size() - 1)); P(c.shfl(v, (int)c.thread_rank())); P(c.shfl_up(v, 1));
    P(c.shfl_up(v, 3)); P(c.shfl_down(v, 1)); P(c.shfl_down(v, 5)); P(c.any(t == 4));
    P(c.all(t < 50)); P(c.ballot(t & 1)); P(c.match_any(t / 5)); int p; P(c.match_all(3, p));
    P(p); P(c.match_all(t, p)); P(p); P(c.shfl(v * .5, 2)); P(c.shfl((char)v, 2));
    P(cg::reduce(c, v, cg::plus<int>())); P(cg::reduce(c, v, cg::less<int>()));
    P(cg::reduce(c, (unsigned)v, cg::bit_xor<unsigned>()));
    P(cg::reduce(c, v * .37f, cg::plus<float>())); P(cg::reduce(c, v * .37, cg::plus<double>()));
    P(cg::reduce(c, (long long)v << 40, cg::greater<long long>()));
    P(cg::reduce(c, v, [](int a, int b) { return a * 3 + b; }));
    P(cg::reduce(c, v * .37f, cg::less<float>())); P(cg::reduce(c, (short)v, cg::plus<short>()));
    P(cg::inclusive_scan(c, v)); P(cg::exclusive_scan(c, v)); P(cg::inclusive_scan(c, v * .37f));
    P(cg::exclusive_scan(c, v * .37f)); P(cg::inclusive_scan(c, v, cg::greater<int>()));
    P(cg::exclusive_scan(c, v, cg::less<int>()));
    P(cg::inclusive_scan(c, v, [](int a, int b) { return a * 3 + b; }));
    P(cg::inclusive_scan(c, v * .37, cg::plus<double>()));
    P(cg::invoke_one_broadcast(c, [&] { return t; }));
    cg::invoke_one(c, [&](int k) { v = k; }, 4242); P(v); auto s = cg::tiled_partition(c, 8);
    P(s.size()); P(s.thread_rank()); P(s.meta_group_rank()); P(s.meta_group_size());
    P(s.shfl(t, 1)); P(s.ballot(t & 2)); P(cg::reduce(s, t, cg::plus<int>()));
    auto b = cg::binary_partition(c, t & 4); P(b.size()); P(b.thread_rank());
    P(b.meta_group_rank()); P(b.meta_group_size()); P(b.shfl(t, 0)); P(b.ballot(t & 1));
    auto l = cg::labeled_partition(c, t % 3); P(l.size()); P(l.thread_rank());
    P(l.meta_group_rank()); P(l.meta_group_size()); P(cg::reduce(l, t, cg::plus<int>()));
    P(cg::inclusive_scan(l, t)); auto ll = cg::labeled_partition(l, t % 2); P(ll.size());
    P(ll.shfl(t, 0)); P(ll.meta_group_rank()); c.sync(); } }
__global__ void parts(ull *o) { int r = 0, t = threadIdx.x; auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b); auto h = cg::tiled_partition<16>(w);
    auto q = cg::tiled_partition<4>(h); auto p2 = cg::tiled_partition<2>(q);
    auto one = cg::tiled_partition<1>(p2); P(h.meta_group_rank()); P(h.meta_group_size());
    P(q.meta_group_rank()); P(q.meta_group_size()); P(q.shfl(t, 2)); P(p2.meta_group_size());
    P(p2.shfl(t, 1)); P(one.meta_group_rank()); P(one.shfl(t, 0)); P(one.ballot(1));
    P(one.any(t)); P(cg::reduce(one, t, cg::plus<int>())); P(cg::inclusive_scan(one, t));
    P(cg::exclusive_scan(one, t)); auto bi = cg::binary_partition(h, t % 3 == 0); P(bi.size());
    P(bi.thread_rank()); P(bi.meta_group_rank()); P(bi.meta_group_size());
    P(cg::reduce(bi, t * .37f, cg::plus<float>())); P(bi.shfl(t, 1));
    auto la = cg::labeled_partition(q, t & 1); P(la.size()); P(la.thread_rank());
    P(la.meta_group_rank()); P(la.meta_group_size()); P(la.ballot(t & 2));
    auto bb = cg::binary_partition(bi, t & 1); P(bb.size()); P(bb.thread_rank());
    P(bb.shfl(t, 0)); P(bb.meta_group_rank()); auto lab = cg::labeled_partition(w, (t * 5) % 7);
    P(lab.size()); P(lab.meta_group_rank()); P(lab.meta_group_size()); P(lab.match_any(t / 8));
    P(cg::reduce(lab, (long long)t << 33, cg::plus<long long>())); P(cg::exclusive_scan(lab, t));
    auto lq = cg::labeled_partition(w, (long long)(t / 9) << 40); P(lq.size());
    P(lq.meta_group_rank()); auto lz = cg::labeled_partition(w, t < 9); P(lz.size());
    auto d = cg::tiled_partition(b, 8); P(d.size()); P(d.thread_rank()); d.sync();
    auto dd = cg::tiled_partition(d, 2); P(dd.size()); P(dd.thread_rank());
    cg::thread_group g = q; P(g.size()); P(g.thread_rank()); cg::thread_group g2 = h;
    P(g2.size()); cg::thread_group g3 = b; P(g3.size()); P(g3.thread_rank()); g3.sync();
    cg::thread_group g4 = cg::coalesced_threads(); P(g4.size()); auto self = cg::this_thread();
    P(self.size()); P(self.thread_rank()); cg::thread_group g5 = self; P(g5.size());
    P(cg::group_size(q)); P(cg::thread_rank(h)); P(b.thread_index().y); P(b.group_dim().x);
    P(b.dim_threads().y); P(b.group_index().z); P(b.size()); cg::sync(b); cg::sync(q);
    auto gr = cg::this_grid(); P(gr.thread_rank()); P(gr.num_threads()); P(gr.block_rank());
    P(gr.block_index().x); P(gr.thread_index().x); P(gr.group_dim().x); P(gr.dim_blocks().y);
    P(gr.is_valid()); auto tok = b.barrier_arrive(); b.barrier_wait(std::move(tok));
    P(sizeof(w) > 0); const auto ct = w; P(ct.thread_rank());
    P(cg::tiled_partition<8>(b).thread_rank());
    cg::thread_block_tile<8> named = cg::tiled_partition<8>(b); P(named.ballot(t & 1));
    cg::thread_block_tile<4, cg::thread_block> n4 = cg::tiled_partition<4>(b);
    P(n4.meta_group_size()); }

int main()
{
    show("t1", t1, 64);
    show("t2", t2, 64);
    show("t4", t4, 64);
    show("t8", t8, 64);
    show("t16", t16, 64);
    show("t32", t32, 64);
    show("structs", structs, 64);
    show("coal", coal, 64);
    show("parts", parts, 64);
    show("t8of40", t8, 40);
}
