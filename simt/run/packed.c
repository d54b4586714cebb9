/* Integers packed into 32 bits: four of 8 or two of 16 (__vadd4, __vmaxs2). */
#include "simt_device.h"

static long long clamp(long long v, long long least, long long most)
{
    return v < least ? least : v > most ? most : v;
}

/* Of one lane. Source: PTX ISA, vadd2 and its like; a comparison gives all ones. */
static long long of_lane(enum simt_packed op, long long a, long long b, long long least,
                         long long most)
{
    switch (op) {
    case SIMT_PACKED_ADD: return a + b;
    case SIMT_PACKED_SUB: return a - b;
    case SIMT_PACKED_ADD_CLAMPED: return clamp(a + b, least, most);
    case SIMT_PACKED_SUB_CLAMPED: return clamp(a - b, least, most);
    case SIMT_PACKED_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
    case SIMT_PACKED_HALF_SUM: return (a + b) >> 1;
    case SIMT_PACKED_DIFFERENCE: return a > b ? a - b : b - a;
    case SIMT_PACKED_MAX: return a > b ? a : b;
    case SIMT_PACKED_MIN: return a < b ? a : b;
    case SIMT_PACKED_EQ: return -(a == b);
    case SIMT_PACKED_NE: return -(a != b);
    case SIMT_PACKED_GE: return -(a >= b);
    case SIMT_PACKED_GT: return -(a > b);
    case SIMT_PACKED_LE: return -(a <= b);
    default: return -(a < b);
    }
}

unsigned simt_packed(enum simt_packed op, unsigned bits, bool is_signed, unsigned a, unsigned b)
{
    unsigned long long ones = (1ull << bits) - 1, result = 0;
    long long half = is_signed ? 1ll << (bits - 1) : 0, most = (long long)ones - half;

    for (unsigned at = 0; at < 32; at += bits) {
        /* the highest bit of a signed one turned, and its weight taken off again */
        long long x = (long long)((a >> at & ones) ^ (unsigned long long)half) - half;
        long long y = (long long)((b >> at & ones) ^ (unsigned long long)half) - half;
        result |= ((unsigned long long)of_lane(op, x, y, -half, most) & ones) << at;
    }
    return (unsigned)result;
}
