/* The time of the CPU's clock. */
#ifndef CLOCK_H
#define CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since some moment in the past; never goes back. */
double clock_ms(void);

#ifdef __cplusplus
}
#endif

#endif
