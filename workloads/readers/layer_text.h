/*
 * layer_text.h - for the reader of ASTRA-sim's text only: its words, and what
 * becomes of them
 *
 * layer_text.c has the words, layer_policy.c what each policy says of groups,
 * layer_loop.c the order in which layers are gone through.
 *
 * Units    ns, bytes
 * Owner    layer_text_init() and layer_text_clear()
 */
#ifndef WORKLOADS_READERS_LAYER_TEXT_H
#define WORKLOADS_READERS_LAYER_TEXT_H

#include "workloads/readers/read_impl.h"
#include "workloads/readers/read_words.h"

enum { LAYER_FORWARD, LAYER_INPUT, LAYER_WEIGHT, LAYER_N_PARTS };

extern const char *const layer_part_names[LAYER_N_PARTS];

/* Whose collective it is; names of groups. */
typedef enum {
    LAYER_NOBODY, /* the policy has no such collective */
    LAYER_ALL,
    LAYER_TP,    /* tensor parallel: neighbours */
    LAYER_DP,    /* data parallel: who has the same part of the model */
    LAYER_EP,    /* experts */
    LAYER_DP_EP, /* who has the same experts */
    LAYER_NEAR,  /* dimension 0 of the machine */
    LAYER_FAR,   /* its other dimensions */
    LAYER_N_GROUPS,
} LayerGroup;

/* How layers are gone through. */
typedef enum {
    LAYER_LOOP_DATA,
    LAYER_LOOP_MODEL, /* what is computed waits for what was sent */
    LAYER_LOOP_DLRM,
    LAYER_LOOP_MICRO,
    LAYER_LOOP_INFERENCE,
} LayerLoop;

typedef struct {
    const char *name;
    LayerLoop loop;
    LayerGroup groups[LAYER_N_PARTS]; /* of a kind without a suffix */
    gboolean has_first_input; /* the first layer's input gradient is computed */
    gboolean has_keys;
    gboolean has_own; /* each layer says whose groups it has */
} LayerPolicy;

/* The policies, NULL behind them; as texts say them. */
extern const char *const layer_policy_names[];
const LayerPolicy *layer_policy(int i);

typedef enum {
    LAYER_KEY_TP,
    LAYER_KEY_EP,
    LAYER_KEY_PP,
    LAYER_KEY_VPP,
    LAYER_KEY_GA,
    LAYER_KEY_NPUS,
    LAYER_KEY_PP_BYTES,
    LAYER_KEY_BOTTOM,
    LAYER_N_NUMBERS,
    LAYER_KEY_CHECKPOINTS = LAYER_N_NUMBERS,
    LAYER_KEY_INITIATES,
    LAYER_N_KEYS,
} LayerKey;

typedef struct {
    uint64_t time_ns, bytes;
    CollKind kind; /* COLL_N_ALL_KINDS: no collective */
    LayerGroup group;
} LayerPart;

typedef struct {
    const char *name; /* of the recording */
    guint line;
    LayerPart parts[LAYER_N_PARTS];
    uint64_t update_ns;
    gboolean is_checkpoint, initiates;
} Layer;

typedef struct {
    ReadWords words;
    Recording *recording;
    const LayerPolicy *policy;
    ReadWord head;     /* place of the policy; its text is gone */
    GString *version;  /* the first line, one blank between words */
    uint32_t has_keys; /* bit k stands for key k */
    uint64_t numbers[LAYER_N_NUMBERS];
    GArray *checkpoints, *initiates; /* of uint64_t: layers */
    GArray *layers;                  /* of Layer */
    uint64_t n_npus;                 /* 0: not known */
} LayerText;

static inline Layer *layer_of(const LayerText *text, guint i)
{
    return &g_array_index(text->layers, Layer, i);
}

/* Policy and keys: all of the first line. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_read_head(LayerText *text, GError **error);
/* The group of a collective that has suffix @suffix, "" or "_EP"; FALSE: there
 * is no such suffix. */
gboolean layer_group_of_suffix(LayerGroup plain, const char *suffix,
                               LayerGroup *ret);
/* Not of LAYER_NOBODY; RECORD_NONE: it is not known.  *@ret_alone: it has one
 * NPU, and nothing to do. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_add_group(LayerText *text, LayerGroup group, uint32_t *ret,
                         gboolean *ret_alone, GError **error);
/* The nodes of one rank that stands for all. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_add_nodes(LayerText *text, RecordRank *rank, GError **error);

#endif
