package bench

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// The dimensions of the drawing, in pixels.
const (
	svgWidth  = 760
	svgLeft   = 20
	svgPlot   = svgWidth - 2*svgLeft
	svgHigh   = 90 // height of the bars
	svgPanel  = 170
	svgParts  = 60
	svgTop    = 60
	coldFill  = "#3b6ea5"
	warmFill  = "#d9822b"
	startFill = "#9aa5b1"
)

// SVG draws a histogram of each hook and of the whole fire: cold, warm, and the start-up alone.
func (r *Result) SVG() string {
	var b strings.Builder
	panels := len(r.Hooks) + 1
	height := svgTop + panels*svgPanel
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="system-ui, sans-serif" font-size="12">`+"\n", svgWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", svgWidth, height)
	fmt.Fprintf(&b, `<text x="%d" y="26" font-size="16" font-weight="600" fill="#1c2733">%s</text>`+"\n",
		svgLeft, escape(r.Event))
	fmt.Fprintf(&b, `<text x="%d" y="46" fill="#55606b">%d runs of each; the engine adds %.0f µs</text>`+"\n",
		svgLeft, r.N, r.Engine.P50)
	legend(&b)
	panel(&b, r, 0, "whole fire", coldFire, warmFire, "")
	for i, h := range r.Hooks {
		panel(&b, r, i+1, h.Label(), h.ID+cold, h.ID+warmHook, h.ID+startup)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func legend(b *strings.Builder) {
	for i, l := range []struct{ fill, text string }{{coldFill, "cold"}, {warmFill, "warm"}, {startFill, "start-up alone"}} {
		x := svgWidth - svgLeft - 260 + 80*i
		fmt.Fprintf(b, `<rect x="%d" y="16" width="12" height="12" fill="%s" fill-opacity="0.75"/>`, x, l.fill)
		fmt.Fprintf(b, `<text x="%d" y="26" fill="#1c2733">%s</text>`+"\n", x+17, l.text)
	}
}

// panel draws the histogram of one hook.
func panel(b *strings.Builder, r *Result, at int, title, coldName, warmName, startName string) {
	lists := [][]float64{r.Samples[startName], r.Samples[coldName], r.Samples[warmName]}
	from, width, counts := bins(svgParts, lists...)
	top := svgTop + at*svgPanel
	base := top + 24 + svgHigh
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="600" fill="#1c2733">%s</text>`+"\n", svgLeft, top+14, escape(cut(title, 90)))
	most := 1
	for _, n := range counts {
		if len(n) > 0 {
			most = max(most, slices.Max(n))
		}
	}
	bar := float64(svgPlot) / svgParts
	for i, fill := range []string{startFill, coldFill, warmFill} {
		for part, n := range counts[i] {
			if n == 0 {
				continue
			}
			high := float64(svgHigh*n) / float64(most)
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="0.75"/>`+"\n",
				svgLeft+bar*float64(part), float64(base)-high, bar-1, high, fill)
		}
	}
	fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%[2]d" stroke="#55606b"/>`+"\n", svgLeft, base, svgLeft+svgPlot)
	axis(b, base, from, width)
	medians(b, r, base+34, coldName, warmName, startName)
}

// axis labels the quarters of the range.
func axis(b *strings.Builder, base int, from, width float64) {
	for i, anchor := range []string{"start", "middle", "middle", "middle", "end"} {
		x := svgLeft + svgPlot*i/4
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s" fill="#55606b">%s</text>`+"\n",
			x, base+15, anchor, inMS(from+width*svgParts*float64(i)/4))
	}
}

func medians(b *strings.Builder, r *Result, y int, coldName, warmName, startName string) {
	var parts []string
	for _, s := range []struct{ word, name string }{{"cold", coldName}, {"warm", warmName}, {"start-up", startName}} {
		if values := r.Samples[s.name]; len(values) > 0 {
			ranks := ranksOf(values)
			parts = append(parts, fmt.Sprintf("%s %s / %s / %s", s.word, inMS(ranks.P50), inMS(ranks.P95), inMS(ranks.P99)))
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="11" fill="#55606b">p50 / p95 / p99: %s</text>`+"\n",
		svgLeft, y, escape(strings.Join(parts, " · ")))
}

// escape makes text part of an SVG. It replaces control characters, which XML does not allow, by blanks.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0xfffe || c == 0xffff {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "?")))
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
