/* Functions of statistics that the C library has not. */
#define _GNU_SOURCE
#include "simt_device.h"

#include <math.h>

/* The y with erfc(y) = v: begun near it (Giles, "Approximating the erfinv function", 2010, of its
 * tail the leading term), then by Newton's method, which converges from below where erfc is convex.
 */
static double from_tail(double v)
{
    double w = -log(v * (2 - v)),
           y = sqrt(w) * (w < 1 ? 0.886 : 1 - 0.1 / (1 + w) - 0.15 * log(w) / w);

    for (int i = 0; i < 60; i++) {
        double step = (erfc(y) - v) * exp(y * y) * sqrt(M_PI) / 2;
        y += step;
        if (fabs(step) <= 1e-16 * fabs(y))
            break;
    }
    return y;
}

double simt_erfcinv(double v)
{
    if (!(v > 0 && v < 2))
        return v == 0 ? INFINITY : v == 2 ? -INFINITY : NAN;
    return v < 1 ? from_tail(v) : v > 1 ? -from_tail(2 - v) : 0;
}

/* Near 0 by Newton's method on erf itself: 1 - v would lose what makes v differ from 0. */
double simt_erfinv(double v)
{
    double y = v * sqrt(M_PI) / 2;

    if (fabs(v) > 0.5)
        return v > 0 ? simt_erfcinv(1 - v) : -simt_erfcinv(1 + v);
    for (int i = 0; i < 8; i++)
        y -= (erf(y) - v) * exp(y * y) * sqrt(M_PI) / 2;
    return y;
}
