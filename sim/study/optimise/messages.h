/*
 * messages.h - when gradients were handed over in a run, and when their sums
 * were there
 *
 * Of the first iteration, on the first NPU that is simulated, and of messages
 * that go through a lane; as text, so that who made the run in another process
 * can say it.
 *
 * Units    bytes, ps
 * Order    they are in the order in which they ended
 * Owner    the caller owns what it gets
 */
#ifndef SIM_STUDY_OPTIMISE_MESSAGES_H
#define SIM_STUDY_OPTIMISE_MESSAGES_H

#include "models/run/system.h"
#include "sim/study/optimise/grouping.h"

typedef struct {
    uint32_t op;   /* gradients are added to the graph as they get ready */
    uint32_t kind; /* CollKind */
    uint64_t bytes;
    SimTime handed_ps, end_ps;
    SimTime path_ps; /* of the run's critical path; 0, too, if nobody knows */
} Message;

typedef struct MessageListener MessageListener;

/* Listens to @system until it is freed. */
MessageListener *message_listener_new(System *system);
void message_listener_free(MessageListener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MessageListener, message_listener_free)

/* Appends what was heard; @path_ps is by operation, or NULL. */
void message_listener_write(const MessageListener *listener,
                            const SimTime *path_ps, GString *out);

/* The same again, of Message; what is no such text ends it. */
GArray *messages_parse(const char *text);

/* What each took by itself: from when it was there and the one before had
 * ended.  Adds GroupingMessage. */
void messages_add_times(const GArray *messages, GArray *ret);

/* The tensors of a run in which each had a message of its own, of
 * GroupingTensor, as they got ready; but for rows of sparse ones that are
 * gathered where others are summed, which never go together. */
GArray *messages_tensors(const GArray *messages);

/* By operation, which is the order in which they got ready. */
void messages_sort(GArray *messages);

/* How many there will be of @graph, whose exchange gives each a message. */
guint messages_count(const OpGraph *graph);

#endif
