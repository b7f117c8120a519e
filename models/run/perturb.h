/*
 * perturb.h - NPUs and links that are not all alike
 *
 * A kernel's time is multiplied by its NPU's factor and by a random one of its
 * own, drawn for (NPU, operation, iteration) from the stream `compute` of the
 * seed:
 *
 *     time x factor x max(1/10, 1 + jitter x X)
 *
 * with X uniform over [-1, 1], normal of deviation 1, or exponential of mean
 * 1 (less 1, so that the mean stays).  A link's bandwidth is multiplied by its
 * factor.  NPUs that are not equally slow are told apart, jitter tells all.
 *
 * The time of operations of some names is multiplied by a factor of theirs, on
 * all NPUs or on some; of several that an operation takes, by all of them. What
 * is simulated of a collective has no time of its own (prepare/op_rules.h).
 *
 * Errors   CONFIG_ERROR for an NPU or port that is not there, or is there twice
 */
#ifndef MODELS_RUN_PERTURB_H
#define MODELS_RUN_PERTURB_H

#include "network/transport/network.h"
#include "sim/core/rng.h"

typedef enum {
    JITTER_UNIFORM,
    JITTER_NORMAL,
    JITTER_EXPONENTIAL,
} JitterKind;

typedef struct {
    uint64_t seed;
    uint64_t jitter_ppm;
    int distribution; /* JitterKind */
    ConfigList npus;  /* of PerturbedNpu */
    ConfigList links; /* of PerturbedLink */
    ConfigList ops;   /* of PerturbedOps */
} PerturbConfig;

typedef enum {
    PERTURB_ANY,
    PERTURB_KERNELS,
    PERTURB_HOST, /* and the input */
    PERTURB_DEVICE,
    PERTURB_COLLECTIVES,
    PERTURB_MESSAGES,
} PerturbKind;

#define PERTURB_MAX_OPS 64

typedef struct {
    const char *match; /* of the layer's name, with * and ? */
    int kind;          /* PerturbKind */
    ConfigList npus;   /* of uint64_t; none: all */
    uint64_t time_factor_ppm;
} PerturbedOps;

typedef struct {
    uint64_t npu;
    uint64_t time_factor_ppm;
} PerturbedNpu;

typedef struct {
    uint64_t npu;
    const char *port;
    uint64_t bandwidth_factor_ppm;
} PerturbedLink;

extern const ConfigField perturb_fields[];

gboolean perturb_is_none(const PerturbConfig *config);

G_GNUC_WARN_UNUSED_RESULT
gboolean perturb_check(const PerturbConfig *config, const Topology *topology,
                       GError **error);
/* One for each NPU: those that are equally slow have the same; NULL: none is
 * slower or faster.  Owner: the caller. */
uint32_t *perturb_colours(const PerturbConfig *config,
                          const Topology *topology);
void perturb_links(const PerturbConfig *config, const Topology *topology,
                   Network *network);

/* What the time of kernel @op of @iteration on @npu is multiplied by. */
uint64_t perturb_kernel_ppm(const PerturbConfig *config, uint32_t npu,
                            uint32_t op, uint64_t iteration);

#endif
