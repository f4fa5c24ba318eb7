package tracepage

// patch holds the changes from one frame to another: single changed rows, and then one range of rows.
type patch struct {
	frame                  // the new frame, without rows
	From    int            `json:"from"` // version of the frame to which the patch applies
	Changed []moved        `json:"changed"`
	At      int            `json:"at"`
	Drop    int            `json:"drop"`
	New     []waterfallRow `json:"new"`
}

type moved struct {
	I   int          `json:"i"`
	Row waterfallRow `json:"row"`
}

// diff returns the patch from one frame to another. Rows with equal keys at the beginning and at the end are kept.
func diff(old, now *frame) *patch {
	p := &patch{frame: *now, From: old.Version, Changed: []moved{}, New: []waterfallRow{}}
	p.frame.Rows, p.frame.lines = nil, nil
	head := 0
	for head < len(old.Rows) && head < len(now.Rows) && old.Rows[head].Key == now.Rows[head].Key {
		head++
	}
	tail := 0
	for tail < len(old.Rows)-head && tail < len(now.Rows)-head &&
		old.Rows[len(old.Rows)-1-tail].Key == now.Rows[len(now.Rows)-1-tail].Key {
		tail++
	}
	for i := range head {
		if old.Rows[i] != now.Rows[i] {
			p.Changed = append(p.Changed, moved{i, now.Rows[i]})
		}
	}
	for i := range tail {
		was, is := len(old.Rows)-1-i, len(now.Rows)-1-i
		if old.Rows[was] != now.Rows[is] {
			p.Changed = append(p.Changed, moved{was, now.Rows[is]})
		}
	}
	p.At, p.Drop = head, len(old.Rows)-head-tail
	p.New = append(p.New, now.Rows[head:len(now.Rows)-tail]...)
	return p
}
