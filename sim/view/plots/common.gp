# common.gp - before every plot.  The program puts numbers and a terminal
# before it; texts and data are in *.dat, cells apart by tabs.

set encoding utf8
set decimalsign '.'
set datafile separator "\t"
set datafile commentschars ''
set datafile missing ''

# Okabe and Ito's colours, those first that stand apart on white and on black.
array colour[7] = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#56b4e9', \
                   '#cc79a7', '#999999']
array mark[7] = [7, 5, 9, 11, 13, 6, 4]
ink = '#333333'
soft = '#666666'
rule = '#dddddd'
colour_of(i) = colour[(i - 1) % 7 + 1]
mark_of(i) = mark[(i - 1 + (i - 1) / 7) % 7 + 1]
dash_of(i) = i > 7 ? 2 : 1
set dashtype 2 (3, 2)
entry_colour(i) = colour_of(i)

# Pixels as parts of the screen.
at_x(px) = 1.0 * px / width
at_y(px) = 1 - 1.0 * px / height

# Steps of 1, 2 or 5 times a power of ten, one in 45 pixels at most.
digit(x) = x <= 1 ? 1 : x <= 2 ? 2 : x <= 5 ? 5 : 10
power(x) = 10.0 ** floor(log10(x))
step_of(x) = digit(x / power(x)) * power(x)
tic_step(span) = step_of(1.0 * span / (panel_w > 90 ? floor(panel_w / 45) : 2))

set tics font ',10' textcolor rgb soft
set tics scale 0.5, 0
set border linecolor rgb soft
set grid linecolor rgb rule linetype 1 linewidth 1
unset key
set multiplot
