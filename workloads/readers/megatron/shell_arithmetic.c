/*
 * shell_arithmetic.c - whole-number arithmetic of the shell; see
 * shell_arithmetic.h
 */
#include "workloads/readers/megatron/shell_arithmetic.h"

#include <string.h>

#define MAX_DEPTH 32 /* of brackets and signs */

typedef struct {
    const char *at;
    ShellFindNumber find;
    gpointer data;
    guint depth;
} Expression;

static gboolean read_arithmetic_sum(Expression *e, gint64 *ret);

static char next_char_of_expression(Expression *e)
{
    while (g_ascii_isspace(*e->at))
        e->at++;
    return *e->at;
}

static gboolean is_in_range(gint64 value)
{
    return value >= -SHELL_MAX_NUMBER && value <= SHELL_MAX_NUMBER;
}

static gboolean read_arithmetic_variable(Expression *e, gint64 *ret)
{
    gboolean has_brace;
    gsize n;
    g_autofree char *name = NULL;

    if (*e->at == '$')
        e->at++;
    has_brace = *e->at == '{';
    if (has_brace)
        e->at++;
    n = strspn(e->at, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
    name = g_strndup(e->at, n);
    e->at += n;
    if (has_brace && *e->at++ != '}')
        return FALSE;
    return n > 0 && e->find(e->data, name, ret);
}

static gboolean read_arithmetic_number(Expression *e, gint64 *ret)
{
    char *end;
    guint64 value = g_ascii_strtoull(e->at, &end, 10);

    if (value > (guint64)SHELL_MAX_NUMBER)
        return FALSE;
    *ret = (gint64)value;
    e->at = end;
    return TRUE;
}

/* Reads a number, a variable, or a sum in brackets, with signs before it. */
static gboolean read_arithmetic_factor(Expression *e, gint64 *ret)
{
    gboolean ok;
    char c = next_char_of_expression(e);

    if (g_ascii_isdigit(c))
        return read_arithmetic_number(e, ret);
    if (c != '(' && c != '-' && c != '+')
        return read_arithmetic_variable(e, ret);
    if (++e->depth > MAX_DEPTH)
        return FALSE;
    e->at++;
    ok =
        c == '(' ? read_arithmetic_sum(e, ret) : read_arithmetic_factor(e, ret);
    if (ok && c == '(')
        ok = next_char_of_expression(e) == ')' && *e->at++ != '\0';
    if (c == '-' && ok)
        *ret = -*ret;
    e->depth--;
    return ok;
}

static gboolean read_arithmetic_product(Expression *e, gint64 *ret)
{
    gint64 right;

    if (!read_arithmetic_factor(e, ret))
        return FALSE;
    for (char c = next_char_of_expression(e); c == '*' || c == '/' || c == '%';
         c = next_char_of_expression(e)) {
        e->at++;
        if (!read_arithmetic_factor(e, &right) || (c != '*' && right == 0))
            return FALSE;
        if (c == '*' && __builtin_mul_overflow(*ret, right, ret))
            return FALSE;
        if (c == '/')
            *ret /= right;
        if (c == '%')
            *ret %= right;
        if (!is_in_range(*ret))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_arithmetic_sum(Expression *e, gint64 *ret)
{
    gint64 right;

    if (!read_arithmetic_product(e, ret))
        return FALSE;
    for (char c = next_char_of_expression(e); c == '+' || c == '-';
         c = next_char_of_expression(e)) {
        e->at++;
        if (!read_arithmetic_product(e, &right))
            return FALSE;
        *ret += c == '+' ? right : -right;
        if (!is_in_range(*ret))
            return FALSE;
    }
    return TRUE;
}

gboolean shell_arithmetic(const char *text, ShellFindNumber find, gpointer data,
                          gint64 *ret)
{
    Expression e = { .at = text, .find = find, .data = data };

    return read_arithmetic_sum(&e, ret) && next_char_of_expression(&e) == '\0';
}
