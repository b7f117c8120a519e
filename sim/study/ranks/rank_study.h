/*
 * rank_study.h - where the time of a run went, by classes of operations and by
 * NPU, and who held the others up
 *
 * Made of a critical path through all NPUs (models/observe/ranks), which it
 * adds up to.  Fast: once through the path, and where NPUs are told apart once
 * through what was recorded.
 *
 * Who began a collective last let the others of its set wait since the second
 * to last did: in that time it was alone to blame (late_ps).  Collectives
 * overlap, so what is told is in how much of the run's time some collective
 * waited for that NPU alone (held_ps).  Why it was late is what it has more to
 * do than the others on average, by class: messages are not collectives here,
 * since who awaits one has no part in sending it.
 *
 * Units    ps over the whole run
 * Owner    the caller owns the RankStudy; it borrows the system and the path
 */
#ifndef SIM_STUDY_RANKS_RANK_STUDY_H
#define SIM_STUDY_RANKS_RANK_STUDY_H

#include "models/observe/ranks/rank_path.h"
#include "sim/study/ranks/op_classes.h"
#include "sim/study/units.h"

typedef struct {
    uint32_t class; /* of .classes */
    SimTime path_ps;
    uint64_t n_parts;
} RankClassTime;

/* An NPU that is simulated. */
typedef struct {
    uint32_t npu, n_alike; /* so many, with itself, it stands for */
    uint32_t role;
    SimTime path_ps;                /* on it */
    SimTime busy_ps[CLASS_N_KINDS]; /* without collectives, messages, lanes */
    uint64_t n_last;                /* collectives that it began last, alone */
    SimTime held_ps;                /* see above */
    SimTime late_ps;                /* summed over those */
    SimTime waited_ps; /* likewise: the mean of the others' waits for it */
    /* What it has most more of than the others have on average: */
    ClassKind excess_kind;
    SimTime excess_ps;     /* 0: nothing */
    uint32_t excess_class; /* of that kind that which has most of it */
    SimTime excess_class_ps;
} RankNpu;

typedef struct {
    const System *system; /* borrowed */
    const RankPath *path; /* borrowed */
    SystemResult r;
    OpClasses classes;
    GArray *times; /* owned, of RankClassTime: on the path, the longest first */
    GArray *npus;  /* owned, of RankNpu: by number */
    SimTime *roles_ps;      /* owned: of the path, by role */
    uint64_t n_collectives; /* instances, of several NPUs each */
} RankStudy;

/* @system has run, rank_path_finish() was called. */
RankStudy *rank_study_new(const System *system, const RankPath *path);
void rank_study_free(RankStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RankStudy, rank_study_free)

/* The class of a part of the path. */
uint32_t rank_study_class(const RankStudy *study, const RankPathPart *part);
/* Who held the others up longest; NULL: nobody did. */
const RankNpu *rank_study_straggler(const RankStudy *study);
/* How long operations of @kind (CLASS_N_KINDS: of any) whose names match
 * @pattern are on the path; and those of @kind on @npu. */
SimTime rank_study_matched_ps(const RankStudy *study, ClassKind kind,
                              const char *pattern);
SimTime rank_study_npu_ps(const RankStudy *study, uint32_t npu, ClassKind kind);

extern const Column rank_path_columns[];
/* CSV with its header: a row a part of the path. */
void rank_study_add_rows(GString *out, const RankStudy *study);

static inline const RankNpu *rank_npu(const RankStudy *study, uint32_t i)
{
    return &g_array_index(study->npus, RankNpu, i);
}

static inline const RankClassTime *rank_class_time(const RankStudy *study,
                                                   uint32_t i)
{
    return &g_array_index(study->times, RankClassTime, i);
}

#endif
