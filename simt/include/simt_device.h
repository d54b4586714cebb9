/* The C interface between compiled CUDA code and the CPU backend's library. cuda_runtime.h gives
 * these functions CUDA's names. Unless a comment says that the host calls a function, only kernels
 * may: it then acts for the thread that calls it. */
#pragma once

#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- launches, by the host ---- */

/* The place of a launch in the source. The strings are literals. */
struct simt_site {
    const char *kernel; /* as the launch names it */
    const char *file;
    int line;
    const void *function SIMT_DEFAULT(0); /* of a kernel that is a variable: its value */
    const char *within SIMT_DEFAULT(0);   /* of a launch in a template: __PRETTY_FUNCTION__ */
};

/* Runs entry(args) once per thread of the grid, and returns when all blocks have ended. A wrong
 * configuration launches nothing; its error is returned, and becomes the last one, as in CUDA.
 * kernel: the kernel's function, or NULL. */
cudaError_t simt_launch(const struct simt_site *site, const void *kernel,
                        const cudaLaunchConfig_t *config, void (*entry)(void *), void *args);

/* Is it a kernel's pointer, as far as is known, and none to a function of the host's? */
bool simt_is_kernel(const void *function);

/* Complains of a launch's argument that is the host's address of a __device__ variable. */
void simt_argument(const struct simt_site *site, const void *ptr);

/* The host hands these bytes to the device, and takes them back. Pointers to functions in them, and
 * to tables of virtual functions, become marks (run/symbols.h), unless the host has them from the
 * device. */
void simt_hand_over(void *bytes, size_t size);
void simt_take_back(void *bytes, size_t size);

/* The program has thrown away the error of a call at this site, or overwrites it next. */
void simt_discard(const struct simt_site *site, cudaError_t error);

/* It throws away, or overwrites next, what the coming cudaGetLastError() returns. */
extern __thread bool simt_looks_away;

/* ---- where a thread is ---- */

/* The block's dynamic shared memory, which `extern __shared__ T s[]` names. */
extern __thread char simt_dynamic_shared[] __attribute__((tls_model("local-exec")));

/* threadIdx, blockIdx, blockDim and gridDim, one axis at a time (0 for x, 1 for y, 2 for z): of two
 * calls the compiler sees that they are one only if the value fits a register. They do not change
 * while a thread lives, hence const. A call that throws nothing does not end a basic block, and
 * each basic block costs a hook, hence nothrow. */
unsigned simt_thread_idx_at(unsigned axis) __attribute__((const, nothrow));
unsigned simt_block_idx_at(unsigned axis) __attribute__((const, nothrow));
unsigned simt_block_dim_at(unsigned axis) __attribute__((const, nothrow));
unsigned simt_grid_dim_at(unsigned axis) __attribute__((const, nothrow));

/* The thread's number in its block. */
unsigned simt_thread_rank(void) __attribute__((const, nothrow));

/* ---- barriers ---- */

/* __syncthreads, and its three voting forms. These return the number of threads whose predicate was
 * not 0, from which _and and _or follow. number: tells barriers on one line apart, below 32. */
void simt_syncthreads(int number) __attribute__((nothrow));
int simt_syncthreads_vote(int predicate, int number) __attribute__((nothrow));
void simt_sync_block(void) __attribute__((nothrow)); /* a block's or a grid's sync() */

/* ---- warp operations ---- */

/* Every living lane of the mask must call the same operation with the same mask. Each lane gets its
 * result when the last of them has come. Values travel as 64 bits. */
enum simt_warp_op {
    SIMT_SYNCWARP,
    SIMT_SHFL_IDX,
    SIMT_SHFL_UP,
    SIMT_SHFL_DOWN,
    SIMT_SHFL_XOR,
    SIMT_BALLOT, /* these three differ in their names alone */
    SIMT_ANY,
    SIMT_ALL,
    SIMT_MATCH_ANY,
    SIMT_MATCH_ALL,
    SIMT_ADD,
    SIMT_MIN_SIGNED,
    SIMT_MAX_SIGNED,
    SIMT_MIN_UNSIGNED,
    SIMT_MAX_UNSIGNED,
    SIMT_AND,
    SIMT_OR,
    SIMT_XOR
};

/* lane: the source lane, delta or lane mask of a shuffle. width: lanes per segment, a power of two
 * up to 32. Other operations ignore both. instructions: that a GPU executes for it, two for a
 * shuffle of 8 bytes. group: of a group of lanes (cooperative_groups.h) all lanes of the mask must
 * come, and findings call it a tile or a coalesced group. */
enum simt_group { SIMT_NO_GROUP, SIMT_TILE, SIMT_COALESCED };
uint64_t simt_warp(enum simt_group group, enum simt_warp_op op, unsigned mask, uint64_t value,
                   int lane, int width, unsigned instructions) __attribute__((nothrow));

/* A group's shuffle, an instruction for each four bytes: sets value to the bytes of another lane,
 * the one whose rank in the group is `by` (SIMT_SHFL_IDX), or whose rank differs by it; ranks of a
 * tile count modulo its size. */
void simt_group_move(enum simt_group group, enum simt_warp_op op, unsigned mask, void *value,
                     size_t size, int by) __attribute__((nothrow));

/* In front of several shuffles of a part of a warp, nvcc's code finds out whether the lanes are
 * together: counts a match and a reduction. */
void simt_group_looks(void) __attribute__((nothrow));

/* From ranks in a group of lanes to lanes, and back; all are masks. */
unsigned simt_lanes_of(unsigned ranks, unsigned group) __attribute__((const, nothrow));
unsigned simt_ranks_of(unsigned lanes, unsigned group) __attribute__((const, nothrow));

/* The barrier of a grid. When a block has met at a barrier of its own, its thread 0 passes a fence,
 * changes the word by an atomic, calls simt_grid_arrive, and then waits until all blocks have come.
 * In a launch that is not cooperative, simt_grid_word ends the program. */
bool simt_grid_is_cooperative(void) __attribute__((nothrow));
unsigned *simt_grid_word(void) __attribute__((nothrow));
unsigned simt_grid_arrive(void) __attribute__((nothrow));
void simt_grid_wait(unsigned arrived, const unsigned *word) __attribute__((nothrow));

/* memcpy_async (cooperative_groups/memcpy_async.h). simt_copies_late: does a GPU make a copy
 * between these addresses while the thread goes on, because it is from global to shared memory? If
 * so, simt_copy_later begins the copy, and it is made when the thread waits. simt_copies_begun ends
 * a call of memcpy_async. simt_copies_wait waits for all but the last `but` calls. */
bool simt_copies_late(const void *to, const void *from) __attribute__((nothrow));
void simt_copy_later(void *to, const void *from, unsigned size) __attribute__((nothrow));
void simt_copies_begun(void) __attribute__((nothrow));
void simt_copies_wait(unsigned but) __attribute__((nothrow));

/* __activemask: the lanes that stand here together when all other lanes of the warp wait. */
unsigned simt_active_mask(void);

/* ---- memory, also for the host ---- */

/* memset, memmove and memcmp, which count as accesses of the calling thread. */
void *simt_memset(void *to, int byte, size_t size);
void *simt_memmove(void *to, const void *from, size_t size);
int simt_memcmp(const void *a, const void *b, size_t size);

/* The host's free and delete. They complain about device memory. */
void simt_free(void *ptr);
void simt_delete(void *ptr);
void simt_delete_array(void *ptr);

/* The compiler knows that an array has so many bytes from the destination of this host thread's
 * next copies on, and from their source on; SIZE_MAX: it does not. */
void simt_host_sides(size_t to, size_t from);

/* cudaMemcpyToSymbol and the like: copies between a variable, from its byte `offset` on, and other
 * memory. name: the call's. */
cudaError_t simt_copy_symbol(const char *name, const void *variable, const void *other, size_t size,
                             size_t offset, enum cudaMemcpyKind kind, bool to_symbol, bool async,
                             cudaStream_t stream);

/* ---- arithmetic (run/arithmetic.c) ---- */

/* Converts a number to an integer of so many bits as a GPU does: to the nearest one that fits.
 * wide: the number or the integer has 64 bits, which matters for NaN. */
long long simt_to_signed(double v, unsigned bits, bool wide) __attribute__((const, nothrow));
unsigned long long simt_to_unsigned(double v, unsigned bits, bool wide)
    __attribute__((const, nothrow));

/* A number of `width` bits is shifted by `width` or more. */
void simt_wide_shift(long long count, unsigned width) __attribute__((nothrow, cold));

/* Shifts a number by so many bits. is_signed: a shift to the right keeps the sign. */
uint64_t simt_shift_left(uint64_t v, unsigned count, bool is_signed)
    __attribute__((const, nothrow));
uint64_t simt_shift_right(uint64_t v, unsigned count, bool is_signed)
    __attribute__((const, nothrow));

/* ---- other calls ---- */

/* printf, also for the host. In a kernel it returns the number of arguments that it has taken. */
int simt_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets other threads run, in a loop that waits for one of them. */
void simt_pause(void);

/* Stands in front of a call of the C library's in a __host__ __device__ function. name: the callee.
 */
void simt_of_host(const char *name);

/* Ends the program with status 4, where a kernel's __trap() ends the launch on a GPU. */
void simt_trap(void) __attribute__((noreturn));

/* ---- atomics and fences ---- */

/* Atomics are sequentially consistent, which is more than CUDA promises. Values travel as their
 * bits; the bits above their 2, 4 or 8 bytes are 0. */
enum simt_atomic_op {
    SIMT_ATOMIC_ADD,
    SIMT_ATOMIC_ADD_FLOAT,
    SIMT_ATOMIC_ADD_HALF, /* in 2 bytes, or two of them in 4 */
    SIMT_ATOMIC_ADD_BFLOAT16,
    SIMT_ATOMIC_MIN_SIGNED,
    SIMT_ATOMIC_MAX_SIGNED,
    SIMT_ATOMIC_MIN,
    SIMT_ATOMIC_MAX,
    SIMT_ATOMIC_AND,
    SIMT_ATOMIC_OR,
    SIMT_ATOMIC_XOR,
    SIMT_ATOMIC_INC, /* old >= v ? 0 : old + 1 */
    SIMT_ATOMIC_DEC, /* old is 0 or > v ? v : old - 1 */
    SIMT_ATOMIC_EXCH,
    SIMT_ATOMIC_CAS
};

/* What the compiler says of the thread's next atomic or warp operation: how the call is written
 * (compile/calls.c). */
enum simt_form {
    SIMT_ONE_ADDRESS = 1, /* the address does not depend on threadIdx: a warp's lanes share it */
    SIMT_ONE_VALUE = 2,   /* nor does the value */
    SIMT_UNUSED = 4,      /* nothing uses the result */
    SIMT_LOOKED_AT = 8,   /* the result is assigned or compared */
    SIMT_OF_BLOCK = 16,   /* only its own block can rely on it (atomicAdd_block) */
    SIMT_UNSEEN_MASK = 32 /* the mask is __activemask()'s, and the program has not looked at it */
};
void simt_next(unsigned form) __attribute__((nothrow));

/* Makes the atomic on the word of `size` bytes at p, with the operand v, and returns the old value.
 * expected: what a compare-and-swap compares with. is_constant: the compiler knows v. */
uint64_t simt_atomic(enum simt_atomic_op op, void *p, unsigned size, uint64_t expected, uint64_t v,
                     bool is_constant);

/* ---- two-byte floats (cuda_fp16.h, cuda_bf16.h), also for the host ---- */

/* Each is exactly a float. A NaN has the bits that a GPU's conversion gives. */
float simt_narrow_to_float(unsigned short bits, bool half);

/* A double is rounded to such a number: to the nearest one (to the even one if two are equally
 * near), towards zero, down or up. A NaN becomes 0x7fff. */
enum simt_rounding { SIMT_NEAREST, SIMT_TO_ZERO, SIMT_DOWN, SIMT_UP };
unsigned short simt_to_narrow(double value, bool half, enum simt_rounding rounding);

/* a * b + c of such numbers, as a double that rounds to the same number as the exact result. */
double simt_narrow_fma(double a, double b, double c);

/* ---- more arithmetic (run/arithmetic.c) ---- */

/* With a rounding of its own. Only SIMT_FMA uses c; SIMT_ROOT uses a alone. */
enum simt_arithmetic { SIMT_PLUS, SIMT_MINUS, SIMT_TIMES, SIMT_OVER, SIMT_ROOT, SIMT_FMA };
#define SIMT_ROUNDED(type, name, ...) type name(__VA_ARGS__) __attribute__((const, nothrow))
SIMT_ROUNDED(float, simt_float, enum simt_arithmetic op, enum simt_rounding rounding, float a,
             float b, float c);
SIMT_ROUNDED(double, simt_double, enum simt_arithmetic op, enum simt_rounding rounding, double a,
             double b, double c);
/* Of a double or an integer, which a long double can represent. */
SIMT_ROUNDED(float, simt_to_float, enum simt_rounding rounding, long double v);
SIMT_ROUNDED(double, simt_to_double, enum simt_rounding rounding, long double v);
#undef SIMT_ROUNDED

/* OP(name, the result for a pair a and b) for each operation on packed integers; run/arithmetic.c
 * computes it. An average rounds halves away from zero; comparisons give all ones, or 0. */
#define SIMT_PACKED_OPERATIONS(OP)                                                                 \
    OP(ADD, a + b)                                                                                 \
    OP(SUB, a - b)                                                                                 \
    OP(ADD_CLAMPED, clamp(a + b, least, most))                                                     \
    OP(SUB_CLAMPED, clamp(a - b, least, most))                                                     \
    OP(AVERAGE, (a + b + (a + b >= 0)) >> 1)                                                       \
    OP(HALF_SUM, (a + b) >> 1)                                                                     \
    OP(DIFFERENCE, a > b ? a - b : b - a)                                                          \
    OP(MAX, a > b ? a : b)                                                                         \
    OP(MIN, a < b ? a : b)                                                                         \
    OP(EQ, -(a == b))                                                                              \
    OP(NE, -(a != b))                                                                              \
    OP(GE, -(a >= b))                                                                              \
    OP(GT, -(a > b))                                                                               \
    OP(LE, -(a <= b))                                                                              \
    OP(LT, -(a < b))
#define SIMT_PACKED_OP(name, result) SIMT_PACKED_##name,
enum simt_packed { SIMT_PACKED_OPERATIONS(SIMT_PACKED_OP) };

/* Applies an operation to each pair of integers, of 8 or 16 bits, that are packed into a and b. */
unsigned simt_packed(enum simt_packed op, unsigned bits, bool is_signed, unsigned a, unsigned b)
    __attribute__((const, nothrow));

/* __threadfence_block (device 0), __threadfence and __threadfence_system (1),
 * the barrier_arrive of a block (3). */
void simt_fence(int device);

/* cudaGridDependencySynchronize(): the thread waits until the launch before has ended. */
void simt_grid_dependency_wait(void);

#ifdef __cplusplus
}
#endif
