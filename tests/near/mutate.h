/*
 * mutate.h - draws nearly valid configurations from seeds
 *
 * A configuration is composed from files of configs/, which are partly named
 * and partly inserted.  Then one to four mutations change its text: a value, a
 * unit, a key, a line, or a block that another file has for the key.
 *
 * Owner: the caller owns the pool and the
 * text. */
#ifndef TESTS_NEAR_MUTATE_H
#define TESTS_NEAR_MUTATE_H

#include <glib.h>
#include <stdint.h>

typedef struct Pool Pool;

/* Reads all YAML files under @configs, an absolute path.  Ends the program
 * if there are none. */
Pool *config_pool_new(const char *configs);
void config_pool_free(Pool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pool, config_pool_free)

typedef struct {
    GString *text; /* The struct owns this memory. */
    /* FALSE if the text is only a part of a run, or a sweep. */
    gboolean is_run;
    /* The struct owns the names of the applied mutations, which messages
     * show. */
    GString *applied;
} NearConfig;

/* Returns the configuration of @seed: the same for the same files. */
NearConfig near_config_new(const Pool *pool, uint32_t seed);
void near_config_clear(NearConfig *near);

#endif
