/*
 * goal_words.h - for goal.c only: words of GOAL, braces and comments apart
 *
 * Owner    words are borrowed until the next one is asked for
 */
#ifndef WORKLOADS_READERS_GOAL_WORDS_H
#define WORKLOADS_READERS_GOAL_WORDS_H

#include "workloads/readers/read_words.h"

/* Begin with GoalWords{ { source, 1, 1 } }. */
typedef struct {
    ReadWords words;
    ReadWord rest; /* of a word that a brace was in */
    ReadWord back; /* what was put back; no bytes: nothing */
} GoalWords;

/* A brace by itself, or what stands between blanks, braces and comments;
 * FALSE: there is none, and *@ret has the place. */
gboolean goal_word(GoalWords *goal, ReadWord *ret);
/* @word, the last one, comes again. */
void goal_put_back(GoalWords *goal, const ReadWord *word);

#endif
