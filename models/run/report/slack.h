/*
 * slack.h - for which other configurations a finished run would have been the
 * same, event for event
 *
 * A run reads some values of its configuration nowhere, and others only to
 * compare them with something: is there room, is there a slot, do shares of the
 * HBM fit in, is the window full.  Whoever owns such a value vouches for it,
 * and says why that is exact: npu_slack.h, endpoints/slack/slack.h, and slack.c
 * for collectives.  All other values have to be equal, so that a new one is
 * safe the day it is listed: slack_forget() leaves it where it is.
 *
 * The events may be the same and what is told of them not: of more SMs as many
 * are a smaller part.  Of a sweep's rows all is the same that is told; who
 * wants to know how long it takes asks slack_covers_time().
 *
 * Errors   none: a configuration that is covered has none that the run had not
 * Owner    the caller owns the Slack, which needs neither the run nor its
 *          configuration any more
 * Cost     some hundred operations for each that is asked about, 1 to 2 KB;
 *          where cuts are chosen, or the window is another one, and all else is
 *          right, a system is put together for each configuration, once
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

/* Likewise, without what slack_covers_time() judges. */
SystemConfig slack_forget_for_time(const SystemConfig *config,
                                   gpointer *ret_params);

/* What a configuration would be run with; what is private is zeroed at first,
 * and found out when it is asked for. */
typedef struct {
    FoldMode fold;
    SystemSize most; /* see system_new_within() */
    /* private */
    gboolean is_known, is_whole; /* but for NPUs otherwise */
    System *planned;             /* owned; NULL then: it cannot be */
} SlackPlan;

void slack_plan_clear(SlackPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SlackPlan, slack_plan_clear)

/* The run would have been the same on @config, and all that is told of it, of
 * which slack_forget() leaves what it leaves of the run's own.  @plan is that
 * of
 * @config. */
gboolean slack_covers(const Slack *slack, const SystemConfig *config,
                      SlackPlan *plan);

/* The run, which is @ran, would have taken as long, event for event; of @config
 * slack_forget_for_time() leaves what it leaves of the run's own. */
gboolean slack_covers_time(const Slack *slack, const System *ran,
                           const SystemConfig *config, SlackPlan *plan);

/* How much there is of each of the endpoint's own resources with @config;
 * FALSE: its kind does not say. */
gboolean slack_capacities(const SystemConfig *config, uint64_t *ret);

#endif
