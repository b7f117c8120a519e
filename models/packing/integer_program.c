/*
 * integer_program.c - solves integer programs with GLPK
 *
 * GLPK keeps an environment per thread, and prints to the terminal by default.
 * This module switches printing off before each call, and frees the environment
 * with the program.  Therefore only one program may exist at a time.
 */
#include "models/packing/integer_program.h"

#include <glpk.h>
#include <math.h>

struct PackIntegerProgram {
    glp_prob *problem; /* owned: the problem of GLPK */
    /* Owned: the row and column (int) of each coefficient, counted from 1 as in
     * GLPK. */
    GArray *rows, *columns;
    GArray *times; /* owned: the coefficients (double) */
};

typedef struct {
    uint32_t n_nodes, max_nodes;
} Budget;

static const int no_index;
static const double no_times;

PackIntegerProgram *pack_integer_program_new(void)
{
    PackIntegerProgram *program = g_new0(PackIntegerProgram, 1);

    glp_term_out(GLP_OFF);
    program->problem = glp_create_prob();
    glp_set_obj_dir(program->problem, GLP_MAX);
    program->rows = g_array_new(FALSE, FALSE, sizeof(int));
    program->columns = g_array_new(FALSE, FALSE, sizeof(int));
    program->times = g_array_new(FALSE, FALSE, sizeof(double));
    /* GLPK ignores the elements at index 0. */
    g_array_append_val(program->rows, no_index);
    g_array_append_val(program->columns, no_index);
    g_array_append_val(program->times, no_times);
    return program;
}

void pack_integer_program_free(PackIntegerProgram *program)
{
    if (!program)
        return;
    glp_delete_prob(program->problem);
    glp_free_env();
    g_array_unref(program->rows);
    g_array_unref(program->columns);
    g_array_unref(program->times);
    g_free(program);
}

uint32_t pack_integer_program_add_constraint(PackIntegerProgram *program,
                                             double least, double most)
{
    int row = glp_add_rows(program->problem, 1);

    g_assert(least <= most);
    glp_set_row_bnds(program->problem, row, least < most ? GLP_DB : GLP_FX,
                     least, most);
    return (uint32_t)row - 1;
}

uint32_t pack_integer_program_add_variable(PackIntegerProgram *program,
                                           double gain, uint32_t most)
{
    int column = glp_add_cols(program->problem, 1);

    glp_set_col_kind(program->problem, column, GLP_IV);
    glp_set_col_bnds(program->problem, column, most > 0 ? GLP_DB : GLP_FX, 0,
                     most);
    glp_set_obj_coef(program->problem, column, gain);
    return (uint32_t)column - 1;
}

void pack_integer_program_set_coefficient(PackIntegerProgram *program,
                                          uint32_t row, uint32_t column,
                                          double times)
{
    int r = (int)row + 1, c = (int)column + 1;

    g_assert(r <= glp_get_num_rows(program->problem));
    g_assert(c <= glp_get_num_cols(program->problem));
    g_array_append_val(program->rows, r);
    g_array_append_val(program->columns, c);
    g_array_append_val(program->times, times);
}

/* Callback of GLPK: ends the search after a number of nodes.  A time limit
 * would make the result depend on the machine. */
static void stop_after_max_nodes(glp_tree *tree, void *data)
{
    Budget *budget = data;

    if (glp_ios_reason(tree) == GLP_ISELECT &&
        ++budget->n_nodes > budget->max_nodes)
        glp_ios_terminate(tree);
}

static PackProgramResult solve_integer_program_with_glpk(glp_prob *problem,
                                                         uint32_t max_nodes)
{
    Budget budget = { 0, max_nodes };
    glp_smcp simplex;
    glp_iocp search;
    int status;

    glp_init_smcp(&simplex);
    simplex.msg_lev = GLP_MSG_OFF;
    if (glp_simplex(problem, &simplex) != 0 ||
        glp_get_status(problem) != GLP_OPT)
        return PACK_PROGRAM_NONE;
    glp_init_iocp(&search);
    search.msg_lev = GLP_MSG_OFF;
    search.cb_func = stop_after_max_nodes;
    search.cb_info = &budget;
    status = glp_intopt(problem, &search);
    g_assert(status == 0 || status == GLP_ESTOP);
    status = glp_mip_status(problem);
    return status == GLP_OPT    ? PACK_PROGRAM_OPTIMAL
           : status == GLP_FEAS ? PACK_PROGRAM_FEASIBLE
                                : PACK_PROGRAM_NONE;
}

PackProgramResult pack_integer_program_solve(PackIntegerProgram *program,
                                             uint32_t max_nodes,
                                             uint32_t *ret_values)
{
    glp_prob *problem = program->problem;
    PackProgramResult found;

    glp_term_out(GLP_OFF);
    glp_load_matrix(problem, (int)program->rows->len - 1,
                    (const int *)(gconstpointer)program->rows->data,
                    (const int *)(gconstpointer)program->columns->data,
                    (const double *)(gconstpointer)program->times->data);
    found = solve_integer_program_with_glpk(problem, max_nodes);
    for (int c = 1;
         c <= glp_get_num_cols(problem) && found != PACK_PROGRAM_NONE; c++)
        ret_values[c - 1] = (uint32_t)lrint(glp_mip_col_val(problem, c));
    return found;
}
