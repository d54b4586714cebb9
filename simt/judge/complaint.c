/* Makes findings of wrong calls, of errors that nobody looked at, and of launches whose number of
 * blocks and number of threads were exchanged.
 *
 * Rule of the latter (a note): <<<blocks, threads>>> seems to be meant the other way round if
 *   - a block has fewer threads than a warp, and there are as many blocks as a block has threads: a
 *     multiple of 32, at most 1024; and
 *   - some blocks touched no memory, but so few that the exchanged launch would have no such block;
 *     or each block's dynamic shared memory has 1 to 16 bytes for each of the blocks.
 *
 * Source: CUDA C++ Programming Guide, "Execution Configuration". */
#include "judge/judge.h"
#include "run/runtime.h"

/* The text of a refusal and, if it is about freed memory, where that was freed. */
static void say_why(struct finding *finding, const struct complaint *refusal)
{
    struct source_line freed =
        refusal->freed ? source_line_at(code_offset(refusal->freed)) : (struct source_line){"", 0};

    finding_write(finding, refusal->freed ? "%s (freed at %s:%d)." : "%s", refusal->text,
                  freed.file, freed.line);
}

void complaint_judge(const struct complaint *complaint)
{
    const struct lane *lane = complaint->lane;
    enum finding_kind kind = complaint->kind;
    unsigned operation = kinds[kind].family == KIND_WARP ? EVENT_SHUFFLE : EVENT_KINDS;
    struct finding finding = {.kind = kind, .actors = complaint->pc != NULL};

    if (lane)
        finding = finding_of(kind, lane, code_offset(complaint->pc), operation, 0);
    else if (complaint->pc)
        finding.actor[0] = finding_host(complaint->pc, operation, 0);
    else
        finding.launch.site = complaint->site;
    say_why(&finding, complaint);
    finding_add(&finding);
}

/* ---- the program's end ---- */

static void tell_unseen(const struct refusal *unseen)
{
    struct finding finding = {
        .kind = FINDING_UNSEEN_ERROR, .launch.site = unseen->site, .behind = unseen->behind};

    finding_write(&finding, "The %s %s (%s).%s",
                  unseen->site.kernel[0] ? "launch failed and ran nothing:" : "call failed:",
                  cudaGetErrorString(unseen->error), cudaGetErrorName(unseen->error),
                  unseen->why.text[0] ? " " : "");
    say_why(&finding, &unseen->why);
    finding_add(&finding);
}

/* An error that nobody looked at is a finding, with the reason if it is known. Other refused calls
 * are notes, but only if the program ends with an error or asked for an error's text: else it meant
 * them to be refused. What the last kernel printed is not shown (Guide, "Formatted Output"). */
void complaint_program_end(int status)
{
    size_t count;
    const struct refusal *refusals = error_refusals(&count);
    bool failed = status != 0 || error_was_told;

    for (size_t i = 0; i < count; i++)
        if (refusals[i].unseen)
            tell_unseen(&refusals[i]);
    for (size_t i = 0; i < count && failed; i++)
        if (!refusals[i].unseen && refusals[i].why.text[0])
            complaint_judge(&refusals[i].why);
    if (async_printed.file) {
        struct finding finding = {.kind = FINDING_FORMAT, .launch.site = async_printed};
        finding_say(&finding, "The program ends without waiting for the kernel, which prints.");
    }
}

/* ---- exchanged launches ---- */

static size_t idle_blocks; /* blocks of this launch that touched no memory */

void complaint_block_end(bool touched)
{
    idle_blocks += !touched;
}

/* Is the dynamic shared memory 1 to 16 bytes for each block, as if blocks were threads, and more
 * than that for each thread? */
static bool fits_exchanged(const struct launch *launch)
{
    size_t each = launch->shared / launch->grid.x;

    return launch->shared % launch->grid.x == 0 && each >= 1 && each <= 16 &&
           (each & (each - 1)) == 0 && launch->shared > 16 * (size_t)launch->block.x;
}

void complaint_launch_end(const struct launch *launch)
{
    unsigned blocks = launch->grid.x, threads = launch->block.x;
    struct finding finding = {.kind = FINDING_EXCHANGED, .launch = *launch};
    size_t idle = idle_blocks;

    idle_blocks = 0;
    bool likely = launch->blocks == blocks && launch->threads == threads && threads < WARP_SIZE &&
                  blocks % WARP_SIZE == 0 && blocks <= MAX_LANES;

    if (!likely || idle == blocks ||
        ((idle == 0 || idle * threads >= blocks) && !fits_exchanged(launch)))
        return;
    finding_write(&finding, "%u blocks of %u thread%s", blocks, threads, threads > 1 ? "s" : "");
    finding_say(&finding, idle ? ", of which %zu blocks touched no memory." : ".", idle);
}
