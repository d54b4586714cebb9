/* Decodes the division that trapped. aarch64 has none that does. */
#define _GNU_SOURCE
#include "run/divide.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__

/* The registers as instructions number them. */
static const int register_of[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};

/* A DIV or IDIV: Intel's manual, volume 2, "Instruction Format". */
struct division {
    unsigned bytes; /* of the divisor */
    uint64_t divisor;
    const uint8_t *end; /* of the instruction */
};

static uint64_t read_register(const greg_t *r, unsigned number)
{
    return (uint64_t)r[register_of[number]];
}

static int32_t read_displacement(const uint8_t *at, unsigned bytes)
{
    int32_t wide = 0;

    if (bytes == 1)
        return (int8_t)*at;
    memcpy(&wide, at, bytes);
    return wide;
}

/* The address of a memory operand, whose ModRM byte is at *at; sets *at behind it. */
static uint64_t memory_operand(const greg_t *r, unsigned rex, const uint8_t **at)
{
    unsigned modrm = *(*at)++, mod = modrm >> 6, base = modrm & 7;
    uint64_t address = 0;
    bool no_base = mod == 0 && base == 5, relative = no_base;

    if (base == 4) { /* a SIB byte */
        unsigned sib = *(*at)++, index = (sib >> 3 & 7) | (rex & 2) << 2;
        base = sib & 7;
        no_base = mod == 0 && base == 5;
        if (index != 4)
            address += read_register(r, index) << (sib >> 6);
    }
    if (!no_base)
        address += read_register(r, base | (rex & 1) << 3);
    unsigned bytes = no_base || mod == 2 ? 4 : mod == 1;
    if (bytes)
        address += (uint64_t)(int64_t)read_displacement(*at, bytes);
    *at += bytes;
    return relative ? address + (uint64_t)(uintptr_t)*at : address;
}

static bool decode(const greg_t *r, struct division *division)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)r[REG_RIP];
    unsigned rex = 0;
    bool word = false;

    for (; *at == 0x66 || *at == 0x2e || *at == 0x3e || *at == 0xf2 || *at == 0xf3; at++)
        word |= *at == 0x66;
    if (*at >> 4 == 4)
        rex = *at++;
    if ((*at != 0xf6 && *at != 0xf7) || (at[1] >> 3 & 7) < 6)
        return false;
    division->bytes = *at++ == 0xf6 ? 1 : rex & 8 ? 8 : word ? 2 : 4;
    division->divisor = 0;
    if (*at >> 6 == 3) {
        unsigned number = (*at++ & 7) | (rex & 1) << 3;
        bool high = division->bytes == 1 && !rex && number >= 4; /* AH, CH, DH, BH */
        division->divisor = read_register(r, high ? number - 4 : number) >> (high ? 8 : 0);
        if (division->bytes < 8)
            division->divisor &= ((uint64_t)1 << 8 * division->bytes) - 1;
    } else {
        const void *from = (const void *)(uintptr_t)memory_operand(r, rex, &at);
        memcpy(&division->divisor, from, division->bytes);
    }
    division->end = at;
    return true;
}

/* Sets the low bytes of a register as an instruction of that width does. */
static void write_register(greg_t *r, unsigned bytes, uint64_t value)
{
    uint64_t mask = bytes == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes) - 1;
    uint64_t kept = bytes >= 4 ? 0 : (uint64_t)*r & ~mask;

    *r = (greg_t)(kept | (value & mask));
}

int divide_step_over(void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct division d;

    if (!decode(r, &d))
        return -1;
    bool by_zero = d.divisor == 0;
    uint64_t low = (uint64_t)r[REG_RAX], quotient = by_zero ? ~(uint64_t)0 : 0 - low;
    uint64_t remainder = by_zero ? low : 0;
    if (d.bytes == 1) { /* AL and AH */
        write_register(&r[REG_RAX], 2, (quotient & 0xff) | (remainder & 0xff) << 8);
    } else {
        write_register(&r[REG_RAX], d.bytes, quotient);
        write_register(&r[REG_RDX], d.bytes, remainder);
    }
    r[REG_RIP] = (greg_t)(uintptr_t)d.end;
    return by_zero;
}

#else

int divide_step_over(void *context)
{
    (void)context;
    return -1;
}

#endif
