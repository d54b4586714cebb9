/* Where everything is, and the folder in which a student's program is compiled and runs. */
#ifndef PLACES_H
#define PLACES_H

/* Absolute paths without links: the repository, and a folder of the marker's own, in which the
 * student's file lies as main.cu. */
extern struct places {
    const char *root, *work;
} places;

/* Finds the repository. */
void places_find(void);

/* Makes work, with a copy of file, which is a regular file of at most 1 MiB; where that fails, ends
 * the program (text_fail). places_clean leaves only main.cu and the compiled program in it,
 * places_remove not even that. */
void places_make(const char *file);
void places_clean(void);
void places_remove(void);

#endif
