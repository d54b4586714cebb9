/* Looks through the machine code of a block's end. A full decoder is not needed: the jump is the
 * instruction whose bytes say "conditional jump" and whose destination is where a known block
 * begins. */
#include "watch/jump.h"
#include "watch/code.h"

#include <stdbool.h>
#include <string.h>

/* How far behind a block's begin its hook may be called, and behind the last hook its end may lie.
 */
enum { MAX_PROLOGUE = 64, MAX_BLOCK = 512 };

#ifdef __x86_64__
enum { CALL_BYTES = 5 };

/* Length of a conditional jump at code, 0 if there is none; *distance from its end. */
static int conditional_jump(const unsigned char *code, int32_t *distance)
{
    if (code[0] >= 0x70 && code[0] <= 0x7f) {
        *distance = (signed char)code[1];
        return 2;
    }
    if (code[0] == 0x0f && code[1] >= 0x80 && code[1] <= 0x8f) {
        memcpy(distance, code + 2, sizeof *distance);
        return 6;
    }
    return 0;
}
enum { STEP = 1 };
#else
enum { CALL_BYTES = 4 };

/* b.cond, cbz and cbnz have 19 bits of distance in words, tbz and tbnz 14. */
static int conditional_jump(const unsigned char *code, int32_t *distance)
{
    uint32_t word;
    memcpy(&word, code, sizeof word);
    if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
        *distance = ((int32_t)(word << 8) >> 13) * 4 - 4;
    else if ((word & 0x7e000000) == 0x36000000)
        *distance = ((int32_t)(word << 13) >> 18) * 4 - 4;
    else
        return 0;
    return 4;
}
enum { STEP = 4 };
#endif

static bool begins_block(int64_t destination, uint32_t hook)
{
    int64_t call = (int64_t)hook - CALL_BYTES;
    return destination <= call && destination > call - MAX_PROLOGUE;
}

uint32_t jump_place(uint32_t from, const uint32_t targets[2])
{
    for (uint32_t at = from; at < from + MAX_BLOCK; at += STEP) {
        const unsigned char *code = (const unsigned char *)code_address(at);
        int32_t distance = 0;
        int length = conditional_jump(code, &distance);
        int64_t destination = (int64_t)at + length + distance;
        if (length &&
            (begins_block(destination, targets[0]) || begins_block(destination, targets[1])))
            return at + (uint32_t)length;
    }
    return from;
}
