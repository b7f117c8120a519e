/*
 * slack.h - for which other configurations a finished run would have been the
 * same, event for event
 *
 * A run reads some values of its configuration nowhere, and others only to
 * compare them with something: is there room, is there a slot, do shares of the
 * HBM fit in.  Whoever owns such a value vouches for it, and says why that is
 * exact: npu_slack.h, endpoints/slack/slack.h, and slack.c for collectives.
 * All other values have to be equal, so that a new one is safe the day it is
 * listed: slack_forget() leaves it where it is.
 *
 * Errors   none: a configuration that is covered has none that the run had not
 * Owner    the caller owns the Slack, which needs neither the run nor its
 *          configuration any more
 * Cost     some hundred operations for each that is asked about, 1 to 2 KB;
 *          where cuts are chosen, and all else is right, a choice for each
 *          configuration
 */
#ifndef MODELS_RUN_REPORT_SLACK_H
#define MODELS_RUN_REPORT_SLACK_H

#include "models/run/system.h"

typedef struct Slack Slack;

/* After system_run(). */
Slack *slack_new(const System *system);
void slack_free(Slack *slack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Slack, slack_free)

gsize slack_bytes(const Slack *slack);

/* @config without what slack_covers() judges, for two to be compared by
 * config_append_values().  @ret_params gets parameters of its endpoint that
 * the caller frees after that. */
SystemConfig slack_forget(const SystemConfig *config, gpointer *ret_params);

/* How the collectives of a configuration are cut; zeroed at first, and found
 * out when it is asked for. */
typedef struct {
    gboolean is_known, is_planned; /* FALSE then: it cannot be */
    guint8 sum[32];
} SlackCuts;

/* The run would have been the same on @config, of which slack_forget() leaves
 * what it leaves of the run's own.  @cuts are those of @config. */
gboolean slack_covers(const Slack *slack, const SystemConfig *config,
                      SlackCuts *cuts);

/* How much there is of each of the endpoint's own resources with @config;
 * FALSE: its kind does not say. */
gboolean slack_capacities(const SystemConfig *config, uint64_t *ret);

#endif
