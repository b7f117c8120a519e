/*
 * contenders.h - who is compared: an offload and its baselines
 *
 * Of a run file the offload is its endpoint; the baselines are the same run
 * with what `baselines` of the assumptions sets, or with other endpoints.  Of
 * a sweep they are its points, by the names under `compare:`.  Points that
 * differ in nothing but endpoint and overlap are a group; each group has one
 * offload, and what is compared is the mean over groups.
 *
 * Errors   CONFIG_ERROR
 * Owner    the caller owns the Contenders, which borrow the assumptions
 */
#ifndef SIM_SENSITIVITY_CONTENDERS_H
#define SIM_SENSITIVITY_CONTENDERS_H

#include "models/run/system.h"
#include "sim/core/csv.h"
#include "sim/sensitivity/assumptions.h"

typedef struct {
    char *name; /* owned: of its endpoint */
    guint group;
    gboolean is_offload;
    ConfigDoc *doc; /* owned: its run file with all that is set */
    SystemConfig config;
    CsvTable *values; /* owned: what config.csv of a sweep would have */
} Contender;

typedef struct Contenders Contenders;

struct Contenders {
    ConfigDoc *library;  /* owned: files are read once */
    gpointer plan;       /* owned: the sweep, which its points need; or NULL */
    GPtrArray *all;      /* owned, of owned Contender */
    GPtrArray *offloads; /* owned, of borrowed Contender: by group */
};

/* @path is a run or a sweep.  @baselines ends with NULL: names in
 * @assumptions (or of a sweep's endpoints), or files of endpoints; NULL: all
 * of those.  @needs_baselines: none is an error.  @assumptions may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
Contenders *contenders_load(const char *path, char *const *sets,
                            const AssumptionsConfig *assumptions,
                            char *const *baselines, gboolean needs_baselines,
                            GError **error);
void contenders_free(Contenders *contenders);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Contenders, contenders_free)

static inline const Contender *contender_at(const GPtrArray *all, guint i)
{
    return g_ptr_array_index(all, i);
}

/* A document that is as @from's and can be changed; @from must outlive it. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *contender_copy(const Contenders *contenders, const Contender *from,
                          GError **error);

/* Reads @doc, which it takes.  A NULL @name is the endpoint's. */
G_GNUC_WARN_UNUSED_RESULT
Contender *contender_new(ConfigDoc *doc, const char *name, guint group,
                         gboolean is_offload, GError **error);
void contender_free(Contender *contender);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Contender, contender_free)

/* Row of .values for @key, or G_MAXUINT. */
guint contender_find(const Contender *contender, const char *key);
const char *contender_value(const Contender *contender, guint row);
const char *contender_key(const Contender *contender, guint row);
/* Where the value is from; "" when nobody says. */
const char *contender_source(const Contender *contender, guint row);

/* Puts what the map @settings has into @doc. */
G_GNUC_WARN_UNUSED_RESULT
gboolean contender_set(ConfigDoc *doc, const ConfigNode *settings,
                       GError **error);

#endif
