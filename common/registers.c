/* Reads the table that make registers made (make/registers.py). */
#include "registers.h"
#include "elem.h"

#include <string.h>

enum { ANY_BLOCK = 0 };
static const int capabilities[] = {75, 80, 89, 90};
enum { CAPABILITIES = sizeof capabilities / sizeof *capabilities };

static const struct row {
    const char *program, *type;
    int block;
    const char *kernel;
    unsigned registers[CAPABILITIES];
} table[] = {
#include "registers_table.h"
};

static int column_of(int capability)
{
    int column = 0;

    while (column < CAPABILITIES && capabilities[column] != capability)
        column++;
    return column;
}

void registers_each(const char *program, int block, int major, int minor,
                    void (*take)(const char *kernel, unsigned registers))
{
    int column = column_of(10 * major + minor);

    if (column == CAPABILITIES)
        return;
    for (const struct row *row = table; row < table + sizeof table / sizeof *table; row++)
        if (strcmp(row->program, program) == 0 && strcmp(row->type, ELEM_NAME) == 0 &&
            (row->block == block || row->block == ANY_BLOCK))
            take(row->kernel, row->registers[column]);
}
