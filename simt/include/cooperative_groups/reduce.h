/* Cooperative groups: reduce, in the order of CUDA's, so that sums of floats are equal: a butterfly
 * of shuffles in a tile, the last value of a scan in a coalesced group, one instruction for
 * integers of up to 32 bits. */
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define SIMT_OPERATOR(name, op, ...)                                                               \
    template <class Value> struct name {                                                           \
        SIMT_INLINE_MEMBER Value operator()(Value a, Value b) const { return __VA_ARGS__; }        \
    };                                                                                             \
    namespace details {                                                                            \
    template <class Value> struct operation<name<Value>, Value> {                                  \
        static constexpr bool is_ours = true;                                                      \
        static constexpr bool is_one = std::is_integral<Value>::value && sizeof(Value) <= 4;       \
        static constexpr simt_warp_op value = op;                                                  \
    };                                                                                             \
    }
#define SIMT_EITHER(name)                                                                          \
    std::is_unsigned<Value>::value ? SIMT_##name##_UNSIGNED : SIMT_##name##_SIGNED

namespace details {

/* Is Op one of the operators below (is_ours)? Has a GPU one instruction for it (is_one)? */
template <class Op, class Value> struct operation {
    static constexpr bool is_ours = false, is_one = false;
};

/* One of two values, without a branch, as on a GPU. */
template <class Value> SIMT_INLINE Value either(bool second, Value first, Value other)
{
    const Value values[] = {first, other};
    return values[second];
}

} // namespace details

SIMT_OPERATOR(plus, SIMT_ADD, a + b)
SIMT_OPERATOR(less, SIMT_EITHER(MIN), b < a ? b : a)
SIMT_OPERATOR(greater, SIMT_EITHER(MAX), a < b ? b : a)
SIMT_OPERATOR(bit_and, SIMT_AND, a &b)
SIMT_OPERATOR(bit_or, SIMT_OR, a | b)
SIMT_OPERATOR(bit_xor, SIMT_XOR, a ^ b)

namespace details {

/* Checks the arguments of reduce and scan. */
template <class Group> constexpr bool is_tile = false;
template <unsigned Size, class Parent>
constexpr bool is_tile<thread_block_tile<Size, Parent>> = true;
template <class Group, class Value, class Op> constexpr SIMT_INLINE void check()
{
    static_assert(is_tile<Group> || std::is_same<Group, coalesced_group>::value,
                  "reduce and scan are for tiles and coalesced groups");
    static_assert(std::is_same<std::decay_t<decltype(std::declval<Op>()(std::declval<Value &>(),
                                                                        std::declval<Value &>()))>,
                               Value>::value,
                  "the operator must take and give the value's type");
}

/* Counts the instructions in front of several shuffles of a part of a warp. */
template <class Group> SIMT_INLINE void begin(const Group &g, size_t bytes)
{
    if (is_tile<Group> && g.size() < 32 && (g.size() > 2 || bytes > 4))
        simt_group_looks();
}

template <class Group, class Value>
SIMT_INLINE Value redux(const Group &g, simt_warp_op op, Value value)
{
    using word = std::conditional_t<std::is_unsigned<Value>::value, unsigned, int>;
    return (Value)(word)g.vote(op, (uint32_t)(word)value);
}

template <unsigned Delta, class Group, class Value, class Op>
SIMT_INLINE Value butterfly(const Group &g, Value value, Op &op)
{
    if constexpr (Delta > 0) {
        value = op(value, g.shfl_xor(value, Delta));
        return butterfly<Delta / 2>(g, value, op);
    } else {
        return value;
    }
}

/* A step of a scan: each thread adds the value of the thread `delta` ranks before it. */
template <class Group, class Value, class Op>
SIMT_INLINE Value step(const Group &g, Value value, Op &op, unsigned delta)
{
    Value before = g.shfl_up(value, (int)delta);
    bool there = delta <= g.thread_rank();
    if constexpr (operation<std::decay_t<Op>, Value>::is_ours)
        return either(there, value, op(value, before));
    else
        return there ? op(value, before) : value;
}

template <unsigned Delta, class Group, class Value, class Op>
SIMT_INLINE Value steps(const Group &g, Value value, Op &op)
{
    if constexpr (Delta < Group::size())
        return steps<Delta * 2>(g, step(g, value, op, Delta), op);
    else
        return value;
}

/* The thread of rank r gets the sum of the values at ranks 0 to r. */
template <class Group, class Value, class Op>
SIMT_INLINE Value scan(const Group &g, Value value, Op &op)
{
    if constexpr (is_tile<Group>)
        return steps<1>(g, value, op);
    for (unsigned delta = 1; delta < g.size(); delta *= 2)
        value = step(g, value, op, delta);
    return value;
}

} // namespace details

template <class Group, class Given, class Op>
SIMT_INLINE auto reduce(const Group &g, Given &&v, Op &&op) -> decltype(op(v, v))
{
    using Value = std::decay_t<Given>;
    using operation = details::operation<std::decay_t<Op>, Value>;
    Value value = v;

    details::check<Group, Value, Op>();
    if constexpr (details::is_tile<Group>) {
        if constexpr (operation::is_one && Group::size() >= 16)
            return details::redux(g, operation::value, value);
        details::begin(g, sizeof value);
        return details::butterfly<Group::size() / 2>(g, value, op);
    } else if constexpr (operation::is_one) {
        return details::redux(g, operation::value, value);
    } else if (g.size() == 32) {
        return details::butterfly<16>(details::tile<32>(0, 1), value, op);
    } else {
        return g.shfl(details::scan(g, value, op), (int)g.size() - 1);
    }
}

/* The group's first thread stores the result. A sync must follow before another thread reads it. */
template <class Group, class Value, class Given, class Op>
SIMT_INLINE void reduce_store_async(const Group &g, Value *to, Given &&value, Op &&op)
{
    Value result = reduce(g, value, op);
    if (g.thread_rank() == 0)
        *to = result;
}

} // namespace cooperative_groups
