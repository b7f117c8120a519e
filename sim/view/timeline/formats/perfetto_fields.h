/*
 * perfetto_fields.h - numbers of fields and values of Perfetto's protobuf
 *
 * Names are MESSAGE_FIELD, in the order of messages in a file.
 *
 * Sources  protos/perfetto/trace of github.com/google/perfetto:
 *          trace_packet.proto, clock_snapshot.proto,
 *          interned_data/interned_data.proto,
 *          track_event/track_descriptor.proto, track_event.proto and
 *          debug_annotation.proto
 */
#ifndef SIM_VIEW_TIMELINE_PERFETTO_FIELDS_H
#define SIM_VIEW_TIMELINE_PERFETTO_FIELDS_H

enum {
    TRACE_PACKET = 1,

    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK_ID = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,

    CLOCKS_CLOCK = 1,
    CLOCK_ID = 1,
    CLOCK_TIME = 2,
    CLOCK_IS_INCREMENTAL = 3,

    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_ARG = 3,
    ENTRY_ID = 1,
    ENTRY_NAME = 2,

    TRACK_ID = 1,
    TRACK_NAME = 2,
    TRACK_ABOVE = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDER = 11,
    TRACK_RANK = 12,

    EVENT_CATEGORY = 3,
    EVENT_ARG = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_COUNT = 30,
    EVENT_COUNT_DOUBLE = 44,

    ARG_NAME = 1,
    ARG_BOOL = 2,
    ARG_NUMBER = 3,
    ARG_TEXT = 6,
};

enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };

enum {
    SEQUENCE = 1,
    FLAGS_FIRST = 1,    /* earlier interned data is invalid */
    FLAGS_OTHERS = 2,   /* needs earlier interned data */
    CLOCK_OF_TRACE = 6, /* the clock of the trace, which is BOOTTIME */
    /* The clock of acesim: the first id that a file may define. */
    CLOCK_OURS = 64,
    ORDER_TOLD = 3, /* tracks are ordered by their TRACK_RANK */
};

#endif
