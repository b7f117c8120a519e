/*
 * rank_study.h - how much of a run each class of operations and each NPU took,
 * and which NPU held up the others
 *
 * The study adds up the parts of a critical path through all NPUs
 * (models/observe/ranks).
 *
 * Stragglers
 *   The NPU that begins a collective last makes the others of its set wait.
 *   From the moment when the second to last begins, it alone is to blame
 *   (late_ps). Collectives overlap, so held_ps counts each instant once in
 *   which some collective waited for that NPU alone.  The cause of the delay is
 *   the class in which the NPU has more to do than the others on average
 *   (excess_ps). Messages are not counted as collectives, because their
 *   receiver does not take part in sending.
 *
 * Units    ps over the whole run
 * Owner    the caller owns the RankStudy, which borrows the system and the path
 * Cost     one pass over the path and, if NPUs differ, one over all recorded
 *          operations
 */
#ifndef SIM_STUDY_RANKS_RANK_STUDY_H
#define SIM_STUDY_RANKS_RANK_STUDY_H

#include "models/observe/ranks/rank_path.h"
#include "sim/study/csv_columns.h"
#include "sim/study/ranks/op_classes.h"

typedef struct {
    uint32_t class; /* index in .classes */
    SimTime path_ps;
    uint64_t n_parts;
} RankClassTime;

/* The time that a simulated NPU spent on the critical path, and for which it
 * held up others. */
typedef struct {
    uint32_t npu, n_represented; /* number of NPUs that it represents, itself
                                  * included */
    uint32_t role;
    SimTime path_ps; /* time of the critical path on these NPUs */
    SimTime busy_ps[CLASS_N_KINDS]; /* time in operations by kind; 0 for
                                     * collectives, messages and lanes */
    uint64_t n_begun_last;          /* number of collectives that it alone began
                                     * last */
    SimTime held_ps; /* time in which a collective waited for this NPU alone */
    SimTime late_ps; /* delay that it caused, summed over these collectives */
    SimTime waited_ps; /* summed over them: the mean time that the others waited
                        * for it */
    /* The kind of work in which it exceeds the mean of the others most. */
    ClassKind excess_kind;
    SimTime excess_ps; /* 0: the NPU has no more work than the others */
    /* The class of .excess_kind with the largest excess. */
    uint32_t excess_class;
    SimTime excess_class_ps;
} RankNpu;

typedef struct {
    const System *system; /* borrowed */
    const RankPath *path; /* borrowed */
    SystemResult r;
    OpClasses classes;
    GArray *times; /* owned: of RankClassTime, by descending time on the path */
    GArray *npus;  /* owned: of RankNpu, by place */
    SimTime *roles_ps;      /* owned: time on the path, by role */
    uint64_t n_collectives; /* instances of collectives of several NPUs */
} RankStudy;

/* Returns the study of a run.  @system has run, and rank_path_finish() was
 * called. */
RankStudy *rank_study_new(const System *system, const RankPath *path);
void rank_study_free(RankStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RankStudy, rank_study_free)

/* Returns the class of a part of the critical path. */
uint32_t rank_study_class_of_part(const RankStudy *study,
                                  const RankPathPart *part);
/* Returns the NPU with the longest held_ps, or NULL if no NPU held up
 * others. */
const RankNpu *rank_study_find_straggler(const RankStudy *study);
/* Return the time on the path of operations of @kind (CLASS_N_KINDS: any kind)
 * whose names match @pattern, and of operations of @kind on @npu. */
SimTime rank_study_path_time_of_pattern_ps(const RankStudy *study,
                                           ClassKind kind, const char *pattern);
SimTime rank_study_path_time_of_npu_ps(const RankStudy *study, uint32_t npu,
                                       ClassKind kind);

extern const Column rank_path_columns[];
/* Appends CSV with its header: one row per part of the critical path. */
void rank_study_append_csv(GString *out, const RankStudy *study);

static inline const RankNpu *rank_study_npu_at(const RankStudy *study,
                                               uint32_t i)
{
    return &g_array_index(study->npus, RankNpu, i);
}

static inline const RankClassTime *
rank_study_class_time_at(const RankStudy *study, uint32_t i)
{
    return &g_array_index(study->times, RankClassTime, i);
}

#endif
