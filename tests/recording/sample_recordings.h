/*
 * sample_recordings.h - the samples in tests/samples and their expected figures
 *
 * Each figure of samples-expected.json gets a path, as "FILE/KEY/0/KEY".  A
 * test that compares a figure removes it, so that figures which no test has
 * compared remain at the
 * end. */
#ifndef TESTS_RECORDING_SAMPLE_RECORDINGS_H
#define TESTS_RECORDING_SAMPLE_RECORDINGS_H

#include "tests/test.h"

#include "workloads/recording/inventory.h"

typedef struct {
    /* The struct owns this table from paths to the texts of figures. */
    GHashTable *figures;
} Samples;

Samples *sample_figures_load(void);
void sample_figures_free(Samples *samples);

/* These functions remove the figure at @path and fail the test unless it equals
 * the number, the text, or @ps in microseconds. */
void samples_expect_number(Samples *samples, uint64_t n, const char *path, ...)
    G_GNUC_PRINTF(3, 4);
void samples_expect_text(Samples *samples, const char *text, const char *path,
                         ...) G_GNUC_PRINTF(3, 4);
void samples_expect_us(Samples *samples, uint64_t ps, const char *path, ...)
    G_GNUC_PRINTF(3, 4);
/* Removes all figures below @path, which must exist, without comparing them.
 * They are sums of other figures or options of the reference program, or belong
 * to other tests. */
void sample_recordings_ignore_figures(Samples *samples, const char *path);
/* Returns the number of remaining figures with @prefix; *@first is the first
 * path, which the caller frees, or NULL. */
guint sample_recordings_n_remaining(Samples *samples, const char *prefix,
                                    char **first);

/* Returns the sums over communication on the device with record kind @as and
 * collective @kind. */
InventoryComm samples_comm_of_kind(const InventoryRank *found, RecordKind as,
                                   CollKind kind);

/* Returns the number of kernels on the device, including those of
 * communication. */
uint64_t samples_count_kernels(const InventoryRank *found);
/* Checks the numbers of the device's streams, which are at "PREFIX/streams/0",
 * "PREFIX/streams/1" and so on. */
void samples_expect_streams(Samples *samples, const RecordRank *rank,
                            const char *prefix);

/* Reads the sample @name. samples_read_tar() reads the members of a tar archive
 * that match the pattern @part, in the order of their names. */
Recording *samples_read_file(const char *name);
Recording *samples_read_tar(const char *name, const char *part);
/* Returns the only member of the tar archive that matches @part.  The caller
 * frees it. */
char *samples_read_tar_member(const char *name, const char *part,
                              gsize *n_bytes);

#endif
