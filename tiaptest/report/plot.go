package report

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tiaptest/tiap/internal/phrase"
)

// plot draws itself as an SVG element. Colours are classes of the style sheet, so
// that they follow light, dark and print; what a colour says stands in words or
// places too.
type plot interface {
	draw(*canvas)
}

// canvas gathers SVG elements. Its coordinates are rounded to tenths.
type canvas struct {
	b      strings.Builder
	height float64
}

// width is that of every plot, in the units of its characters: 13 a line.
const width = 640

// coordinate writes a number with one decimal at most.
func coordinate(x float64) string {
	s := fmt.Sprintf("%.1f", x)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

func (c *canvas) rect(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(&c.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, coordinate(x), coordinate(y), coordinate(w), coordinate(h))
	if title == "" {
		c.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></rect>", escape(title))
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2))
}

// text writes a text whose anchor is "start", "middle" or "end", cut to the room of
// so many usual characters.
func (c *canvas) text(class, anchor string, x, y float64, t string, room int) {
	t = fit(t, float64(room))
	fmt.Fprintf(&c.b, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, coordinate(x), coordinate(y), anchor, escape(t))
}

// fit cuts a text to the room of so many usual characters.
func fit(t string, room float64) string {
	used, end := 0.0, 0 // end: how much fits with two dots behind it
	for i, r := range t {
		if used <= room-advance('.')*2 {
			end = i
		}
		if used += advance(r); used > room {
			_, first := utf8.DecodeRuneInString(t)
			return t[:max(first, end)] + ".."
		}
	}
	return t
}

// advance is about how wide a character is in a wide font without serifs, in
// usual characters, so that a text leaves its plot in no font.
func advance(r rune) float64 {
	switch {
	case placesOf(r) != 1:
		return float64(placesOf(r))
	case strings.ContainsRune("mwMW@%&<>=+~", r) || r >= 0x2000:
		return 1.8
	case strings.ContainsRune(" .,:;'|!iljtf()[]{}/\\", r):
		return 0.7
	case r < 0x250:
		return 1.2
	}
	return 1.5
}

// svg returns a plot as an element that screen readers take for one picture.
func svg(p plot, alt string) string {
	var c canvas
	p.draw(&c)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" role="img" aria-label="%s">%s</svg>`,
		width, coordinate(c.height), escape(alt), c.b.String())
}

// escape makes text safe in elements and attributes of HTML and XML. A log reader
// takes "##[" for a command.
func escape(s string) string { return strings.ReplaceAll(html.EscapeString(s), "##[", "##&#91;") }

// scale maps values to places.
type scale struct{ from, to, left, right float64 }

func (s scale) at(v float64) float64 {
	return s.left + (v-s.from)/(s.to-s.from)*(s.right-s.left)
}

// ticks are round numbers in the scale's range, about n of them.
func (s scale) ticks(n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((s.to-s.from)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (s.to-s.from)/(step*f) <= float64(n) {
			step *= f
			break
		}
	}
	var out []float64
	for i := math.Ceil(s.from/step - 1e-9); i <= math.Floor(s.to/step+1e-9); i++ {
		out = append(out, i*step)
	}
	return out
}

// tick writes a tick without the noise of binary fractions.
func tick(v float64) string {
	s := fmt.Sprintf("%.4f", v)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// axis draws ticks, grid and name below a plot that ends at y.
func (c *canvas) axis(s scale, top, y float64, name string) {
	for _, v := range s.ticks(6) {
		c.line("grid", s.at(v), top, s.at(v), y)
		c.text("tick", "middle", s.at(v), y+16, tick(v), 12)
	}
	c.text("axis", "middle", (s.left+s.right)/2, y+34, name, 60)
	c.height = y + 42
}

// forest is a forest plot: a gap and its interval a row, by pair.
type forest struct {
	axis   string
	groups []forestGroup
}

type forestGroup struct {
	label text
	rows  []forestRow
}

type forestRow struct {
	label text
	value float64
	ci    []float64 // nil when undefined
	tone  tone
	title string // what the line says; "" for an interval
}

// add appends a row to the group of that label, which is the last one or new.
func (f *forest) add(label text, row forestRow) {
	if n := len(f.groups); n == 0 || f.groups[n-1].label.String() != label.String() {
		f.groups = append(f.groups, forestGroup{label: label})
	}
	last := &f.groups[len(f.groups)-1]
	last.rows = append(last.rows, row)
}

// trim keeps as many groups as a plot may have and says what it leaves out.
func (f *forest) trim() string {
	n := len(f.groups) - maxForest
	if n <= 0 {
		return ""
	}
	f.groups = f.groups[:maxForest]
	return fmt.Sprintf("; %d more are not drawn", n)
}

const (
	labelWidth = 170
	rowHeight  = 20
)

func (f forest) draw(c *canvas) {
	low, high := 0.0, 0.0
	for _, g := range f.groups {
		for _, r := range g.rows {
			low, high = min(low, r.value), max(high, r.value)
			if r.ci != nil {
				low, high = min(low, r.ci[0]), max(high, r.ci[1])
			}
		}
	}
	margin := max(0.05*(high-low), 1e-3)
	s := scale{low - margin, high + margin, labelWidth, width - 70}
	height := 0.0
	for _, g := range f.groups {
		height += rowHeight*float64(len(g.rows)) + 26
	}
	c.axis(s, 4, height+4, f.axis)
	c.line("zero", s.at(0), 4, s.at(0), height+4)
	y := 0.0
	for _, g := range f.groups {
		c.text("group", "start", 0, y+18, g.label.String(), 70)
		y += 26
		for _, r := range g.rows {
			mid := y + rowHeight/2
			c.text("label", "end", labelWidth-10, mid+4, r.label.String(), 22)
			class := string(r.tone)
			if class == "" {
				class = string(muted)
			}
			if r.ci != nil {
				c.line("interval "+class, s.at(r.ci[0]), mid, s.at(r.ci[1]), mid)
			}
			c.rect("mark "+class, s.at(r.value)-4, mid-4, 8, 8, fmt.Sprintf("%s, %s: %s %s", g.label, r.label, phrase.Signed(r.value), cmp.Or(r.title, phrase.Interval(r.ci))))
			c.text("value", "start", width-62, mid+4, phrase.Signed(r.value), 9)
			y += rowHeight
		}
	}
}

// histogram has a panel for each target.
type histogram struct {
	axis   string
	panels []histogramPanel
}

// histogramPanel counts queries by their difference, in tenths away from 0.
type histogramPanel struct {
	title        text
	below, above [bins]int
	equal        int
}

func (h histogram) draw(c *canvas) {
	n := float64(len(h.panels))
	const gutter = 24
	each := (width - gutter*(n-1)) / n
	const top, tall = 24.0, 110.0
	most := 1
	for _, p := range h.panels {
		for i := range bins {
			most = max(most, p.below[i], p.above[i])
		}
	}
	for i, p := range h.panels {
		left := float64(i) * (each + gutter)
		step := each / (2*bins + 1)
		c.text("group", "start", left, 14, p.title.String(), int(each/8))
		bar := func(class string, slot int, n int, from, to float64) {
			if n == 0 {
				return
			}
			h := max(1, tall*min(1, float64(n)/float64(most)))
			c.rect("bar "+class, left+float64(slot)*step+0.5, top+tall-h, step-1, h, fmt.Sprintf("%d of difference %s to %s", n, tick(from), tick(to)))
		}
		for k := range bins {
			bar("second", bins-1-k, p.below[k], -float64(k+1)/bins, -float64(k)/bins)
			bar("first", bins+1+k, p.above[k], float64(k)/bins, float64(k+1)/bins)
		}
		// Equal values are often most of all: their bar ends at the top, its
		// number says how many there are.
		bar("muted", bins, p.equal, 0, 0)
		c.line("zero", left, top+tall, left+each, top+tall)
		c.text("tick", "start", left, top+tall+16, "-1", 4)
		c.text("tick", "middle", left+each/2, top+tall+16, "0", 4)
		c.text("tick", "end", left+each, top+tall+16, "+1", 4)
		c.text("tick", "middle", left+each/2, top+tall+32, fmt.Sprintf("%d equal, highest bar %d", p.equal, most), int(each/6.5))
	}
	c.text("axis", "middle", width/2, top+tall+52, h.axis, 60)
	c.height = top + tall + 60
}

// bars are horizontal bars of shares that are stacked.
type bars struct {
	axis   string
	legend []string
	judged bool // the parts are good, bad and neither, not steps of a size
	rows   []bar
}

// palette begins the classes of the parts.
func (p bars) palette() string { return [2]string{"step", "share"}[boolInt(p.judged)] }

// trim keeps as many bars as a plot may have and says what it leaves out.
func (p *bars) trim() string {
	n := len(p.rows) - maxBars
	if n <= 0 {
		return ""
	}
	p.rows = p.rows[:maxBars]
	return fmt.Sprintf("; %d more are not drawn", n)
}

type bar struct {
	label  text
	shares []float64
}

func (p bars) draw(c *canvas) {
	top := 0.0
	if len(p.legend) > 0 {
		x := float64(labelWidth)
		for i, name := range p.legend {
			c.rect(fmt.Sprintf("bar %s%d", p.palette(), i), x, 3, 12, 12, "")
			c.text("tick", "start", x+16, 13, name, 16)
			x += 34 + 7*float64(len(name))
		}
		top = 22
	}
	s := scale{0, 1, labelWidth, width - 56}
	c.axis(s, top, top+rowHeight*float64(len(p.rows))+4, p.axis)
	for i, r := range p.rows {
		y := top + rowHeight*float64(i)
		c.text("label", "end", labelWidth-10, y+15, r.label.String(), 24)
		at := 0.0
		for k, share := range r.shares {
			class := "bar first"
			name := ""
			if len(p.legend) > 0 {
				class, name = fmt.Sprintf("bar %s%d", p.palette(), k), " "+p.legend[k]
			}
			if share > 0 {
				c.rect(class, s.at(at), y+3, s.at(at+share)-s.at(at), rowHeight-5, fmt.Sprintf("%s: %.1f%%%s", r.label, 100*share, name))
			}
			at += share
		}
		if len(p.legend) == 0 {
			c.text("value", "start", width-50, y+15, fmt.Sprintf("%.1f%%", 100*r.shares[0]), 8)
		}
	}
}

// heat is a heat map whose cells show their numbers.
type heat struct {
	low, high     float64
	rows, columns []text
	values        [][]*float64
}

func (h heat) draw(c *canvas) {
	const top = 44.0
	wide := (width - labelWidth) / float64(len(h.columns))
	for j, name := range h.columns {
		// Names stand in two lines by turns, each over half of its neighbours.
		room := 2 * wide
		if j == len(h.columns)-1 {
			room = wide
		}
		c.text("tick", "middle", labelWidth+wide*(float64(j)+0.5), 16+14*float64(j%2), name.String(), int(room/7))
	}
	for i, name := range h.rows {
		y := top + 22*float64(i)
		c.text("label", "end", labelWidth-10, y+15, name.String(), 24)
		for j, v := range h.values[i] {
			x := labelWidth + wide*float64(j)
			if v == nil {
				c.text("tick", "middle", x+wide/2, y+15, "-", 4)
				continue
			}
			step := min(4, int(5*(*v-h.low)/(h.high-h.low)))
			c.rect(fmt.Sprintf("heat heat%d", step), x+1, y+1, wide-2, 20, "")
			c.text(fmt.Sprintf("heattext%d", step), "middle", x+wide/2, y+15, fmt.Sprintf("%.2f", *v), 6)
		}
	}
	c.height = top + 22*float64(len(h.rows)) + 4
}

// lines draws curves over a logarithmic depth.
type lines struct {
	x, y  string
	lines []line
}

type line struct {
	name   text
	points [][2]float64
}

func (p lines) draw(c *canvas) {
	const left, right, top, bottom = 46.0, width - 130.0, 10.0, 190.0
	low, high := math.Inf(1), math.Inf(-1)
	first, last := math.Inf(1), math.Inf(-1)
	for _, l := range p.lines {
		for _, xy := range l.points {
			first, last = min(first, xy[0]), max(last, xy[0])
			low, high = min(low, xy[1]), max(high, xy[1])
		}
	}
	low, high = max(0, low-0.02), min(1, high+0.02)
	xs := scale{math.Log(first), math.Log(last), left, right}
	ys := scale{low, high, bottom, top}
	for _, v := range ys.ticks(5) {
		c.line("grid", left, ys.at(v), right, ys.at(v))
		c.text("tick", "end", left-6, ys.at(v)+4, tick(v), 6)
	}
	used := left - 100
	ends := []float64{}
	for i, l := range p.lines {
		var path strings.Builder
		for k, xy := range l.points {
			x, y := xs.at(math.Log(xy[0])), ys.at(xy[1])
			fmt.Fprintf(&path, "%s%s %s", [2]string{"L", "M"}[boolInt(k == 0)], coordinate(x), coordinate(y))
			if i == 0 && x-used > 26 {
				c.text("tick", "middle", x, bottom+16, tick(xy[0]), 6)
				used = x
			}
		}
		fmt.Fprintf(&c.b, `<path class="line line%d" d="%s"/>`, i%5, path.String())
		// Names stand at the ends of their lines, moved apart where they meet.
		end := ys.at(l.points[len(l.points)-1][1])
		for moved := true; moved; {
			moved = false
			for _, e := range ends {
				if math.Abs(e-end) < 14 {
					end, moved = e+14, true
				}
			}
		}
		ends = append(ends, end)
		c.text(fmt.Sprintf("label name%d", i%5), "start", right+8, end+4, l.name.String(), 16)
	}
	c.line("zero", left, bottom, right, bottom)
	c.text("axis", "middle", (left+right)/2, bottom+34, p.x+" (logarithmic), "+p.y, 60)
	c.height = bottom + 42
}

// matrix shows which of many systems leads which.
type matrix struct {
	names  []text
	panels []matrixPanel
}

// matrixPanel has 1 where the system of a row leads that of a column, -1 where it
// is led, 0 where neither is known to lead.
type matrixPanel struct {
	title text
	leads [][]int8
}

func (m matrix) draw(c *canvas) {
	n := float64(len(m.names))
	named := len(m.names) <= 30
	label := 0.0
	if named {
		label = 90
	}
	panels := float64(len(m.panels))
	const gutter = 16
	each := min(300, (width-label-gutter*(panels-1))/panels)
	step := each / n
	const top = 24
	for i, name := range m.names {
		if named {
			c.text("tick", "end", label-6, top+step*(float64(i)+0.5)+4, name.String(), 13)
		}
	}
	for k, p := range m.panels {
		left := label + float64(k)*(each+gutter)
		c.text("group", "start", left, 14, p.title.String(), int(each/8))
		c.rect("frame", left, top, each, each, "")
		for _, of := range []struct {
			lead  int8
			class string
		}{{1, "first"}, {-1, "second"}} {
			var path strings.Builder
			for i := range p.leads {
				for j := range p.leads[i] {
					if p.leads[i][j] == of.lead {
						w := step
						if named {
							w--
						}
						fmt.Fprintf(&path, "M%s %sh%sv%sh-%sz", coordinate(left+step*float64(j)), coordinate(top+step*float64(i)), coordinate(w), coordinate(w), coordinate(w))
					}
				}
			}
			if path.Len() > 0 {
				fmt.Fprintf(&c.b, `<path class="bar %s" d="%s"/>`, of.class, path.String())
			}
		}
	}
	c.height = top + each + 28
	c.rect("bar first", label, top+each+10, 12, 12, "")
	c.text("tick", "start", label+18, top+each+20, "the row leads", 20)
	c.rect("bar second", label+130, top+each+10, 12, 12, "")
	c.text("tick", "start", label+148, top+each+20, "the column leads", 20)
}
