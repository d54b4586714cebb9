/* Says what the checks will need of memory, where that is more than there is. */
#ifndef SIMT_NEED_H
#define SIMT_NEED_H

/* Something is to be launched. The first time that the records of all that is allocated (word.h)
 * do not fit into memory: a line on stderr. A kernel need not touch all, and it may end well: so
 * nothing else happens. */
void need_tell(void);

#endif
