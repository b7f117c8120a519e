/*
 * mesh.h - ranks as coordinates on named axes of parallelism
 *
 * A mesh arranges n ranks on the axes tp (tensor), cp (context), dp (data) and
 * pp (pipeline).  `order` names them from the innermost outwards, so that rank
 * 0 and rank 1 differ on the first axis.  One axis may be `auto`: it takes what
 * the others leave.
 *
 * Experts divide the ranks of one pipeline stage in a second way: from the
 * innermost outwards on etp (tensor parallel in an expert), ep (which experts)
 * and edp (copies of the experts).  An expert's group may thus contain ranks of
 * several data-parallel groups.
 *
 * Both views together cut the number of a rank into digits; an axis is a set of
 * digits.  The axis ep may be divided into ep_local, ranks of one node, and
 * ep_nodes; with `ep_spread` edp lies between the two.  The axis dp may be
 * divided into dp_within, consecutive ranks of a group, and dp_across; the
 * digits that edp shares with dp_across are edp_across, its others edp_within.
 *
 * A communicator is a set of axes, such as dp+cp: ranks that differ in these
 * axes only.  With `mirror` among them, such as mirror+dp, the ranks of stage s
 * of p and of stage p - 1 - s are in one communicator: they hold the same
 * layers if a pipeline runs in two directions.
 *
 * Rank i is NPU i.
 *
 * Units    ranks
 * Errors   CONFIG_ERROR at the mesh, or at the node that names an axis
 * Owner    the caller owns a Mesh; it borrows nothing but nodes
 */
#ifndef WORKLOADS_MESH_MESH_H
#define WORKLOADS_MESH_MESH_H

#include "sim/config/config.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t tp, cp, dp, pp; /* CONFIG_AUTO: what the others leave */
    uint64_t etp, ep, ep_local;
    gboolean ep_spread;
    uint64_t dp_within; /* 0: as 1 */
    ConfigList order;   /* of int: index of mesh_axis_names */
    const ConfigNode *node;
} MeshConfig;

#define MESH_MAX_AXIS UINT64_C(1048576)

#define MESH_AXIS_FIELD(Struct, member, Key, Help, Fallback, Source)           \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(Struct, member), .min = 1, .max = MESH_MAX_AXIS,    \
        .may_be_auto = TRUE, .fallback = (Fallback), .source = (Source)        \
    }

/* The fields of a MeshConfig that is the member @mesh of @Struct; @mesh ends
 * with a dot, or is empty. */
#define MESH_FIELDS(Struct, mesh)                                              \
    MESH_AXIS_FIELD(Struct, mesh tp, "tp",                                     \
                    "tensor parallel: ranks that share each layer", "1",       \
                    "none"),                                                   \
        MESH_AXIS_FIELD(Struct, mesh cp, "cp",                                 \
                        "context parallel: ranks that share each sequence",    \
                        "1", "none"),                                          \
        MESH_AXIS_FIELD(Struct, mesh dp, "dp",                                 \
                        "data parallel: copies of the model; auto: what is "   \
                        "left",                                                \
                        "auto", "what the other axes leave"),                  \
        MESH_AXIS_FIELD(Struct, mesh pp, "pp", "pipeline stages", "1",         \
                        "none"),                                               \
        { .key = "ep",                                                         \
          .help = "ranks among which the experts of a layer are divided",      \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, mesh ep),                                 \
          .min = 1,                                                            \
          .max = MESH_MAX_AXIS,                                                \
          .fallback = "1",                                                     \
          .source = "each rank has all experts" },                             \
        { .key = "ep_local",                                                   \
          .help = "ranks of ep in a node, which divide the axis ep into "      \
                  "ep_local and ep_nodes",                                     \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, mesh ep_local),                           \
          .min = 1,                                                            \
          .max = MESH_MAX_AXIS,                                                \
          .fallback = "1",                                                     \
          .source = "nodes do not matter" },                                   \
        { .key = "ep_spread",                                                  \
          .help =                                                              \
              "whether ep takes every edp-th node of a stage, in place of "    \
              "neighbouring ones",                                             \
          .type = CONFIG_BOOL,                                                 \
          .offset = offsetof(Struct, mesh ep_spread),                          \
          .fallback = "false",                                                 \
          .source = "as Megatron-LM" },                                        \
        { .key = "etp",                                                        \
          .help = "tensor parallel within an expert",                          \
          .type = CONFIG_COUNT,                                                \
          .offset = offsetof(Struct, mesh etp),                                \
          .min = 1,                                                            \
          .max = MESH_MAX_AXIS,                                                \
          .fallback = "1",                                                     \
          .source = "each rank has whole experts" },                           \
    {                                                                          \
        .key = "order",                                                        \
        .help = "of the axes, the innermost first; those left out follow",     \
        .type = CONFIG_LIST, .offset = offsetof(Struct, mesh order),           \
        .max = MESH_PP + 1, .item = &mesh_order_item,                          \
        .item_size = sizeof(int), .fallback = "[]", .source = "tp, cp, dp, pp" \
    }

extern const ConfigField mesh_order_item;
extern const ConfigField mesh_fields[];

/* The axes, in the default order from the innermost; those behind pp are of the
 * experts, and parts of others. */
typedef enum {
    MESH_TP,
    MESH_CP,
    MESH_DP,
    MESH_PP,
    MESH_ETP,
    MESH_EP,
    MESH_EDP,
    MESH_EP_LOCAL,
    MESH_EP_NODES,
    MESH_DP_WITHIN,
    MESH_DP_ACROSS,
    MESH_EDP_WITHIN,
    MESH_EDP_ACROSS,
    MESH_N_AXES,
} MeshAxis;

extern const char *const mesh_axis_names[MESH_N_AXES + 1];

#define MESH_MAX_DIGITS 12

/* A bit beside those of the digits: the group of a rank also has the ranks of
 * the mirrored pipeline stage, n - 1 - s for stage s of n. */
#define MESH_MIRROR (1U << MESH_MAX_DIGITS)

/* Digit of a rank: rank / stride mod size. */
typedef struct {
    uint32_t size, stride;
} MeshDigit;

typedef struct {
    uint32_t n_ranks, n_digits;
    MeshDigit digits[MESH_MAX_DIGITS]; /* the innermost first */
    uint32_t sizes[MESH_N_AXES];
    uint32_t masks[MESH_N_AXES]; /* bit d: the axis has digit d */
    const ConfigNode *node;      /* borrowed; for messages */
} Mesh;

/* Fills @ret for @n_ranks.  If @n_ranks is 0, the platform is not known, and an
 * axis that is `auto` has size 1. */
G_GNUC_WARN_UNUSED_RESULT
gboolean mesh_init(Mesh *ret, const MeshConfig *config, uint32_t n_ranks,
                   GError **error);

/* Sets *@ret to the digits of the axes that @text names, such as "dp" or
 * "dp+cp", and MESH_MIRROR if "mirror" is among them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean mesh_find_axes(const Mesh *mesh, const char *text,
                        const ConfigNode *node, uint32_t *ret, GError **error);

/* Returns the number of ranks that differ in @digits only, with those of the
 * mirrored stage. */
uint32_t mesh_n_ranks_of_digits(const Mesh *mesh, uint32_t digits);

/* Returns the coordinate of @rank on @axis. */
uint32_t mesh_coordinate_of_rank(const Mesh *mesh, uint32_t rank,
                                 MeshAxis axis);

/* Adds the communicator of @digits to @graph, if it has none called @name, and
 * sets *@ret to its group. */
G_GNUC_WARN_UNUSED_RESULT
gboolean mesh_add_group(const Mesh *mesh, OpGraph *graph, const char *name,
                        uint32_t digits, const ConfigNode *node, uint32_t *ret,
                        GError **error);

/* Returns the role of the ranks with coordinate @place on the pipeline axis;
 * @name is borrowed. */
OpRole mesh_stage_role(const Mesh *mesh, const char *name, uint32_t place);

#endif
