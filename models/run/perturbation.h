/*
 * perturbation.h - variation between NPUs and between links
 *
 * The time of a kernel is multiplied by the factor of its NPU and by a random
 * factor, drawn for (NPU, operation, iteration) from the stream `compute` of
 * the seed:
 *
 *     time x factor x max(1/10, 1 + jitter x X)
 *
 * X is uniform over [-1, 1], normal with deviation 1, or exponential with mean
 * 1 (less 1, so that the mean stays 0).  The bandwidth of a link is multiplied
 * by its factor.  NPUs with different factors, or with links of different
 * factors, are simulated separately; jitter makes all NPUs different.
 *
 * The time of operations with a given name is multiplied by a factor, on all
 * NPUs or on some.  An operation that several rules match is multiplied by all
 * of them.  A simulated collective has no configured time (prepare/op_rules.h).
 *
 * Errors   CONFIG_ERROR for an NPU or port that is unknown or given twice
 */
#ifndef MODELS_RUN_PERTURBATION_H
#define MODELS_RUN_PERTURBATION_H

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
    int distribution; /* distribution of the jitter, a JitterKind */
    ConfigList npus;  /* the elements are PerturbedNpu */
    ConfigList links; /* the elements are PerturbedLink */
    ConfigList ops;   /* the elements are PerturbedOps */
} PerturbConfig;

typedef enum {
    PERTURB_ANY,
    PERTURB_KERNELS,
    PERTURB_HOST, /* includes the time of reading the input */
    PERTURB_DEVICE,
    PERTURB_COLLECTIVES,
    PERTURB_MESSAGES,
} PerturbKind;

#define PERTURB_MAX_OPS 64

typedef struct {
    /* Pattern that the layer's name must match, with * and ?. */
    const char *match;
    /* Kind of operations that the rule applies to, a PerturbKind. */
    int kind;
    /* Ids of the NPUs that the rule applies to; empty: all.  The elements are
     * uint64_t. */
    ConfigList npus;
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
/* Returns a colour for each NPU, the same for equal factors, or NULL if no NPU
 * has a factor.  The caller owns the array. */
uint32_t *perturb_npu_colours(const PerturbConfig *config,
                              const Topology *topology);
/* Returns a colour for each NPU, or NULL if no link has a factor.  The
 * symmetric parts (network/symmetry_classes.h) to which two NPUs belong have
 * links of the same factors if their colours are the same.  The caller owns the
 * array. */
uint32_t *perturb_link_colours(const PerturbConfig *config,
                               const Topology *topology);
void perturb_scale_links(const PerturbConfig *config, const Topology *topology,
                         Network *network);

/* Returns the factor by which the time of kernel @op of @iteration on @npu is
 * multiplied. */
uint64_t perturb_kernel_factor_ppm(const PerturbConfig *config, uint32_t npu,
                                   uint32_t op, uint64_t iteration);

#endif
