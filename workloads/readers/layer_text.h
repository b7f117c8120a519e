/*
 * layer_text.h - shared by the files of the reader of ASTRA-sim's text format
 *
 * layer_text.c parses the text, layer_policy.c derives the groups from the
 * policy, and layer_loop.c orders the layers.
 *
 * Units    ns, bytes
 * Owner    layer_text.c frees the arrays; names belong to the recording
 */
#ifndef WORKLOADS_READERS_LAYER_TEXT_H
#define WORKLOADS_READERS_LAYER_TEXT_H

#include "workloads/readers/read_impl.h"
#include "workloads/readers/read_words.h"

enum { LAYER_FORWARD, LAYER_INPUT, LAYER_WEIGHT, LAYER_N_PARTS };

extern const char *const layer_part_names[LAYER_N_PARTS];

/* The group of a collective. */
typedef enum {
    LAYER_NOBODY, /* the policy has no such collective */
    LAYER_ALL,
    LAYER_TP,    /* tensor parallel: neighbours */
    LAYER_DP,    /* data parallel: ranks with the same part of the model */
    LAYER_EP,    /* expert parallel */
    LAYER_DP_EP, /* ranks with the same experts */
    LAYER_NEAR,  /* dimension 0 of the machine */
    LAYER_FAR,   /* the other dimensions of the machine */
    LAYER_N_GROUPS,
} LayerGroup;

/* The order in which a policy runs layers. */
typedef enum {
    LAYER_LOOP_DATA,
    LAYER_LOOP_MODEL, /* kernels wait for collectives */
    LAYER_LOOP_DLRM,
    LAYER_LOOP_MICRO,
    LAYER_LOOP_INFERENCE,
} LayerLoop;

typedef struct {
    const char *name;
    LayerLoop loop;
    LayerGroup groups[LAYER_N_PARTS]; /* for a KIND without a suffix */
    gboolean has_first_input; /* the first layer has an input gradient */
    gboolean has_keys;
    gboolean has_layer_policies; /* each layer names its own policy */
} LayerPolicy;

/* Names of the policies as in the files; ends with NULL. */
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
    const char *name; /* owned by the recording */
    guint line;
    LayerPart parts[LAYER_N_PARTS];
    uint64_t update_ns;
    gboolean is_checkpoint, initiates;
} AstraLayer;

typedef struct {
    ReadWords words;
    Recording *recording;
    const LayerPolicy *policy;
    ReadWord head;     /* position of the policy; the text is invalid */
    GString *version;  /* the first line, with single blanks between words */
    uint32_t has_keys; /* bit k: key k was given */
    uint64_t numbers[LAYER_N_NUMBERS];
    GArray *checkpoints, *initiates; /* of uint64_t: indices of layers */
    GArray *layers;                  /* of Layer */
    uint64_t n_npus;                 /* 0: not known */
} LayerText;

static inline AstraLayer *astra_layer(const LayerText *text, guint i)
{
    return &g_array_index(text->layers, AstraLayer, i);
}

/* Reads the first line: policy and keys. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_read_head(LayerText *text, GError **error);
/* Returns the group of a collective with suffix @suffix, such as "" or "_EP",
 * in @ret.  Returns FALSE if there is no such suffix. */
gboolean layer_group_of_suffix(LayerGroup plain, const char *suffix,
                               LayerGroup *ret);
/* Adds @group, which is not LAYER_NOBODY, to the recording.  Sets @ret to its
 * index, or to RECORD_NONE if its size is not known.  Sets @ret_alone if it has
 * one NPU, so its collectives do nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_add_group(LayerText *text, LayerGroup group, uint32_t *ret,
                         gboolean *ret_alone, GError **error);
/* Adds the nodes of the one rank that represents all ranks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean layer_add_nodes(LayerText *text, RecordRank *rank, GError **error);

#endif
