/* The time of the CPU's clock. */
#ifndef CLOCK_H
#define CLOCK_H

/* Milliseconds since some moment in the past; never goes back. */
double clock_ms(void);

#endif
