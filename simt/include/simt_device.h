/* What a kernel calls: the C interface between compiled CUDA code and the CPU backend's library.
 * cuda_runtime.h gives these functions CUDA's names. They belong to the thread that calls them:
 * outside a kernel they must not be called. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include "cuda_runtime_api.h"
#include "vector_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a launch stands in the source. The strings are literals. */
struct simt_site {
    const char *kernel, *file;
    int line;
    const void *function SIMT_DEFAULT(0); /* of a kernel that is a variable: what it points to */
    const char *within SIMT_DEFAULT(0);   /* of a launch within a template: __PRETTY_FUNCTION__ */
};

/* Runs entry(args) once per thread of the grid and returns when all blocks have ended. A bad
 * configuration launches nothing and becomes the last error, as in CUDA. kernel: its function, or
 * NULL; shared: bytes of dynamic shared memory per block. */
void simt_launch(const struct simt_site *site, const void *kernel, dim3 grid, dim3 block,
                 size_t shared, cudaStream_t stream, void (*entry)(void *), void *args);

/* What a launch gives: cudaSuccess, or CUDA's error, which is then also the last one. All blocks of
 * a cooperative one run at the same time. */
cudaError_t simt_check_launch(const struct simt_site *site, const void *kernel, dim3 grid,
                              dim3 block, size_t shared, bool cooperative);

/* What a launch with attributes gives; the launch that follows has them. */
cudaError_t simt_check_attributes(const struct simt_site *site, const void *kernel,
                                  const cudaLaunchConfig_t *config);

/* A pointer is about to be handed to a kernel: told if it is the host's address of a __device__
 * variable. */
void simt_argument(const struct simt_site *site, const void *ptr);

/* The host hands these bytes to the device, and takes them back, a whole number of pointers among
 * others: those to functions, which a kernel cannot call unless the host has them from the device;
 * has_tables: and those to tables of virtual functions. */
void simt_hand_over(void *bytes, size_t size, bool has_tables);
void simt_take_back(void *bytes, size_t size);

/* Ends the program: the kernel's parameters take more bytes than a GPU takes. */
void simt_large_parameters(const struct simt_site *site, size_t bytes);

/* A call at site returned error, and the program threw it away, or overwrites it next. */
void simt_discard(const struct simt_site *site, cudaError_t error);

/* The block's dynamic shared memory: what `extern __shared__ T s[]` names. */
extern __thread char simt_dynamic_shared[];

/* threadIdx, blockIdx, blockDim, gridDim. They cannot change while a thread lives, hence const.
 * What throws nothing does not end a basic block, of which each costs a hook. */
uint3 simt_thread_idx(void) __attribute__((const, nothrow));
uint3 simt_block_idx(void) __attribute__((const, nothrow));
/* The same, one by one (axis: 0 for x, 1 for y, 2 for z), since the compiler takes only what fits a
 * register out of a loop. Not so threadIdx: s[threadIdx.x] shall be an access wherever it stands.
 */
unsigned simt_block_dim_at(unsigned axis) __attribute__((const, nothrow));
unsigned simt_grid_dim_at(unsigned axis) __attribute__((const, nothrow));

/* The thread's number in its block. */
unsigned simt_thread_rank(void) __attribute__((const, nothrow));

/* __syncthreads; and its three voting forms, which return the number of threads whose predicate was
 * not 0, from which _and and _or follow. number: of several on one source line each has another,
 * below 32.
 * What throws nothing does not end a basic block, of which each costs a hook. */
void simt_syncthreads(int number) __attribute__((nothrow));
int simt_syncthreads_vote(int predicate, int number) __attribute__((nothrow));
void simt_sync_block(void) __attribute__((nothrow)); /* a block's or a grid's sync() */

/* Warp operations. Every living lane of mask must call the same operation with the same mask;
 * each gets its result when the last has come. Values travel as 64 bits. */
enum simt_warp_op {
    SIMT_SYNCWARP,
    SIMT_SHFL_IDX,
    SIMT_SHFL_UP,
    SIMT_SHFL_DOWN,
    SIMT_SHFL_XOR,
    SIMT_BALLOT, /* these three differ in nothing but their names */
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

/* lane: source lane, delta or lane mask of a shuffle; width: lanes per segment, a power of two up
 * to 32. Both are ignored by the other operations. */
uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int lane, int width)
    __attribute__((nothrow));

/* The same of a group of lanes (cooperative_groups.h), as which it is told; all lanes of the mask
 * must come. It counts as so many instructions, a shuffle as one for each four bytes. A shuffle
 * gives value the bytes of the lane whose rank in the group is `by` (SIMT_SHFL_IDX), or is off by
 * it; of a tile modulo its size. */
enum simt_group { SIMT_NO_GROUP, SIMT_TILE, SIMT_COALESCED };
uint64_t simt_group_vote(enum simt_group group, enum simt_warp_op op, unsigned mask, uint64_t value,
                         unsigned instructions) __attribute__((nothrow));
void simt_group_move(enum simt_group group, enum simt_warp_op op, unsigned mask, void *value,
                     size_t size, int by) __attribute__((nothrow));

/* Where several shuffles of a part of a warp follow each other a GPU looks first whether its lanes
 * are together: counts as a match and a reduction. */
void simt_group_looks(void) __attribute__((nothrow));

/* The ranks that those lanes have in a group of lanes; and the lanes of those ranks. */
unsigned simt_lanes_of(unsigned ranks, unsigned group) __attribute__((const, nothrow));
unsigned simt_ranks_of(unsigned lanes, unsigned group) __attribute__((const, nothrow));

/* The barrier of a grid. Of each block that has met at a barrier of its own thread 0 comes: it
 * changes the word by an atomic, behind a fence, says that it has, and waits until all blocks have
 * come. In a launch that is not cooperative the word ends the program. */
bool simt_grid_is_cooperative(void) __attribute__((nothrow));
unsigned *simt_grid_word(void) __attribute__((nothrow));
unsigned simt_grid_arrive(void) __attribute__((nothrow));
void simt_grid_wait(unsigned arrived, const unsigned *word) __attribute__((nothrow));

/* Copies that a thread begins (cooperative_groups/memcpy_async.h): would a GPU make one between
 * these as it goes on, from global to shared memory? If so, later: when the thread waits for all
 * but the last few of its calls that have begun copies. */
bool simt_copies_late(const void *to, const void *from) __attribute__((nothrow));
void simt_copy_later(void *to, const void *from, unsigned size) __attribute__((nothrow));
void simt_copies_begun(void) __attribute__((nothrow));
void simt_copies_wait(unsigned but) __attribute__((nothrow));

/* __activemask: the lanes that stand here together, once every other lane waits elsewhere. */
unsigned simt_active_mask(void);

/* The mask of the thread's next warp operation is __activemask()'s, and the program has not looked
 * at it. */
void simt_unseen_mask(void);

/* memset, memmove and memcmp, seen as accesses of the calling thread; the host may call them, too.
 */
void *simt_memset(void *to, int byte, size_t size);
void *simt_memmove(void *to, const void *from, size_t size);
int simt_memcmp(const void *a, const void *b, size_t size);

/* The host's free and delete: of what is the device's the observer is told. */
void simt_free(void *ptr);
void simt_delete(void *ptr);
void simt_delete_array(void *ptr);

/* How many bytes there are from `to` and `from` on, as far as the compiler knows, else SIZE_MAX:
 * for the copy that this host thread does next. Another call, with NULL and 0, ends that. */
void simt_host_sides(const void *to, size_t to_bytes, const void *from, size_t from_bytes);

/* cudaMemcpyToSymbol and its like, of that name: between a variable, from its byte `offset` on, and
 * other memory. */
cudaError_t simt_copy_symbol(const char *name, const void *variable, const void *other, size_t size,
                             size_t offset, enum cudaMemcpyKind kind, bool to_symbol, bool async,
                             cudaStream_t stream);

/* A number as an integer of so many bits, as a GPU converts it: the nearest that fits. wide: one of
 * the two has 64 bits, which matters for NaN. */
long long simt_to_signed(double v, unsigned bits, bool wide) __attribute__((const, nothrow));
unsigned long long simt_to_unsigned(double v, unsigned bits, bool wide)
    __attribute__((const, nothrow));

/* A number of so many bits is shifted by that many or more. */
void simt_wide_shift(long long count, unsigned width) __attribute__((nothrow, cold));

/* A number shifted by so many bits; is_signed: to the right its sign follows. */
uint64_t simt_shift_left(uint64_t v, unsigned count, bool is_signed)
    __attribute__((const, nothrow));
uint64_t simt_shift_right(uint64_t v, unsigned count, bool is_signed)
    __attribute__((const, nothrow));

/* printf in code that kernels call, too. Of a kernel it returns how many arguments it has taken. */
int simt_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets other threads run: for loops that wait for another thread's store. */
void simt_pause(void);

/* Ends the program with status 4, as a kernel's __trap() ends a launch. */
void simt_trap(void) __attribute__((noreturn));

/* Atomics are sequentially consistent, which is more than CUDA promises. Values travel as their
 * bits; the bits above their 2, 4 or 8 bytes are 0. */
enum simt_atomic_op {
    SIMT_ATOMIC_ADD,
    SIMT_ATOMIC_ADD_FLOAT,
    SIMT_ATOMIC_ADD_HALF, /* one of 2 bytes, or two of them in 4 */
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

/* How a call is written (compile/calls.c). simt_atomic_form says it of the thread's next atomic. */
enum simt_atomic_form {
    SIMT_ONE_ADDRESS = 1, /* the address does not depend on threadIdx: a warp's lanes share it */
    SIMT_ONE_VALUE = 2,   /* nor does the value */
    SIMT_UNUSED = 4       /* nothing uses the result */
};
void simt_atomic_form(unsigned form) __attribute__((nothrow));

/* Makes the atomic on the word of `size` bytes at p, with the operand v, and returns the old value.
 * expected: what a compare-and-swap compares with. is_constant: the compiler knows v. */
uint64_t simt_atomic(enum simt_atomic_op op, void *p, unsigned size, uint64_t expected, uint64_t v,
                     bool is_constant);

/* Two-byte floats (cuda_fp16.h, cuda_bf16.h), of either kind; the host may call these, too. A
 * number of either is a double, exactly, and a double is rounded to it: to the nearest (of two that
 * are as near the even one), towards zero, down or up. A NaN becomes 0x7fff. */
enum simt_rounding { SIMT_NEAREST, SIMT_TO_ZERO, SIMT_DOWN, SIMT_UP };
double simt_from_narrow(unsigned short bits, bool half);
unsigned short simt_to_narrow(double value, bool half, enum simt_rounding rounding);

/* The same as a float, whose bits, of a NaN, are those that a GPU's conversion gives. */
float simt_narrow_to_float(unsigned short bits, bool half);

/* a * b + c of such numbers, in a double that rounds to them as the exact result would. */
double simt_narrow_fma(double a, double b, double c);

/* Arithmetic and conversions with a rounding of their own (run/round.c); c is of SIMT_FMA alone, b
 * not of SIMT_ROOT. */
enum simt_arithmetic { SIMT_PLUS, SIMT_MINUS, SIMT_TIMES, SIMT_OVER, SIMT_ROOT, SIMT_FMA };
#define SIMT_ROUNDED(type, name, ...) type name(__VA_ARGS__) __attribute__((const, nothrow))
SIMT_ROUNDED(float, simt_float, enum simt_arithmetic op, enum simt_rounding rounding, float a,
             float b, float c);
SIMT_ROUNDED(double, simt_double, enum simt_arithmetic op, enum simt_rounding rounding, double a,
             double b, double c);
SIMT_ROUNDED(float, simt_float_of_double, enum simt_rounding rounding, double v);
SIMT_ROUNDED(float, simt_float_of_signed, enum simt_rounding rounding, long long v);
SIMT_ROUNDED(float, simt_float_of_unsigned, enum simt_rounding rounding, unsigned long long v);
SIMT_ROUNDED(double, simt_double_of_signed, enum simt_rounding rounding, long long v);
SIMT_ROUNDED(double, simt_double_of_unsigned, enum simt_rounding rounding, unsigned long long v);
#undef SIMT_ROUNDED

/* The numbers of so many bits, 8 or 16, that are packed into a and b, lane by lane. */
enum simt_packed {
    SIMT_PACKED_ADD,
    SIMT_PACKED_SUB,
    SIMT_PACKED_ADD_CLAMPED,
    SIMT_PACKED_SUB_CLAMPED,
    SIMT_PACKED_AVERAGE, /* halves away from zero */
    SIMT_PACKED_HALF_SUM,
    SIMT_PACKED_DIFFERENCE,
    SIMT_PACKED_MAX,
    SIMT_PACKED_MIN,
    SIMT_PACKED_EQ, /* and its like: all ones, or 0 */
    SIMT_PACKED_NE,
    SIMT_PACKED_GE,
    SIMT_PACKED_GT,
    SIMT_PACKED_LE,
    SIMT_PACKED_LT
};
unsigned simt_packed(enum simt_packed op, unsigned bits, bool is_signed, unsigned a, unsigned b)
    __attribute__((const, nothrow));

/* __threadfence_block (device 0), __threadfence and __threadfence_system (1). */
void simt_fence(int device);

/* The thread waits until the launch before has ended: cudaGridDependencySynchronize(). */
void simt_grid_dependency_wait(void);

/* The thread's next atomic is one that only its own block can rely on (atomicAdd_block). */
void simt_block_scope(void);

#ifdef __cplusplus
}
#endif
#endif
