/*
 * stack.h - the software that carries out collectives, and what it decides
 *
 * A stack looks at the platform once, when it is made: it searches its rings
 * and trees there.  Then it is asked for each collective, and answers with a
 * recipe (models/collectives/recipe.h): algorithm, protocol, channels and what
 * they cost.  `none`, which is there unless another is given, decides nothing:
 * then `collectives` does, and only the endpoint's costs are paid.
 *
 * Each kind is a file here and a line in kinds.c.
 *
 * Units    bytes, ps
 * Errors   CONFIG_ERROR at the node that is wrong, or that cannot be met
 * Owner    the caller owns the Stack, which owns its recipes; it borrows the
 *          topology
 */
#ifndef MODELS_STACKS_STACK_H
#define MODELS_STACKS_STACK_H

#include "models/collectives/choice.h"
#include "models/collectives/members.h"
#include "models/collectives/recipe.h"

typedef struct Stack Stack;

extern const ConfigRegistry stack_registry;

typedef struct StackOps {
    ConfigKind base;
    Stack *(*new)(const ConfigVariant *config, const Topology *topology,
                  GError **error);
    void (*free)(Stack *stack);
    /* What @request takes: the same recipe for what is alike.  NULL without an
     * error: it leaves it to `collectives`, as one does that has no decide().
     */
    const CollRecipe *(*decide)(Stack *stack, const CollRequest *request,
                                GError **error);
    /* It is asked about stars, too (CollRequest.is_star), and carries them out
     * by coll_star, at what they cost. */
    gboolean knows_stars;
    /* Adds what it depends on beside its fields, a sum of each file that it
     * reads; NULL: nothing. */
    void (*append_inputs)(const ConfigVariant *config, GString *out);
    /* Says what is known of it before it has a platform, or what is wrong;
     * NULL: nothing. */
    gboolean (*describe)(const ConfigVariant *config, GString *out,
                         GError **error);
} StackOps;

/* The first member of each kind's own struct. */
struct Stack {
    const StackOps *ops; /* static */
    const Topology *topology;
    GPtrArray *for_nothing; /* owned: see stack.c; NULL: costs are paid */
    GPtrArray *notes;       /* owned, of owned text: see report/notes.h */
};

/* What tables call it. */
const char *stack_name(const ConfigVariant *config);
/* FALSE: it leaves all to `collectives`. */
gboolean stack_decides(const ConfigVariant *config);
/* FALSE: what it decides costs nothing. */
gboolean stack_costs(const ConfigVariant *config);

/* What recipes depend on beside the values that were configured: text that
 * differs where a file does that the stack reads. */
void stack_append_inputs(const ConfigVariant *config, GString *out);

/* What is known of it before it has a platform, without an end of line; empty:
 * nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean stack_describe(const ConfigVariant *config, GString *out,
                        GError **error);

G_GNUC_WARN_UNUSED_RESULT
Stack *stack_new(const ConfigVariant *config, const Topology *topology,
                 GError **error);
void stack_free(Stack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stack, stack_free)

const CollRecipe *stack_decide(Stack *stack, const CollRequest *request,
                               GError **error);

#endif
