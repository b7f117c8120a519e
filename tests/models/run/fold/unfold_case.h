/*
 * unfold_case.h - a random system, small enough for a full run
 *
 * A seed determines a case: a topology of the requested kind, any endpoint, and
 * a workload in which ranks have one role, or two or more. Numbers are few and
 * round, so that many events happen at the same picosecond. Errors of symmetry
 * reduction then show where messages meet.
 *
 * Owner    texts live as long as the
 * program */
#ifndef TESTS_MODELS_RUN_FOLD_UNFOLD_CASE_H
#define TESTS_MODELS_RUN_FOLD_UNFOLD_CASE_H

#include "tests/run_file_text.h"

#define UNFOLD_MAX_DIMS 3

typedef enum {
    /* The program has one role with single collectives or a training loop. */
    UNFOLD_LOOP,
    UNFOLD_GROUPS, /* The program has one role with several parallel groups. */
    /* The program has two roles that differ only in their kernels. */
    UNFOLD_ROLES,
    UNFOLD_STAGES,  /* The program has two stages of a pipeline. */
    UNFOLD_SERVERS, /* The program has one server for some workers. */
    /* The program has one or two roles whose collectives have lanes. */
    UNFOLD_LANES,
    /* The program has one or two roles with times per NPU, on queues. */
    UNFOLD_TIMES,
    UNFOLD_N_WORKS,
} UnfoldWork;

/* A topology as text, with the sizes that groups refer to. */
typedef struct {
    const char *text;
    uint32_t n_npus;
    /* The number of dimensions that a group may name; 0 for none. */
    uint32_t n_dims;
    uint32_t dims[UNFOLD_MAX_DIMS];
} UnfoldPlace;

typedef struct {
    uint64_t seed;
    UnfoldPlace place;
    UnfoldWork work;
    gboolean perturbed;
    Setup setup;
} UnfoldCase;

/* Returns whether cases of this kind of topology can be drawn. A new kind must
 * be added. */
gboolean unfold_draws_topology_kind(const char *kind);

void unfold_case_init(UnfoldCase *c, const char *kind, UnfoldWork work,
                      uint64_t seed);

/* Returns the workload of c->work on c->place. (Used by unfold_case.c.) */
const char *unfold_draw_workload_text(const UnfoldCase *c, GRand *rand);

/* Returns the workload of UNFOLD_TIMES. */
const char *unfold_recorded_program_text(const UnfoldPlace *place, GRand *rand);
/* Returns the `training` section for UNFOLD_TIMES. */
const char *unfold_replay_training_text(GRand *rand);
/* Returns a random group, such as "size: 2, stride: 4". */
const char *unfold_draw_group_text(const UnfoldPlace *place, GRand *rand);
/* Sets the NPUs of two random roles. Returns FALSE if there cannot be two. */
gboolean unfold_draw_two_roles(const UnfoldPlace *place, GRand *rand,
                               const char **first, const char **second);

/* Returns one of @n texts. */
const char *unfold_pick_text(GRand *rand, const char *const *from, gsize n);
#define UNFOLD_PICK(rand, from) unfold_pick_text(rand, from, G_N_ELEMENTS(from))

/* Returns a random number in [least, most]. */
static inline uint32_t unfold_draw_between(GRand *rand, uint32_t least,
                                           uint32_t most)
{
    return (uint32_t)g_rand_int_range(rand, (gint32)least, (gint32)most + 1);
}

#endif
