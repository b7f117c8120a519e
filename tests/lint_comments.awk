# lint_comments.awk - finds comments that a reader cannot understand alone
#
# Each rule names a kind of sentence that must be written out:
#
#   persons     code and hardware are things: name the thread, rank or link
#   opening     a comment is a sentence with a subject and a verb, and does not
#               continue another one
#   phrase      words that say less than they seem to
#   last line   a comment that has text on its first line also has text on its
#               last one; clang-format leaves a line with only its end behind
#
# A comment behind code on its line may be a noun phrase.  A comment of fewer
# than three words, a ruler and the text of a licence are not checked.  These
# rules find three fifths of the comments that readers call unclear.

BEGIN {
    split("who whom whoever nobody somebody anybody everybody he him his", \
          word, " ")
    for (i in word) is_person[word[i]]
    # Openings of one word.
    split("Of What Who Whom Whose Likewise Nor Else Than Nothing None They " \
          "Them And Or Where Whereas", word, " ")
    for (i in word) is_fragment[word[i]]
    # A preposition whose object is a noun clause.
    prepositions = "^(In|By|For|To|From|With|On|At|After|Before|Beside|" \
                   "Behind|Without|Not|Up to) " \
                   "(what|which|whom|who|whose|where|those|that|it|them) "
    # A pronoun that refers to something outside of the comment.
    referents = "^(It(s| (has|is|was|goes|takes|does|stands|may|would|had|" \
                "stays|moves|begins|ends|follows|changes|counts|will|can))|" \
                "Th(os|es)e (that|of|go|have|with|which|it|and|in)|" \
                "The same|That is|But for|" \
                "As (many|often|far|much|where|what|who|it|they|all|such|" \
                "those|is|has|mostly|before)|" \
                "So (all|many|much|are|is|does|do|has|have|often|it))[ ,:;]"
    # "It is" with an adjective or a noun that explains itself.
    impersonal = "^(It is ([a-z]+ )?(safe|unsafe|possible|important|" \
                 "necessary|an error|assumed|required|expected|the caller)|" \
                 "It (may be that|has been)|That is,)"
    trailing = "^([Ww]hat|[Ww]ho|[Ww]here|[Ll]ikewise|" \
               "[Ii]t (has|is not|was|goes|takes|does|stands|may))[ ,:;]"
    vague = " ((is|are) told|told apart|(has|have) (least|most)|" \
            "what (is|was) (there|left|meant|next|said|told|wanted|asked for|" \
            "waited for|under way|not)|what there (is|are)|" \
            "of (its|their) own (is|are)|and (so|nor) (is|are|does|do|has)|" \
            "what (has|have|comes|goes|waits|stands|others|all|it|they) " \
            "(a|[b-su-z][a-z]*|t[a-np-z][a-z]*)) "
}

function refuse(rule) { report(began, rule); is_refused = 1 }

function check_persons(words,    n, part, i) {
    n = split(words, part, " ")
    for (i = 1; i <= n; i++)
        if (part[i] in is_person) {
            refuse("\"" part[i] "\" in a comment: name the thing that is meant")
            return
        }
}

function check_opening(text,    first) {
    first = text
    sub(/[ ,:;].*/, "", first)
    if (text ~ /\?$/ || text ~ impersonal || text ~ /^Of course/) return
    if (is_behind) {
        if (text ~ trailing)
            refuse("a comment begins with \"" first "\": name what it means")
    } else if (first in is_fragment && first != text ||
               (text " ") ~ prepositions || (text " ") ~ referents) {
        refuse("a comment begins with \"" first \
               "\": write a sentence that stands alone")
    }
}

function check_comment(text,    words, part) {
    gsub(/[ \t]+/, " ", text)
    sub(/^[ !<*]+/, "", text)
    sub(/ $/, "", text)
    if (split(text, part, " ") < 3 || text ~ /^[-=_*#+]/ ||
        text ~ /[Ll]icen[sc]e|Copyright/)
        return
    words = " " tolower(text) " "
    gsub(/`[^`]*`|"[^"]*"/, " ", words)
    gsub(/[^a-z@_.\047-]+/, " ", words)
    gsub(/\.+ /, " . ", words)
    check_persons(words)
    if (match(words, vague))
        refuse("\"" substr(words, RSTART + 1, RLENGTH - 2) \
               "\" in a comment: name the thing that is meant")
    if (text ~ /^[a-z_0-9]+\.[a-z]+ - see [^ ]+$/)
        refuse("the head of a file says what the file does")
    # The statement of a file's head follows "name.c - ".
    if (!sub(/^[a-z_0-9\/]+\.[a-z]+ - /, "", text)) check_opening(text)
}

FNR == 1 { is_open = 0 }
{
    line = $0
    while (line != "") {
        if (!is_open) {
            # String literals are skipped, so that a "/*" in one opens nothing.
            if (!match(line, /"([^"\\]|\\.)*"|\/\*/)) break
            token = substr(line, RSTART, RLENGTH)
            if (token == "/*") {
                is_open = 1
                comment = ""
                began = FNR
                has_text = substr(line, RSTART + 2) ~ /[^ \t*]/
                is_behind = substr(line, 1, RSTART - 1) ~ /[^ \t]/
                line = substr(line, RSTART + RLENGTH)
            } else {
                line = "x" substr(line, RSTART + RLENGTH)
            }
        } else {
            sub(/^[ \t]*\*[ \t]/, " ", line)
            at = index(line, "*/")
            if (has_text && line ~ /^[ \t]*\*\/$/)
                refuse("the last line of a comment holds only its end")
            comment = comment " " (at ? substr(line, 1, at - 1) : line)
            if (!at) break
            is_open = 0
            line = substr(line, at + 2)
            check_comment(comment)
        }
    }
}
