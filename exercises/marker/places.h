/* Where everything is, and the folder in which a student's program is compiled and runs. */
#ifndef PLACES_H
#define PLACES_H

/* Absolute paths without links: the repository, the exercise, and a folder of the marker's own, in
 * which the student's file lies as main.cu. */
struct places {
    char root[4096], exercise[4096], work[4096];
};

/* Makes the folder, with a copy of file (NULL: exercise/main.cu), which is a regular file of at
 * most 1 MiB; where that fails, ends the program (text_fail). places_clean leaves only main.cu and
 * the compiled program in the folder, places_remove not even that. */
void places_make(struct places *p, const char *exercise, const char *file);
void places_clean(const struct places *p);
void places_remove(const struct places *p);

/* The exercise's name: that of its folder. */
const char *places_name(const struct places *p);

#endif
