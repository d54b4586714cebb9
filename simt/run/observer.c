/* The callbacks; and the end of a kernel that cannot go on. */
#include "run/observer.h"
#include "run/end.h"

struct observer simt_observer;

void observer_fatal(const struct fatal *fatal)
{
    const struct simt_site *site = &fatal->block->launch->site;

    OBSERVE(fatal, fatal);
    end_with(EXIT_BUG, "kernel %s, launched at %s:%d, cannot go on", site->kernel, site->file,
             site->line);
}
