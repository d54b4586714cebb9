/* Cooperative groups: inclusive_scan and exclusive_scan, with the same shuffles as CUDA's. */
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class Given, class Op = plus<std::decay_t<Given>>>
SIMT_INLINE auto inclusive_scan(const Group &g, Given &&v, Op &&op = Op()) -> decltype(op(v, v))
{
    using Value = std::decay_t<Given>;

    details::check<Group, Value, Op>();
    details::begin(g, sizeof(Value));
    return details::scan(g, Value(v), op);
}

/* A sum of integers is the inclusive one less the thread's own value. Others take one more shuffle,
 * and the first thread gets Value(). */
template <class Group, class Given, class Op = plus<std::decay_t<Given>>>
SIMT_INLINE auto exclusive_scan(const Group &g, Given &&v, Op &&op = Op()) -> decltype(op(v, v))
{
    using Value = std::decay_t<Given>;
    const Value own = v; // one load: shuffles follow
    Value sum = inclusive_scan(g, own, op);

    if constexpr (std::is_same<std::decay_t<Op>, plus<Value>>::value &&
                  std::is_integral<Value>::value)
        return (Value)(sum - own);
    Value before = g.shfl_up(sum, 1);
    return details::either(g.thread_rank() == 0, before, Value());
}

} // namespace cooperative_groups
