/* embedded_json.c - parses JSON that is embedded in Perfetto's protobuf */
#include "workloads/readers/timeline/timeline_state_impl.h"

void timeline_read_text(TimelineRead *t, const TimelineArg *text,
                        void (*read)(TimelineRead *t, gpointer data),
                        gpointer data)
{
    g_autoptr(Source) source =
        source_from_memory(source_name(t->source), text->text, text->n_bytes);
    g_autoptr(JsonPull) pull = json_pull_new(source);

    t->pull = pull;
    read(t, data);
    t->pull = NULL;
    (void)!json_pull_report_error(pull, t->error ? NULL : &t->error);
}
