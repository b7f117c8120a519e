/*
 * goal_words.h - tokens of GOAL; private to goal.c
 *
 * Braces are separate tokens, and comments are skipped.
 *
 * Owner    words are borrowed until the next call
 */
#ifndef WORKLOADS_READERS_GOAL_WORDS_H
#define WORKLOADS_READERS_GOAL_WORDS_H

#include "workloads/readers/read_words.h"

/* Initialise as GoalWords{ { source, 1, 1 } }. */
typedef struct {
    ReadWords words;
    ReadWord remainder; /* remainder of a word that contains a brace */
    ReadWord back;      /* token that was put back; n_bytes = 0: none */
} GoalWords;

/* Reads the next token: a brace, or a word between blanks, braces and comments.
 * Returns FALSE at the end; @ret then has the position. */
gboolean goal_word(GoalWords *goal, ReadWord *ret);
/* Puts back @word, the last token that was read. */
void goal_put_back(GoalWords *goal, const ReadWord *word);

#endif
