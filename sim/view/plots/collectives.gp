# collectives.gp - points.dat: panel, series, payload in bytes, busbw in GB/s
# Upper panel: busbw as it is.  Lower one: the same by its logarithm, which
# shows what small payloads take.

set ytics nomirror
set border 3
set logscale x 2
set xtics nomirror offset 0, 0.4 ('1 B' 1, '16 B' 16, '256 B' 256, \
    '4 KiB' 2.0**12, '64 KiB' 2.0**16, '1 MiB' 2.0**20, '16 MiB' 2.0**24, \
    '256 MiB' 2.0**28, '4 GiB' 2.0**32, '64 GiB' 2.0**36)
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    if (i == 1) {
        set yrange [0:*]
    } else {
        set logscale y
        set format y '%g'
        set yrange [*:*]
    }
    plot 'points.dat' using ($1 == i ? $3 : NaN):4 with lines \
             linewidth 1 linecolor rgb soft, \
         for [s = 1:n_series] '' \
             using ($1 == i && $2 == s ? $3 : NaN):4 with points \
             pointtype mark_of(s) pointsize 0.7 linecolor rgb colour_of(s)
}
