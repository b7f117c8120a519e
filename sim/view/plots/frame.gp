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

# The styles of canvas.h in their order.  Some gnuplots crash on labels that are
# none, so a style without texts is not drawn.
array face[9] = ['DejaVu Sans:Bold,16', ',12', 'DejaVu Sans:Bold,12', ',11', \
                 'DejaVu Sans:Bold,11', ',11', ',12', ',11', ',11']
array tint[9] = [ink, soft, ink, ink, ink, ink, ink, soft, soft]
do for [k = 1:9] {
    if (n_texts[k] > 0 && (k <= 5 || k == 7)) {
        plot 'texts.dat' using ($1 == k - 1 ? $2 : NaN):3:(strcol(4)) \
            with labels left font face[k] textcolor rgb tint[k]
    }
    if (n_texts[k] > 0 && k == 6) {
        plot 'texts.dat' using ($1 == k - 1 ? $2 : NaN):3:(strcol(4)) \
            with labels right font face[k] textcolor rgb tint[k]
    }
    if (n_texts[k] > 0 && k == 8) {
        plot 'texts.dat' using ($1 == k - 1 ? $2 : NaN):3:(strcol(4)) \
            with labels center font face[k] textcolor rgb tint[k]
    }
    if (n_texts[k] > 0 && k == 9) {
        plot 'texts.dat' using ($1 == k - 1 ? $2 : NaN):3:(strcol(4)) \
            with labels center rotate by 90 font face[k] textcolor rgb tint[k]
    }
}

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
             with vectors nohead linewidth 2 linecolor rgb ink, \
         '' using ($2 == i - 1 && $1 == 4 ? $3 + 12 : NaN):4 with points \
             pointtype 7 pointsize 0.7 linecolor rgb ink
}
unset multiplot
