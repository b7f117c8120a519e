/*
 * samples.h - the samples of tests/samples, and what has to be found in them
 *
 * samples-expected.json is laid flat: each figure has a path, "FILE/KEY/0/KEY".
 * A test holds a figure against what was found, which takes it out; what is
 * left at the end nobody has held.
 */
#ifndef TESTS_RECORDING_SAMPLES_H
#define TESTS_RECORDING_SAMPLES_H

#include "tests/test.h"

#include "workloads/recording/found.h"

typedef struct {
    GHashTable *figures; /* path to text, owned */
} Samples;

Samples *samples_new(void);
void samples_free(Samples *samples);

/* A figure is a whole number, or a text, or null; or us that are @ps. */
void samples_hold(Samples *samples, uint64_t n, const char *path, ...)
    G_GNUC_PRINTF(3, 4);
void samples_hold_text(Samples *samples, const char *text, const char *path,
                       ...) G_GNUC_PRINTF(3, 4);
void samples_hold_us(Samples *samples, uint64_t ps, const char *path, ...)
    G_GNUC_PRINTF(3, 4);
/* Takes all figures below @path out, which nothing of ours can have found: what
 * their program was called with, or sums of what is held. */
void samples_leave(Samples *samples, const char *path);
/* Paths that begin with @prefix and were not held. */
guint samples_left(Samples *samples, const char *prefix, char **first);

/* Of communication of the device that is @as and @kind: sums. */
FoundComm samples_comm(const FoundRank *found, RecordKind as, CollKind kind);

/* Kernels of the device, those that communicate among them. */
uint64_t samples_n_kernels(const FoundRank *found);
/* Numbers of the device's streams, "@of/streams/0" and on. */
void samples_hold_streams(Samples *samples, const RecordRank *rank,
                          const char *of);

/* Reads @name, as a file of one rank or several; of a tar those members of
 * which name is like the pattern @part, in the order of their
 * names. */
Recording *samples_read(const char *name);
Recording *samples_read_tar(const char *name, const char *part);
/* One member of a tar.  Owner: the caller. */
char *samples_member(const char *name, const char *part, gsize *n_bytes);

#endif
