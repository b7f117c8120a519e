/*
 * workload.h - what is trained, and how the training loop goes
 *
 * A workload is a kind of loop (loops/) with its layers.  TrainingConfig has
 * what a user varies without touching the model.
 *
 * Errors   CONFIG_ERROR at the node that is wrong
 * Owner    the caller owns the graph
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include "sim/config/config.h"
#include "workloads/graph.h"
#include "workloads/input/input.h"
#include "workloads/site.h"

typedef enum {
    COMPUTE_ROOFLINE, /* times from shapes alone */
    COMPUTE_MEASURED, /* measured times and calibrated totals where given */
} ComputeSetting;

typedef enum {
    COMMUNICATION_SIMULATED,
    COMMUNICATION_RECORDED, /* each takes the time that it took */
} CommunicationSetting;

typedef enum {
    SYNCHRONISE_LAYER, /* a layer waits for its own gradients alone */
    SYNCHRONISE_STEP,  /* an iteration waits for all of the one before */
} SynchroniseSetting;

/* In which order a framework keeps the values of images. */
typedef enum {
    LAYOUT_OF_KERNELS, /* the one that convolutions read: none is transposed */
    LAYOUT_NCHW,       /* channels before pixels: FP32 kernels read it */
    LAYOUT_NHWC,       /* pixels before channels: FP16 and BF16 kernels do */
} LayoutSetting;

typedef struct {
    uint64_t n_iterations;
    gboolean drain;     /* the last iteration ends with its collectives */
    gboolean overlap;   /* FALSE: gradients as one collective at the end */
    gboolean optimised; /* loops that have an optimised form use it */
    gboolean elementwise;
    gboolean fused;         /* FALSE: each elementwise kernel by itself */
    gboolean kernel_search; /* of convolutions: the fastest form is taken */
    int layout;             /* LayoutSetting, of images */
    int compute;            /* ComputeSetting */
    int precision;          /* Precision of activations and weights */
    int gradient;           /* Precision of what is reduced */
    int optimiser;          /* index of optimiser_names */
    gboolean master_copies;
    uint64_t n_micro_batches; /* whose gradients are summed before they go */
    gboolean recompute;       /* forward once more, for what was not kept */
    int synchronise;          /* SynchroniseSetting */
    int communication;        /* CommunicationSetting */
    uint64_t gaps_ppm;        /* of gaps that were recorded */
    ConfigVariant exchange;   /* exchange/exchange.h */
    InputConfig input;
} TrainingConfig;

#define LOOP_MAX_MICRO_BATCHES 1000

extern const ConfigField training_fields[];

typedef struct {
    ConfigKind base;
    /* Adds the operations of one iteration to the empty @graph; @site may be
     * NULL. */
    gboolean (*build)(const ConfigVariant *workload,
                      const TrainingConfig *training, const WorkloadSite *site,
                      OpGraph *graph, GError **error);
    /* It has gradients, and hands them to an exchange. */
    gboolean has_gradients;
    /* It knows micro-batches and recomputation. */
    gboolean has_micro_batches;
    /* Adds what it depends on beside its fields, a sum of each file that it
     * reads; NULL: nothing. */
    void (*append_inputs)(const ConfigVariant *workload, GString *out);
} LoopOps;

extern const ConfigRegistry workload_registry;

/* The first member of each loop's params struct. */
typedef struct {
    const char *name; /* of the workload: "resnet-50" */
    int optimiser;    /* index of optimiser_names_of, where it trains */
} WorkloadCommon;

const char *workload_name(const ConfigVariant *workload);
extern const char *const precision_names[];
uint64_t precision_bytes(int precision);

/* What the graph depends on beside the values that were configured: text that
 * differs where a file does that the workload reads. */
void workload_append_inputs(const ConfigVariant *workload, GString *out);

/* The graph of one iteration, checked; @site, where it is to run, is NULL where
 * it is only to be seen whether it can be built. */
G_GNUC_WARN_UNUSED_RESULT
OpGraph *workload_build(const ConfigVariant *workload,
                        const TrainingConfig *training,
                        const WorkloadSite *site, GError **error);

#endif
