/*
 * choice.h - which algorithm a collective takes, as a table
 *
 * A row says of which collectives it is (kind, ranks of the group, bytes of the
 * payload) and which algorithm they take.  The first row that fits counts; what
 * no row fits takes `algorithm`, which is `auto` unless given.
 *
 * `auto` is a table of its own, choice.c: an all-reduce goes in-switch where
 * that adds soon enough; an all-to-all is direct, a barrier takes Bruck's
 * steps, gather and scatter are linear; broadcast and reduce go along a chain
 * on a torus and on whole dimensions of a grid that are rings, else along a
 * double binary tree; on a torus and such dimensions all else is a ring, by
 * dimension where the group is whole dimensions; over several dimensions that
 * are not all rings, it is hierarchical; where each pair has a link of its own,
 * direct; then halving-doubling where n is a power of two, else a ring.
 *
 * By level, a dimension has `levels`, or what `auto` has for its shape: in a
 * switch that adds, in-switch if that is sooner; on a ring or a line a ring;
 * each with each, direct; on a switch as above.
 *
 * Units    bytes
 * Errors   CONFIG_ERROR at the row, or at the section
 * Owner    tables belong to the document
 */
#ifndef MODELS_COLLECTIVES_CHOICE_H
#define MODELS_COLLECTIVES_CHOICE_H

#include "models/collectives/algorithm.h"
#include "models/collectives/request.h"

/* One row, as it was read. */
typedef struct {
    int collective; /* 0: any; else CollKind + 1 */
    uint64_t least_ranks, most_ranks;
    uint64_t least_bytes, most_bytes;
    int algorithm;     /* index into coll_algorithm_names */
    ConfigList levels; /* of such int: by dimension, inmost first */
    const ConfigNode *node;
} CollChoice;

#define COLL_CHOICE_MOST_BYTES_TEXT "1024 TiB"
#define COLL_CHOICE_MOST_BYTES      (UINT64_C(1) << 50)

/* The item of a CONFIG_LIST of levels, each of sizeof(int). */
extern const ConfigField coll_level_item;

/* The names of .collective: `any`, then coll_kind_names. */
extern const char *const coll_choice_kinds[];

/* The rows of a CollChoice for the table of @Struct, whose .Member it is. */
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

/* The item of a CONFIG_LIST of rows, each of sizeof(CollChoice). */
extern const ConfigField coll_choice_item;

typedef struct {
    const ConfigList *rows;   /* of CollChoice; may be NULL */
    int algorithm;            /* of what no row fits */
    const ConfigList *levels; /* likewise; may be NULL */
    const ConfigNode *node;   /* complaints about that */
} CollChoices;

/* What is to be chosen for. */
typedef struct {
    CollKind asked; /* .group.kind is what it is done as */
    CollGroup group;
    gboolean is_all;   /* all NPUs of the platform */
    gboolean on_rings; /* whole dimensions of it, all of them rings */
    uint32_t n_levels; /* of dimensions that it is, those of size 1 left out, */
    uint32_t dim;      /* and the last of them */
    uint64_t payload_bytes;
    gboolean is_star;
} CollCase;

/* Whether @row is of @request. */
gboolean coll_choice_fits(const CollChoice *row, const CollRequest *request);

/* The row that fits; NULL: none does.  Messages and stars have no choice. */
const CollChoice *coll_choice_of(const CollChoices *choices,
                                 const CollRequest *request);

/* TRUE: it can be done by level. */
gboolean coll_has_levels(const CollCase *what);
/* What `auto` takes.  Never NULL. */
const CollAlgorithm *coll_auto(const CollCase *what, const Topology *topology);
/* What it takes for @group, of those that differ in dimension @dim; of an
 * all-reduce @is_last all-reduces, others have two halves. */
const CollAlgorithm *coll_auto_level(const CollGroup *group,
                                     const Topology *topology, uint32_t dim,
                                     gboolean is_last);

#endif
