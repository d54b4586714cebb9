/* Steering the CPU backend from a program: what the lab harness needs beyond CUDA's own API.
 * The environment (SIMT_THREADS) says the same for programs that know nothing of this header;
 * a call here wins. */
#ifndef SIMT_H
#define SIMT_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMT_MAX_THREADS = 16 };

/* OS threads over which blocks are spread, 1 to SIMT_MAX_THREADS; takes effect at the next launch. */
void simt_set_threads(int threads);
int simt_get_threads(void);

#ifdef __cplusplus
}
#endif
#endif
