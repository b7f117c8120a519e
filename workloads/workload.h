/*
 * workload.h - workloads, training settings and the kinds of loops
 *
 * A workload is a kind of loop (loops/) with its layers.  TrainingConfig has
 * the settings that a user varies without changes to the model.
 *
 * Errors   CONFIG_ERROR at the wrong node
 * Owner    the caller owns the graph
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "sim/config/config.h"
#include "workloads/graph.h"
#include "workloads/input/input_stages.h"
#include "workloads/machine_facts.h"
#include "workloads/memory_check.h"
#include "workloads/parallelism_plans.h"

typedef enum {
    COMPUTE_ROOFLINE, /* times from shapes only */
    COMPUTE_MEASURED, /* measured times and calibrated totals, if given */
} ComputeSetting;

typedef enum {
    COMMUNICATION_SIMULATED,
    /* Each collective and message takes its recorded time. */
    COMMUNICATION_RECORDED,
} CommunicationSetting;

typedef enum {
    SYNCHRONISE_LAYER, /* a layer waits for its own gradients only */
    /* An iteration waits for all gradients of the previous one. */
    SYNCHRONISE_STEP,
} SynchroniseSetting;

/* Memory layout of images in a framework. */
typedef enum {
    LAYOUT_OF_KERNELS, /* the layout that convolutions read: no transposes */
    LAYOUT_NCHW,       /* channels before pixels: read by FP32 kernels */
    /* Pixels before channels: read by FP16 and BF16 kernels. */
    LAYOUT_NHWC,
} LayoutSetting;

typedef enum {
    MEMORY_CHECKED, /* a run that needs more than an NPU has is refused */
    MEMORY_IGNORED, /* the need of the fullest rank is a note */
} MemorySetting;

typedef struct TrainingConfig {
    uint64_t n_iterations;
    gboolean drain;     /* the run ends with the last iteration's collectives */
    gboolean overlap;   /* FALSE: all gradients as one collective at the end */
    gboolean optimised; /* loops use their optimised form, if they have one */
    gboolean elementwise;
    /* FALSE: each elementwise kernel is launched separately */
    gboolean fused;
    gboolean kernel_search; /* convolutions use the fastest algorithm */
    int layout;             /* layout of images, a LayoutSetting */
    /* Whether times are measured or computed, a ComputeSetting. */
    int compute;
    /* Precision of activations and weights, a Precision. */
    int precision;
    /* Precision of products with weights: 0: .precision; else a Precision
     * + 1. */
    int products;
    /* Precision of the gradients that are reduced, a Precision. */
    int gradient;
    int optimiser; /* index of the optimiser in optimiser_names */
    gboolean master_copies;
    /* Number of micro-batches, over which gradients are summed before the
     * exchange. */
    uint64_t n_micro_batches;
    /* Forward passes are repeated instead of storing activations. */
    gboolean recompute;
    int synchronise; /* when gradients are waited for, a SynchroniseSetting */
    /* Time of the host for each tensor of weights, once in an iteration. */
    uint64_t host_per_tensor_ps;
    /* Whether communication is simulated, a CommunicationSetting. */
    int communication;
    /* Whether a run that needs more memory than its NPUs have is refused, a
     * MemorySetting. */
    int memory;
    uint64_t gaps_ppm; /* scale of recorded gaps, 1000000: as recorded */
    /* Kind of exchange of gradients: exchange/exchange.h. */
    ConfigVariant exchange;
    InputConfig input;
    /* Borrowed: the section, for messages; NULL: it is not in a file. */
    const ConfigNode *node;
} TrainingConfig;

#define LOOP_MAX_MICRO_BATCHES      1000
#define LOOP_MAX_HOST_PER_TENSOR_PS UINT64_C(1000000000000) /* 1 s */

extern const ConfigField training_fields[];

typedef struct {
    ConfigKind base;
    /* Adds the operations of one iteration to the empty @graph; @site may be
     * NULL. */
    gboolean (*build)(const ConfigVariant *workload,
                      const TrainingConfig *training, const WorkloadSite *site,
                      OpGraph *graph, GError **error);
    /* Whether the loop has gradients that an exchange communicates. */
    gboolean has_gradients;
    /* Whether the loop supports micro-batches and recomputation. */
    gboolean has_micro_batches;
    /* Appends the workload as a program whose operations are written out.
     * NULL: it has no segments. */
    gboolean (*write_flat)(const ConfigVariant *workload,
                           const TrainingConfig *training,
                           const WorkloadSite *site, GString *out,
                           GError **error);
    /* Appends the memory of a rank of each stage during each unit of its
     * schedule to @ret, an array of StageMemory.  NULL: there is no
     * schedule. */
    gboolean (*list_memory)(const ConfigVariant *workload,
                            const TrainingConfig *training,
                            const WorkloadSite *site, GArray *ret,
                            GError **error);
    /* Offers changes of a workload that needs too much memory, the simplest
     * first.  NULL: changes of `training` are tried if there are
     * micro-batches. */
    void (*try_memory_changes)(const ConfigVariant *workload,
                               const TrainingConfig *training,
                               const WorkloadSite *site,
                               MemoryChanges *changes);
    /* The ways to divide the work.  NULL: there is one. */
    const PlanOps *plans;
    /* Appends a checksum of each file that the workload reads, because results
     * depend on them.  NULL: it reads none. */
    void (*append_inputs)(const ConfigVariant *workload, GString *out);
} LoopOps;

extern const ConfigRegistry workload_registry;

/* The first member of each loop's params struct. */
typedef struct {
    const char *name; /* name of the workload, such as "resnet-50" */
    /* Index of the optimiser in optimiser_names_of, if the loop trains. */
    int optimiser;
} WorkloadCommon;

const char *workload_name(const ConfigVariant *workload);
extern const char *const precision_names[]; /* of values in memory */
/* "training", and the name of each Precision; ends with NULL. */
extern const char *const product_precision_names[];
/* Returns the bytes of a value, rounded up to a whole one, without scales. */
uint64_t precision_bytes(int precision);

/* Appends all inputs of the graph other than configured values: the text
 * changes if a file that the workload reads changes. */
void workload_append_inputs(const ConfigVariant *workload, GString *out);

/* Appends the workload as a program whose operations are written out, so that
 * it runs with the same times.  Returns FALSE with @error set if it has no
 * segments. */
G_GNUC_WARN_UNUSED_RESULT
gboolean workload_write_flat(const ConfigVariant *workload,
                             const TrainingConfig *training,
                             const WorkloadSite *site, GString *out,
                             GError **error);

/* Appends the memory of a rank of @graph over an iteration to @ret, an array of
 * StageMemory: one for each unit of the schedule of each stage, or, without a
 * schedule, the peak of each stage. */
G_GNUC_WARN_UNUSED_RESULT
gboolean workload_list_memory(const ConfigVariant *workload,
                              const TrainingConfig *training,
                              const WorkloadSite *site, const OpGraph *graph,
                              GArray *ret, GError **error);

/* Adds the operations of one iteration to the empty @graph, with the memory of
 * a rank.  Refuses a workload whose ranks need more than an NPU of @site
 * has. */
G_GNUC_WARN_UNUSED_RESULT
gboolean workload_add_to_graph(const ConfigVariant *workload,
                               const TrainingConfig *training,
                               const WorkloadSite *site, OpGraph *graph,
                               GError **error);

/* Returns the checked graph of one iteration.  @site is the machine; pass NULL
 * to check only that the graph can be built. */
G_GNUC_WARN_UNUSED_RESULT
OpGraph *workload_build(const ConfigVariant *workload,
                        const TrainingConfig *training,
                        const WorkloadSite *site, GError **error);

#endif
