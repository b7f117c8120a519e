# chart.gp - shapes of a chart, which stand in pixels in their files

reset
set encoding utf8
set datafile separator "\t"
set datafile commentschars ''
unset key
unset border
unset tics
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
set xrange [0:width]
set yrange [height:0]
if (n_boxes > 0) {
    plot 'boxes.dat' using (($1 + $3) / 2):(($2 + $4) / 2):1:3:2:4:5 \
        with boxxyerror fill solid 1 noborder linecolor rgb variable
}
if (n_strokes > 0) {
    do for [w = 1:4] {
        plot 'strokes.dat' using ($6 == w ? $1 : NaN):2:($3 - $1):($4 - $2):5 \
            with vectors nohead linewidth w linecolor rgb variable
    }
}
# A point of size 1 is 8 pixels wide.
if (n_dots > 0) {
    plot 'dots.dat' using ($4 == 0 ? $1 : NaN):2:($3 / 8):5 with points \
             pointtype 7 pointsize variable linecolor rgb variable, \
         '' using ($4 == 1 ? $1 : NaN):2:($3 / 8 - 0.25):(0xffffff) with points \
             pointtype 7 pointsize variable linecolor rgb variable, \
         '' using ($4 == 1 ? $1 : NaN):2:($3 / 8 - 0.25):5 with points \
             pointtype 6 pointsize variable linewidth 2 linecolor rgb variable
}
do for [a = 0:2] {
    if (n_labels[a + 1] > 0 && a == 0) {
        plot 'labels.dat' using ($3 == a ? $1 : NaN):2:(strcol(5)):4 \
            with labels left font ',11' textcolor rgb variable
    }
    if (n_labels[a + 1] > 0 && a == 1) {
        plot 'labels.dat' using ($3 == a ? $1 : NaN):2:(strcol(5)):4 \
            with labels right font ',11' textcolor rgb variable
    }
    if (n_labels[a + 1] > 0 && a == 2) {
        plot 'labels.dat' using ($3 == a ? $1 : NaN):2:(strcol(5)):4 \
            with labels center font ',11' textcolor rgb variable
    }
}
