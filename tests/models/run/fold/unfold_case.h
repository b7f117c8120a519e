/*
 * unfold_case.h - a random system, small enough to be run in full
 *
 * A seed names a case: a topology of the kind asked for, any endpoint, and a
 * workload in which ranks are alike, or play two or more roles.  Numbers are
 * few and round, so that much happens at the same picosecond: what folding gets
 * wrong shows where messages meet.
 *
 * Owner    texts live as long as the program
 */
#ifndef TESTS_MODELS_RUN_FOLD_UNFOLD_CASE_H
#define TESTS_MODELS_RUN_FOLD_UNFOLD_CASE_H

#include "tests/setup_text.h"

#define UNFOLD_MAX_DIMS 3

typedef enum {
    UNFOLD_LOOP,    /* one role: collectives alone, or a training loop */
    UNFOLD_GROUPS,  /* one role, several groups at once */
    UNFOLD_ROLES,   /* two that differ in their kernels alone */
    UNFOLD_STAGES,  /* two of a pipeline */
    UNFOLD_SERVERS, /* a server to some workers */
    UNFOLD_LANES,   /* one role or two, whose collectives have lanes */
    UNFOLD_TIMES,   /* one or two whose times are by NPU, on queues */
    UNFOLD_N_WORKS,
} UnfoldWork;

/* A topology as text, and what groups have to know of it. */
typedef struct {
    const char *text;
    uint32_t n_npus;
    uint32_t n_dims; /* that a group may name; 0: none */
    uint32_t dims[UNFOLD_MAX_DIMS];
} UnfoldPlace;

typedef struct {
    uint64_t seed;
    UnfoldPlace place;
    UnfoldWork work;
    gboolean perturbed;
    Setup setup;
} UnfoldCase;

/* TRUE when places of this kind of topology can be drawn: a kind that is new
 * has to be added. */
gboolean unfold_knows(const char *kind);

void unfold_case_init(UnfoldCase *c, const char *kind, UnfoldWork work,
                      uint64_t seed);

/* For unfold_work.c: the workload of c->work on c->place. */
const char *unfold_work_text(const UnfoldCase *c, GRand *rand);

/* For unfold_times.c: of UNFOLD_TIMES, and the `training` that goes with it. */
const char *unfold_times_text(const UnfoldPlace *place, GRand *rand);
const char *unfold_times_training(GRand *rand);
/* For it, a group; and who has which of two roles, FALSE: there cannot be two.
 */
const char *unfold_group_text(const UnfoldPlace *place, GRand *rand);
gboolean unfold_two_roles(const UnfoldPlace *place, GRand *rand,
                          const char **first, const char **second);

/* One of @n texts. */
const char *unfold_pick(GRand *rand, const char *const *from, gsize n);
#define UNFOLD_PICK(rand, from) unfold_pick(rand, from, G_N_ELEMENTS(from))

/* In [least, most]. */
static inline uint32_t unfold_draw(GRand *rand, uint32_t least, uint32_t most)
{
    return (uint32_t)g_rand_int_range(rand, (gint32)least, (gint32)most + 1);
}

#endif
