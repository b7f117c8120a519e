/*
 * algorithm_choice.h - chooses the algorithm of a collective from a table
 *
 * A row names the collectives to which it applies (kind, ranks of the group,
 * bytes of the payload) and their algorithm.  The first row that fits counts.
 * Without such a row, `algorithm` applies, which defaults to `auto`.
 *
 * `auto` is a table in algorithm_choice.c, in this order:
 *
 *     all-reduce in a switch that adds fast enough            in-switch
 *     all-to-all                                              direct
 *     shift                                                   shift
 *     barrier                                                 Bruck
 *     gather, scatter                                         linear
 *     broadcast, reduce on a torus, or on whole dimensions
 *         of a grid that are rings                            chain
 *     broadcast, reduce elsewhere                             double binary
 *                                                             tree
 *     others on a torus, or on such dimensions                ring, by
 *                                                             dimension for
 *                                                             whole ones
 *     several dimensions that are not all rings               hierarchical
 *     every pair has its own link                             direct
 *     n is a power of two                                     halving-doubling
 *     otherwise                                               ring
 *
 * `hierarchical` uses an algorithm for each dimension: that of `levels`, or by
 * `auto` one that suits its shape:
 *
 *     a switch that adds, if faster                           in-switch
 *     a ring or a line                                        ring
 *     every pair has its own link                             direct
 *     a switch                                                as above
 *
 * Units    bytes
 * Errors   CONFIG_ERROR at the row, or at the section
 * Owner    tables belong to the document
 */
#ifndef MODELS_COLLECTIVES_ALGORITHM_CHOICE_H
#define MODELS_COLLECTIVES_ALGORITHM_CHOICE_H

#include "models/collectives/algorithm.h"
#include "models/collectives/collective_request.h"

/* A row of the table of choices, as in the configuration. */
typedef struct {
    int collective; /* kind of collective: CollKind + 1; 0: any */
    uint64_t least_ranks, most_ranks;
    uint64_t least_bytes, most_bytes;
    int algorithm; /* index of the algorithm in coll_algorithm_names */
    /* Algorithms by dimension, the innermost first; the elements are int, as
     * .algorithm. */
    ConfigList levels;
    const ConfigNode *node;
} CollChoice;

#define COLL_CHOICE_MOST_BYTES_TEXT "1024 TiB"
#define COLL_CHOICE_MOST_BYTES      (UINT64_C(1) << 50)

/* The element of a configuration list of levels; it has the size of an int. */
extern const ConfigField coll_level_item;

/* The values of .collective: `any`, then coll_kind_names. */
extern const char *const coll_choice_kinds[];

/* The fields of a CollChoice that is the member .Member of @Struct. */
#define COLL_CHOICE_FIELDS(Struct, Member)                                     \
    { .key = "collective",                                                     \
      .help = "of which the row is",                                           \
      .type = CONFIG_ENUM,                                                     \
      .offset = offsetof(Struct, Member.collective),                           \
      .names = coll_choice_kinds,                                              \
      .fallback = "any",                                                       \
      .source = "assumed: no limit" },                                         \
        { .key = "least_ranks",                                                \
          .help = "of the group",                                              \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, Member.least_ranks),                      \
          .max = TOPOLOGY_MAX_NPUS,                                            \
          .fallback = "0",                                                     \
          .source = "assumed: no limit" },                                     \
        { .key = "most_ranks",                                                 \
          .help = "of the group",                                              \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, Member.most_ranks),                       \
          .max = TOPOLOGY_MAX_NPUS,                                            \
          .fallback = "16777216",                                              \
          .source = "assumed: no limit" },                                     \
        { .key = "least_bytes",                                                \
          .help = "of the payload",                                            \
          .type = CONFIG_BYTES,                                                \
          .offset = offsetof(Struct, Member.least_bytes),                      \
          .max = COLL_CHOICE_MOST_BYTES,                                       \
          .fallback = "0 B",                                                   \
          .source = "assumed: no limit" },                                     \
        { .key = "most_bytes",                                                 \
          .help = "of the payload",                                            \
          .type = CONFIG_BYTES,                                                \
          .offset = offsetof(Struct, Member.most_bytes),                       \
          .max = COLL_CHOICE_MOST_BYTES,                                       \
          .fallback = COLL_CHOICE_MOST_BYTES_TEXT,                             \
          .source = "assumed: no limit" },                                     \
        { .key = "algorithm",                                                  \
          .help = "that they take",                                            \
          .type = CONFIG_ENUM,                                                 \
          .offset = offsetof(Struct, Member.algorithm),                        \
          .names = coll_algorithm_names },                                     \
    {                                                                          \
        .key = "levels",                                                       \
        .help = "of `hierarchical`: what each dimension takes, inmost first",  \
        .type = CONFIG_LIST, .offset = offsetof(Struct, Member.levels),        \
        .max = COLL_MAX_DIMS, .item = &coll_level_item,                        \
        .item_size = sizeof(int), .fallback = "[]",                            \
        .source = "assumed: by the shape of each"                              \
    }

/* The element of a configuration list of rows; it is a CollChoice. */
extern const ConfigField coll_choice_item;

typedef struct {
    /* The rows of the table; the elements are CollChoice; may be NULL. */
    const ConfigList *rows;
    int algorithm; /* algorithm that applies if no row fits */
    /* Algorithms by dimension for .algorithm; may be NULL. */
    const ConfigList *levels;
    const ConfigNode *node; /* position for error messages about .algorithm */
} CollChoices;

/* The collective for which an algorithm is chosen. */
typedef struct {
    /* The request; .group.kind is the kind whose algorithms carry it out. */
    CollKind asked;
    CollGroup group;
    gboolean is_all;   /* the group is all NPUs of the platform */
    gboolean on_rings; /* the group is whole dimensions, all of them rings */
    /* Number of dimensions with a part of the group: whole dimensions, or
     * several of which some are shared with other groups. */
    uint32_t n_levels;
    uint32_t dim; /* the last whole dimension of the group */
    uint64_t payload_bytes;
    gboolean is_star;
} CollCase;

/* Returns whether @row applies to @request. */
gboolean coll_choice_row_applies(const CollChoice *row,
                                 const CollRequest *request);

/* Returns the first row that applies to @request, or NULL if there is none.
 * Messages and stars have no choice. */
const CollChoice *coll_choice_find_row(const CollChoices *choices,
                                       const CollRequest *request);

/* Returns whether the collective can be carried out dimension by dimension. */
gboolean coll_supports_dim_phases(const CollCase *coll_case);
/* Returns the algorithm that `auto` chooses for a collective; never NULL. */
const CollAlgorithm *coll_auto_algorithm(const CollCase *coll_case,
                                         const Topology *topology);
/* Returns the algorithm that `auto` chooses for @group, whose ranks are @part
 * of a dimension.  In an all-reduce, the last level (@is_last) carries out an
 * all-reduce; other levels carry out a reduce-scatter and an all-gather. */
const CollAlgorithm *coll_auto_algorithm_of_dimension_part(
    const CollGroup *group, const Topology *topology, const CollDimPart *part,
    gboolean is_last);

#endif
