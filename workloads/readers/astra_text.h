/*
 * astra_text.h - shared by the files of the reader of ASTRA-sim's text format
 *
 * astra_read.c parses the text, astra_policy.c derives the groups from the
 * policy, and astra_loop.c orders the layers.
 *
 * Units    ns, bytes
 * Owner    astra_read.c frees the arrays; names belong to the recording
 */
#ifndef WORKLOADS_READERS_ASTRA_TEXT_H
#define WORKLOADS_READERS_ASTRA_TEXT_H

#include "workloads/readers/reader_common_impl.h"
#include "workloads/readers/text_words.h"

enum { ASTRA_FORWARD, ASTRA_INPUT, ASTRA_WEIGHT, ASTRA_N_PARTS };

extern const char *const astra_part_names[ASTRA_N_PARTS];

/* The group of a collective. */
typedef enum {
    ASTRA_NO_GROUP, /* the policy has no such collective */
    ASTRA_ALL,
    ASTRA_TP,         /* tensor parallel: neighbours */
    ASTRA_DP,         /* data parallel: ranks with the same part of the model */
    ASTRA_EP,         /* expert parallel */
    ASTRA_DP_EP,      /* ranks with the same experts */
    ASTRA_FIRST_DIM,  /* dimension 0 of the machine */
    ASTRA_OTHER_DIMS, /* the other dimensions of the machine */
    ASTRA_N_GROUPS,
} AstraGroup;

/* The order in which a policy runs layers. */
typedef enum {
    ASTRA_LOOP_DATA,
    /* Like ASTRA_LOOP_DATA, but kernels wait for collectives. */
    ASTRA_LOOP_MODEL,
    ASTRA_LOOP_DLRM,
    ASTRA_LOOP_MICRO,
    ASTRA_LOOP_INFERENCE,
} AstraLoop;

typedef struct {
    const char *name;
    AstraLoop loop;
    /* Groups of the collectives whose KIND has no suffix. */
    AstraGroup groups[ASTRA_N_PARTS];
    gboolean has_first_input; /* the first layer has an input gradient, too */
    gboolean has_keys;
    gboolean has_layer_policies; /* each layer names its own policy */
} AstraPolicy;

/* Names of the policies as in the files; ends with NULL. */
extern const char *const astra_policy_names[];
const AstraPolicy *astra_policy(int i);

/* Keys of the first line; those before ASTRA_N_NUMBERS have one number. */
typedef enum {
    ASTRA_KEY_TP,
    ASTRA_KEY_EP,
    ASTRA_KEY_PP,
    ASTRA_KEY_VPP,
    ASTRA_KEY_GA,
    ASTRA_KEY_NPUS,
    ASTRA_KEY_PP_BYTES,
    ASTRA_KEY_BOTTOM,
    ASTRA_N_NUMBERS,
    ASTRA_KEY_CHECKPOINTS = ASTRA_N_NUMBERS,
    ASTRA_KEY_INITIATES,
    ASTRA_N_KEYS,
} AstraKey;

typedef struct {
    uint64_t time_ns, bytes;
    CollKind kind; /* kind of the collective; COLL_N_ALL_KINDS: none */
    AstraGroup group;
} AstraPart;

typedef struct {
    const char *name; /* owned by the recording */
    guint line;
    AstraPart parts[ASTRA_N_PARTS];
    uint64_t update_ns;
    gboolean is_checkpoint, initiates;
} AstraLayer;

typedef struct {
    ReadWords words;
    Recording *recording;
    const AstraPolicy *policy;
    ReadWord head; /* the word with the policy, for error messages */
    /* The first line of the file, with single blanks between words. */
    GString *version;
    uint32_t has_keys; /* bit k: the first line has key k */
    uint64_t numbers[ASTRA_N_NUMBERS];
    /* Layers with checkpoints and with recomputation; the elements are uint64_t
     * indices. */
    GArray *checkpoints, *initiates;
    /* All layers; the elements are AstraLayer. */
    GArray *layers;
    uint64_t n_npus; /* number of NPUs; 0: not known */
} AstraText;

static inline AstraLayer *astra_layer(const AstraText *text, guint i)
{
    return &g_array_index(text->layers, AstraLayer, i);
}

/* Reads the first line: policy and keys. */
G_GNUC_WARN_UNUSED_RESULT
gboolean astra_read_head(AstraText *text, GError **error);
/* Sets @ret to the group of a collective with suffix @suffix, such as "" or
 * "_EP", if @plain is its group without a suffix.  Returns FALSE if there is no
 * such suffix. */
gboolean astra_group_of_suffix(AstraGroup plain, const char *suffix,
                               AstraGroup *ret);
/* Adds @group, which is not ASTRA_NO_GROUP, to the recording.  Sets @ret to its
 * index, or to RECORD_NONE if its size is not known.  Sets @ret_alone if it has
 * one NPU, so its collectives do nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean astra_add_group(AstraText *text, AstraGroup group, uint32_t *ret,
                         gboolean *ret_alone, GError **error);
/* Adds the nodes of the one rank that represents all ranks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean astra_add_nodes(AstraText *text, RecordRank *rank, GError **error);

#endif
