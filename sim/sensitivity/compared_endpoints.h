/*
 * compared_endpoints.h - the endpoints that a study compares: an offload and
 * its baselines
 *
 * If the study is about a run file, the offload is the endpoint of that run.
 * The baselines are the same run with the settings of `baselines` in the file
 * of assumptions, or with other endpoints.  If it is about a sweep, they are
 * points of the sweep, selected by the names under `compare:`.
 *
 * Points that differ only in endpoint and overlap form a group.  Each group has
 * one offload; results are means over the groups.
 *
 * Errors   CONFIG_ERROR
 * Owner    the caller owns the ComparedEndpoints, which borrow the assumptions
 */
#ifndef SIM_SENSITIVITY_COMPARED_ENDPOINTS_H
#define SIM_SENSITIVITY_COMPARED_ENDPOINTS_H

#include "models/run/system.h"
#include "sim/core/csv.h"
#include "sim/sensitivity/assumptions_file.h"

typedef struct {
    char *name; /* owned: of the endpoint */
    guint group;
    gboolean is_offload;
    ConfigDoc *doc; /* owned: its run file with all settings */
    SystemConfig config;
    CsvTable *values; /* owned: its values as config.csv of a sweep lists
                       * them */
} ComparedEndpoint;

typedef struct ComparedEndpoints ComparedEndpoints;

struct ComparedEndpoints {
    ConfigDoc *library; /* owned: caches the files, so that each is read
                         * once */
    gpointer plan;      /* owned: the sweep, whose points are borrowed from it;
                         * or NULL */
    GPtrArray *endpoints; /* owned: of owned ComparedEndpoint */
    GPtrArray *offloads;  /* owned, of borrowed ComparedEndpoint: the offload of
                           * each group */
};

/* Loads a run or a sweep.  @baselines (ends with NULL) are names in
 * @assumptions or of endpoints in the sweep, or files of endpoints; NULL
 * selects all of the former.  @needs_baselines makes it an error if there are
 * none.  @assumptions may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
ComparedEndpoints *compared_endpoints_load(const char *path, char *const *sets,
                                           const AssumptionsConfig *assumptions,
                                           char *const *baselines,
                                           gboolean needs_baselines,
                                           GError **error);
void compared_endpoints_free(ComparedEndpoints *endpoints);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ComparedEndpoints, compared_endpoints_free)

static inline const ComparedEndpoint *compared_endpoint_at(const GPtrArray *all,
                                                           guint i)
{
    return g_ptr_array_index(all, i);
}

/* Returns a document equal to @from's that can be changed; @from must outlive
 * it. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *compared_endpoint_copy(const ComparedEndpoints *endpoints,
                                  const ComparedEndpoint *from, GError **error);

/* Reads @doc and takes it over.  If @name is NULL, the name is the
 * endpoint's. */
G_GNUC_WARN_UNUSED_RESULT
ComparedEndpoint *compared_endpoint_new(ConfigDoc *doc, const char *name,
                                        guint group, gboolean is_offload,
                                        GError **error);
void compared_endpoint_free(ComparedEndpoint *endpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ComparedEndpoint, compared_endpoint_free)

/* Returns the row of .values for @key, or G_MAXUINT if there is none. */
guint compared_endpoint_find_row(const ComparedEndpoint *endpoint,
                                 const char *key);
const char *compared_endpoint_value(const ComparedEndpoint *endpoint,
                                    guint row);
const char *compared_endpoint_key(const ComparedEndpoint *endpoint, guint row);
/* Returns the source of the value, or "" if it has none. */
const char *compared_endpoint_source(const ComparedEndpoint *endpoint,
                                     guint row);

#endif
