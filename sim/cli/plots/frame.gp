# frame.gp - after every plot: texts and legend over the whole image

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

# The styles of canvas.h in their order.
plot 'texts.dat' using ($1 == 0 ? $2 : NaN):3:(strcol(4)) \
         with labels left font 'DejaVu Sans:Bold,16' textcolor rgb ink, \
     '' using ($1 == 1 ? $2 : NaN):3:(strcol(4)) \
         with labels left font ',12' textcolor rgb soft, \
     '' using ($1 == 2 ? $2 : NaN):3:(strcol(4)) \
         with labels left font 'DejaVu Sans:Bold,12' textcolor rgb ink, \
     '' using ($1 == 3 ? $2 : NaN):3:(strcol(4)) \
         with labels left font ',11' textcolor rgb ink, \
     '' using ($1 == 4 ? $2 : NaN):3:(strcol(4)) \
         with labels left font 'DejaVu Sans:Bold,11' textcolor rgb ink, \
     '' using ($1 == 5 ? $2 : NaN):3:(strcol(4)) \
         with labels right font ',11' textcolor rgb ink, \
     '' using ($1 == 6 ? $2 : NaN):3:(strcol(4)) \
         with labels left font ',12' textcolor rgb ink, \
     '' using ($1 == 7 ? $2 : NaN):3:(strcol(4)) \
         with labels center font ',11' textcolor rgb soft, \
     '' using ($1 == 8 ? $2 : NaN):3:(strcol(4)) \
         with labels center rotate by 90 font ',11' textcolor rgb soft

do for [i = 1:n_entries] {
    plot 'legend.dat' using ($2 == i - 1 && $1 == 0 ? $3 + 4 : NaN): \
             ($4 - 6):($3 + 4):($3 + 20):($4 - 6):($4 + 6) with boxxyerror \
             fill solid 1 noborder linecolor rgb entry_colour(i), \
         '' using ($2 == i - 1 && $1 == 1 ? $3 : NaN):4:(24):(0) with vectors \
             nohead linewidth 2 dashtype dash_of(i) linecolor rgb colour_of(i), \
         '' using ($2 == i - 1 && $1 == 1 ? $3 + 12 : NaN):4 with points \
             pointtype mark_of(i) pointsize 0.8 linecolor rgb colour_of(i), \
         '' using ($2 == i - 1 && $1 == 2 ? $3 : NaN):4:(24):(0) with vectors \
             nohead linewidth 1.5 dashtype 3 linecolor rgb soft, \
         '' using ($2 == i - 1 && $1 == 3 ? $3 + 12 : NaN):($4 - 7):(0):(14) \
             with vectors nohead linewidth 2 linecolor rgb ink
}
unset multiplot
