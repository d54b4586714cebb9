/* Races: two threads, one word, at least one writes, not both by atomics whose scopes hold both,
 * and nothing orders them (sync.h).
 *
 * A plain read is no race with atomics if its thread's next access to the word is an atomicCAS,
 * which looks whether it still holds. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "judge/finding.h"
#include "run/lane.h"

/* The race detector's state of one place (run/block.h). */
struct race;

/* shared_words: words of shared memory that accesses will name. Ends the program when memory is
 * short. */
struct race *race_new(size_t shared_words);

void race_block_begin(struct race *race, const struct block *block);
void race_block_end(struct race *race);

/* What a thread does to memory, told in the order in which it happens. word: of shared memory, or
 * of global memory as memory_word gives it, in which the access begins. kind and extra as in
 * event.h. */
struct touch {
    uintptr_t address;
    size_t word;
    bool shared, first; /* first: nobody had written some of its bytes (garbage.h) */
    unsigned thread, kind, size, extra;
    uint32_t pc;
};

/* Who makes it, as a finding tells it. */
static inline struct actor race_actor(const struct block *block, const struct touch *touch)
{
    return (struct actor){.pc = touch->pc,
                          .block = block_number(block),
                          .thread = (uint16_t)touch->thread,
                          .operation = (uint8_t)touch->kind,
                          .size = (uint8_t)touch->size};
}

/* Is it a plain load within a word that its block has not written since it met last, and that its
 * warp, or, where there are no fences, two other ones have read there? Then that is noted: whoever
 * races with it races with one of these. bytes: of the word. */
bool race_reads_again(struct race *race, bool shared, size_t word, unsigned thread, uint32_t pc,
                      unsigned bytes);

/* A plain access, about to be made; where there are no fences, any. True: race_settle is to be
 * called when it has been made. */
bool race_access(struct race *race, const struct touch *touch);

/* Where there are fences, an atomic or volatile access with this effect (EVENT_ORDER), which has
 * been made, but for a store. Returns the same. */
bool race_operation(struct race *race, const struct touch *touch, unsigned effect);

/* Lanes of a warp have stored to one word by one instruction: whether they stored the same can be
 * told when the last of them, this thread, has. */
void race_settle(struct race *race, unsigned thread);

/* An atomicCAS on the word, whose thread read it plainly just before, at read_pc, with no other
 * access to it in between. */
void race_excuse(struct race *race, unsigned thread, size_t word, bool shared, uint32_t read_pc);

void race_fence(struct race *race, unsigned thread, bool device);
void race_warp(struct race *race, unsigned warp, unsigned mask);
void race_barrier(struct race *race);

/* These words of global memory were freed: what is kept about them goes. */
void race_forget(size_t word, size_t words);

/* Was a word in a race, of the block's shared memory, or, if race is NULL, of global memory in that
 * launch? */
bool race_was_in_one(const struct race *race, size_t word, unsigned launch);

/* Did that launch touch these bytes (a mask) of a word of global memory in a way that whoever reads
 * it at the same time, or stores to it, may not? Kernels that look by volatile loads expect that.
 * *writes: it wrote them. */
bool race_touched(size_t word, unsigned bytes, unsigned launch, bool store, bool *writes);

/* Who wrote this word of global memory last in that launch; false: nobody, as far as is kept. */
bool race_last_writer(size_t word, unsigned launch, struct actor *writer);

/* The launch has ended, and so have its blocks: adds findings. */
void race_judge(const struct launch *launch);

#endif
