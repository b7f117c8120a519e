/*
 * integer_program.h - integer linear programs: maximise a sum within limits
 *
 * This module is the only one that uses the solver.  It prints nothing, and the
 * result does not depend on time: a search that is too long ends after a number
 * of nodes, with the best solution so far.
 *
 * Owner    the caller owns the PackIntegerProgram
 */
#ifndef MODELS_PACKING_INTEGER_PROGRAM_H
#define MODELS_PACKING_INTEGER_PROGRAM_H

#include <glib.h>
#include <stdint.h>

typedef struct PackIntegerProgram PackIntegerProgram;

PackIntegerProgram *pack_integer_program_new(void);
void pack_integer_program_free(PackIntegerProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PackIntegerProgram, pack_integer_program_free)

/* Adds a constraint: a sum of columns from @least to @most.  Returns its
 * number, from 0. */
uint32_t pack_integer_program_add_constraint(PackIntegerProgram *program,
                                             double least, double most);

/* Adds an integer variable from 0 to @most, whose coefficient in the objective
 * is @gain.  Returns its number, from 0. */
uint32_t pack_integer_program_add_variable(PackIntegerProgram *program,
                                           double gain, uint32_t most);

/* Sets the coefficient of @column in @row to @times.  May be called once per
 * pair. */
void pack_integer_program_set_coefficient(PackIntegerProgram *program,
                                          uint32_t row, uint32_t column,
                                          double times);

typedef enum {
    /* No solution exists, or none was found within the limit of nodes. */
    PACK_PROGRAM_NONE,
    PACK_PROGRAM_FEASIBLE, /* a solution that may not be the maximum */
    PACK_PROGRAM_OPTIMAL,
} PackProgramResult;

/* Maximises the objective, with at most @max_nodes in the search.  Writes a
 * value for each column to @ret_values, unless the result is
 * PACK_PROGRAM_NONE. */
PackProgramResult pack_integer_program_solve(PackIntegerProgram *program,
                                             uint32_t max_nodes,
                                             uint32_t *ret_values);

#endif
