/*
 * program.h - integer programs: the most of a sum, within limits
 *
 * The only place that knows the solver.  Nothing is printed, and the answer
 * does not depend on time: a search that is too long ends after so many nodes
 * with the best found.
 *
 * Owner    the caller owns the PackProgram
 */
#ifndef MODELS_PACKING_PROGRAM_H
#define MODELS_PACKING_PROGRAM_H

#include <glib.h>
#include <stdint.h>

typedef struct PackProgram PackProgram;

PackProgram *pack_program_new(void);
void pack_program_free(PackProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackProgram, pack_program_free)

/* Returns its number, from 0: a sum of columns that is @least to @most. */
uint32_t pack_program_add_row(PackProgram *program, double least, double most);

/* Returns its number, from 0: a whole number, 0 to @most, that counts @gain. */
uint32_t pack_program_add_column(PackProgram *program, double gain,
                                 uint32_t most);

/* Column @column counts @times in row @row; once for a pair. */
void pack_program_set(PackProgram *program, uint32_t row, uint32_t column,
                      double times);

typedef enum {
    PACK_PROGRAM_NOTHING, /* was found within so many nodes, or nothing fits */
    PACK_PROGRAM_SOME,    /* that fits, and may not be the most */
    PACK_PROGRAM_MOST,
} PackProgramFound;

/* The most that columns can count together, at @max_nodes of the search.
 * @ret_values has a number for each column; with nothing it stays. */
PackProgramFound pack_program_solve(PackProgram *program, uint32_t max_nodes,
                                    uint32_t *ret_values);

#endif
