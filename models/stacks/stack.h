/*
 * stack.h - a communication library, which chooses how collectives are done
 *
 * A stack examines the platform once, when it is created; some kinds search for
 * rings and trees then.  Later it is asked about each collective and answers
 * with a recipe (models/collectives/collective_recipe.h): algorithm, protocol,
 * channels and the times that they cost. The default kind is `none`, which
 * decides nothing: the section `collectives` then chooses the algorithm, and
 * only the costs of the endpoint are charged.
 *
 * Each kind is one file in this folder and one line in
 * communication_stack_kinds.c.
 *
 * Units    bytes, ps
 * Errors   CONFIG_ERROR at the node that is wrong or cannot be satisfied
 * Owner    the caller owns the Stack, which owns its recipes; the topology is
 *          borrowed
 */
#ifndef MODELS_STACKS_STACK_H
#define MODELS_STACKS_STACK_H

#include "models/collectives/algorithm_choice.h"
#include "models/collectives/collective_recipe.h"
#include "models/collectives/group_members.h"

typedef struct Stack Stack;

extern const ConfigRegistry stack_registry;

typedef struct StackOps {
    ConfigKind base;
    Stack *(*new)(const ConfigVariant *config, const Topology *topology,
                  GError **error);
    void (*free)(Stack *stack);
    /* Returns the recipe for @request, owned by the stack; identical requests
     * get the same recipe.  Returns NULL without an error if `collectives`
     * shall decide.  A kind without decide() leaves all collectives to
     * `collectives`. */
    const CollRecipe *(*decide)(Stack *stack, const CollRequest *request,
                                GError **error);
    /* The function decide() also accepts stars (CollRequest.is_star).  The
     * stack runs them by coll_star and charges its own costs. */
    gboolean handles_stars;
    /* The function decide() heeds CollRequest.switches.  Other kinds refuse an
     * endpoint that demands switches. */
    gboolean has_switches;
    /* Appends the inputs that are not configuration fields, such as a checksum
     * of each file that the stack reads.  NULL if there are none. */
    void (*append_inputs)(const ConfigVariant *config, GString *out);
    /* Appends a description that needs no platform.  Returns FALSE and sets
     * @error if the configuration is wrong.  NULL if there is nothing to
     * describe. */
    gboolean (*describe)(const ConfigVariant *config, GString *out,
                         GError **error);
} StackOps;

/* The state of all stack kinds: the first member of the struct of each kind. */
struct Stack {
    const StackOps *ops; /* static */
    const Topology *topology;
    GPtrArray *free_recipes; /* owned: recipes without costs; NULL: charged */
    GPtrArray *notes;        /* owned, of owned text: see report/run_notes.h */
};

/* Returns the name of the stack in tables. */
const char *comm_stack_name(const ConfigVariant *config);
/* Returns FALSE if the stack leaves all collectives to `collectives`. */
gboolean stack_chooses_recipes(const ConfigVariant *config);
/* Returns FALSE if the choices of the stack cost no time. */
gboolean comm_stack_has_costs(const ConfigVariant *config);

/* Appends text that changes if a file that the stack reads changes.  Recipes
 * depend on such files in addition to the configured values. */
void stack_append_input_checksums(const ConfigVariant *config, GString *out);

/* Appends a description of the stack that needs no platform, without a newline;
 * may append nothing.  Returns FALSE and sets @error if the stack is wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean comm_stack_describe(const ConfigVariant *config, GString *out,
                             GError **error);

G_GNUC_WARN_UNUSED_RESULT
/* Creates the stack; returns NULL and sets @error if @config does not fit. */
Stack *comm_stack_new(const ConfigVariant *config, const Topology *topology,
                      GError **error);
void comm_stack_free(Stack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stack, comm_stack_free)

/* Returns the recipe for @request, owned by the stack, or NULL.  NULL without
 * an error means that `collectives` decides. */
const CollRecipe *stack_choose_recipe(Stack *stack, const CollRequest *request,
                                      GError **error);

#endif
