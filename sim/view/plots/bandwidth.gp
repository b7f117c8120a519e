# bandwidth.gp - points.dat: panel, series, x, y, what the links allow
# marks.dat: panel, x, y, 1 where the text is drawn, text; every panel has one

set xtics nomirror offset 0, 0.4
set ytics nomirror
set border 3
set offsets 0, graph 0.08, 0, 0 # for the number of a mark at the end
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    if (log_x) {
        set logscale x 2
        set xrange [*:*]
        set xtics ('1 B' 1, '16 B' 16, '256 B' 256, '4 KiB' 2.0**12, \
            '64 KiB' 2.0**16, '1 MiB' 2.0**20, '16 MiB' 2.0**24, \
            '256 MiB' 2.0**28, '4 GiB' 2.0**32, '64 GiB' 2.0**36)
    } else {
        set xrange [0:*]
    }
    set yrange [0:*]
    plot for [s = 1:n_series] 'points.dat' \
             using ($1 == i && $2 == s ? $3 : NaN):5 with lines \
             linewidth 1.5 dashtype 3 linecolor rgb soft, \
         for [s = 1:n_series] '' \
             using ($1 == i && $2 == s ? $3 : NaN):4 with linespoints \
             linewidth 2 dashtype dash_of(s) pointtype mark_of(s) \
             pointsize 0.4 linecolor rgb colour_of(s), \
         'marks.dat' using ($1 == i ? $2 : NaN):3 with points \
             pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb ink, \
         '' using ($1 == i && $4 == 1 ? $2 : NaN):3:(strcol(5)) with labels \
             left offset 0.8, -0.8 font ',10' textcolor rgb ink
}
