/*
 * algorithm_list.h - all algorithms; a line here is all that one more needs
 *
 * Each has a file that defines it, and the name by which YAML asks for it,
 * which is its .name, too.
 */
#ifndef MODELS_COLLECTIVES_ALGORITHM_LIST_H
#define MODELS_COLLECTIVES_ALGORITHM_LIST_H

#define COLL_ALGORITHMS(Add)                                                   \
    Add(coll_ring, "ring") Add(coll_halving_doubling, "halving-doubling")      \
        Add(coll_direct, "direct") Add(coll_in_switch, "in-switch")

#endif
