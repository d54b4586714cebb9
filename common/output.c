/* Prints one run. Everything is printed at the end, so that a run that failed leaves no half of it.
 */
#include "output.h"
#include "op.h"
#include "value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Text in one of a few buffers, so that one printf may use several. */
static char *buffer(void)
{
    static char buffers[4][64];
    static int next;
    return buffers[next++ % 4];
}

static const char *with_commas(size_t n)
{
    char digits[32], *text = buffer(), *p = text;
    int length = snprintf(digits, sizeof digits, "%zu", n);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return text;
}

static const char *size_text(size_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    char *text = buffer();
    double size = (double)bytes;
    int unit = 0;

    for (; size >= 1024 && unit < 4; unit++)
        size /= 1024;
    snprintf(text, 64, "%.4g %s", size, units[unit]);
    return text;
}

static const char *sum_text(sum_t value)
{
    char *text = buffer();
    if (ELEM_IS_INT)
        snprintf(text, 64, "%d", (int)value);
    else
        snprintf(text, 64, "%.*g", sizeof(sum_t) == sizeof(float) ? 9 : 17, (double)value);
    return text;
}

/* "NVIDIA H200", or "2 x NVIDIA H200" */
static const char *device_text(const struct device *device)
{
    static char text[sizeof device->name + 16];

    if (device->count == 1)
        return device->name;
    snprintf(text, sizeof text, "%d x %s", device->count, device->name);
    return text;
}

static double gb_per_s(const struct run *run)
{
    return (double)run->opt.n * sizeof(elem_t) / run->timing.median_ms / 1e6;
}

/* Of all its devices; 0 if they do not tell */
static double peak_gb_per_s(const struct run *run)
{
    return run->device.count * run->device.peak_gb_per_s;
}

/* "NVIDIA H200, sm_90, 132 SMs, 4814 GB/s", or "CPU backend", which may name the GPU that it is
 * like: "CPU backend (NVIDIA H200)" */
static const char *platform_text(const struct device *device)
{
    static char text[400];

    if (backend->simulated)
        return device->name;
    int length = snprintf(text, sizeof text, "%s, sm_%d%d, %d SMs", device_text(device),
                          device->major, device->minor, device->multiprocessors);
    if (device->peak_gb_per_s > 0)
        snprintf(text + length, sizeof text - length, ", %.0f GB/s%s", device->peak_gb_per_s,
                 device->count == 1 ? "" : " each");
    return text;
}

static void print_title(const struct run *run)
{
    const char *right = platform_text(&run->device);
    char left[80];

    snprintf(left, sizeof left, "%s%s%s%s", run->program.number[0] ? "step " : "",
             run->program.number, run->program.number[0] ? "  " : "", run->program.title);
    if (strlen(right) <= 40)
        printf("%-39s %s\n", left, right);
    else
        printf("%s\n  %s\n", left, right);
}

/* Prints the faults beside the result, a line each that begins with lead. */
static void print_faults(FILE *file, const char *lead, const struct verdict *verdict)
{
    const struct change *change = &verdict->change;

    if (verdict->idle)
        fprintf(file, "%sa reduction launched no kernel: let the GPU reduce, not the host\n", lead);
    if (change->found)
        fprintf(file, "%sinput changed: in[%zu] was %s, is %s; keep it, or lab_main_in_place\n",
                lead, change->index, sum_text(value_of(change->was)),
                sum_text(value_of(change->is)));
}

static void print_result(const struct run *run)
{
    const struct verdict *verdict = &run->verdict;

    printf("  %s %s, expected %s   %s\n", OP_NAME, sum_text(run->result),
           sum_text(verdict_expected(&run->ref)), verdict_ok(verdict) ? "OK" : "WRONG");
    if (ELEM_IS_INT && run->ref.integer != (int64_t)verdict_expected(&run->ref))
        printf("  (the full sum, %lld, wraps modulo 2^32)\n", (long long)run->ref.integer);
    if (verdict->tolerance > 0)
        printf("  error %.3g, allowed %.3g; a plain loop on the CPU is off by %.3g\n",
               fabs(verdict->error), verdict->tolerance,
               fabs((double)run->ref.loop - run->ref.real));
}

static void print_times(const struct run *run)
{
    const struct timing *t = &run->timing;

    printf("  %.4g ms (median of %d; min %.4g, max %.4g)\n", t->median_ms, t->reps, t->min_ms,
           t->max_ms);
    if (run->opt.n == 0)
        return;
    printf("  %.4g GB/s", gb_per_s(run));
    if (peak_gb_per_s(run) > 0)
        printf(", %.1f %% of peak", 100 * gb_per_s(run) / peak_gb_per_s(run));
    printf(", %.3gx the CPU (one core, %.4g ms)\n", run->ref.loop_ms / t->median_ms,
           run->ref.loop_ms);
}

static void print_lines(const struct run *run)
{
    print_title(run);
    printf("  n = %s %s (%s)", with_commas(run->opt.n), ELEM_NAME,
           size_text(run->opt.n * sizeof(elem_t)));
    if (run->block)
        printf(", blocks of %d", run->block);
    if (run->timing.reps > 0)
        printf(", %s cache (L2: %s)%s", run->opt.hot ? "hot" : "cold",
               size_text(run->device.l2_bytes), run->opt.gate ? ", behind the gate" : "");
    printf("\n");
    if (run->library[0])
        printf("  by %s\n", run->library);
    print_result(run);
    print_faults(stdout, "  ", &run->verdict);
    if (run->timing.reps > 0 && verdict_ok(&run->verdict))
        print_times(run);
}

static void print_csv(const struct run *run)
{
    const struct timing *t = &run->timing;

    printf("step,name,library,backend,device,type,block,n,reps,cache,median_ms,min_ms,max_ms,"
           "gb_per_s,peak_gb_per_s,pct_of_peak,result,expected,verified\n");
    printf("%s,%s,%s,%s,%s,%s,%d,%zu,%d,%s,", run->program.number, run->program.name, run->library,
           backend->name, device_text(&run->device), ELEM_NAME, run->block, run->opt.n, t->reps,
           run->opt.gate  ? "gate"
           : run->opt.hot ? "hot"
                          : "cold");
    if (t->reps > 0)
        printf("%.6f,%.6f,%.6f,%.6g,", t->median_ms, t->min_ms, t->max_ms, gb_per_s(run));
    else
        printf(",,,,");
    if (peak_gb_per_s(run) > 0)
        printf("%.1f", peak_gb_per_s(run));
    printf(",");
    if (t->reps > 0 && peak_gb_per_s(run) > 0)
        printf("%.6g", 100 * gb_per_s(run) / peak_gb_per_s(run));
    printf(",%s,%s,%s\n", sum_text(run->result), sum_text(verdict_expected(&run->ref)),
           verdict_ok(&run->verdict) ? "yes" : "no");
}

void output_print(const struct run *run)
{
    char lead[sizeof run->program.program + 2];

    snprintf(lead, sizeof lead, "%s: ", run->program.program);
    if (run->opt.counters == COUNTERS_CSV) {
        backend_print_counters(COUNTERS_CSV, run->program.number);
        if (!run->verdict.right)
            fprintf(stderr, "%sthe result was WRONG\n", lead);
        print_faults(stderr, lead, &run->verdict);
    } else if (run->opt.csv) {
        print_csv(run);
        print_faults(stderr, lead, &run->verdict);
    } else {
        print_lines(run);
        if (run->opt.n > 0)
            backend_print_counters(run->opt.counters, run->program.number);
    }
}
