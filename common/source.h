/* Whether a program is older than its main.cu: a git checkout or a saved edit changes the source
 * alone. */
#ifndef SOURCE_H
#define SOURCE_H

/* Says so in a line on stderr. file: the main.cu, as __FILE__ names it. Silent where it is not
 * found: the program may have been copied without it. */
void source_check(const char *program, const char *file);

#endif
