/*
 * gradient_messages.h - when gradients were submitted in a run, and when their
 * sums arrived
 *
 * Only messages of the first iteration that go through a lane are recorded, on
 * the first simulated NPU.  They can be written as text, so that a run in
 * another process can report them.
 *
 * Units    bytes, ps
 * Order    by the time at which they ended
 * Owner    the caller owns results
 */
#ifndef SIM_STUDY_OPTIMISE_GRADIENT_MESSAGES_H
#define SIM_STUDY_OPTIMISE_GRADIENT_MESSAGES_H

#include "models/run/system.h"
#include "sim/study/optimise/tensor_grouping_model.h"

typedef struct {
    uint32_t op;   /* gradients are added to the graph in the order in which
                    * they are ready */
    uint32_t kind; /* a CollKind */
    uint64_t bytes;
    SimTime submitted_ps, end_ps;
    SimTime path_ps; /* on the critical path of the run; 0 also if it is not
                      * known */
} GradientMessage;

typedef struct MessageListener MessageListener;

/* Listens to @system until it is freed. */
MessageListener *message_listener_new(System *system);
void message_listener_free(MessageListener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MessageListener, message_listener_free)

/* Appends the messages as text; @path_ps is the critical path by operation, or
 * NULL. */
void message_listener_write(const MessageListener *listener,
                            const SimTime *path_ps, GString *out);

/* Returns the messages of @text (of Message), up to the first that cannot be
 * parsed. */
GArray *gradient_messages_parse(const char *text);

/* Appends for each message the time that it took alone (of GroupingMessage):
 * since it was submitted and the message before had ended. */
void gradient_messages_append_times(const GArray *messages, GArray *ret);

/* Returns the tensors of a run in which each has a separate message (of
 * GroupingTensor), in the order in which they are ready.  It leaves out sparse
 * tensors that are gathered if others are summed, because they are never
 * grouped. */
GArray *gradient_messages_list_tensors(const GArray *messages);

/* Sorts by operation, which is the order in which gradients are ready. */
void gradient_messages_sort(GArray *messages);

/* Returns how many messages a run of @graph has, whose exchange gives each
 * tensor a message. */
guint gradient_messages_count_tensors(const OpGraph *graph);

#endif
