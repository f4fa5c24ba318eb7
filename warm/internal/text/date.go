package text

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// date prints the time in a format of numbers, or of English names where the locale has them.
func date(args []string) (run, error) {
	utc, format := false, ""
	for _, arg := range args {
		switch {
		case arg == "-u" || arg == "--utc":
			utc = true
		case arg == "-Iseconds" && format == "":
			format = "%Y-%m-%dT%H:%M:%S%:z"
		case arg == "-I" && format == "":
			format = "%Y-%m-%d"
		case len(arg) > 1 && arg[0] == '+' && format == "":
			format = arg[1:]
		default:
			return nil, errArguments
		}
	}
	plain := format == "" // without a format, date uses the form of the locale
	if plain {
		format = "%a %b %e %T %Z %Y"
	}
	if _, _, ok := formatted(format, time.Now()); !ok {
		return nil, errArguments
	}
	return func(p *shell.Process) int {
		now := time.Now()
		if utc {
			now = now.UTC()
		} else {
			now = now.In(zone(p))
		}
		text, words, _ := formatted(format, now)
		if words && !plainWords(p) || plain && !isC(p, "LC_TIME") {
			p.GiveUp("date: the words of this locale")
		}
		p.Print([]byte(text + "\n"))
		return 0
	}, nil
}

// plainWords reports whether the names of days and months are the same as in the locale C.
func plainWords(p *shell.Process) bool {
	for _, name := range []string{"LC_ALL", "LC_TIME", "LANG"} {
		if value := strings.ToLower(p.Env(name)); value != "" {
			return slices.Contains([]string{"c", "posix", "c.utf-8", "c.utf8", "en_us.utf-8", "en_us.utf8"}, value)
		}
	}
	return true
}

// localtime is the file with the time zone of the system.
const localtime = "/etc/localtime"

// mostZone limits the bytes that are read of localtime.
const mostZone = 64 << 10

// zone returns the time zone of a process.
func zone(p *shell.Process) *time.Location {
	switch p.Env("TZ") {
	case "":
		if _, set := p.LookupEnv("TZ"); set {
			return time.UTC
		}
	case "UTC", "UTC0":
		return time.UTC
	default:
		p.GiveUp("date: $TZ")
	}
	f, _, err := bounded.Open(localtime)
	if errors.Is(err, os.ErrNotExist) {
		return time.UTC
	}
	if err != nil {
		p.GiveUp("date: the time zone")
	}
	defer f.Close()
	data := make([]byte, mostZone)
	n, err := f.Read(data)
	if err != nil {
		p.GiveUp("date: the time zone")
	}
	at, err := time.LoadLocationFromTZData("Local", data[:n])
	if err != nil {
		p.GiveUp("date: the time zone")
	}
	return at
}

// conversions lists the formats of package time for the conversions of date.
var conversions = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'F': "2006-01-02", 'T': "15:04:05", 'y': "06",
	'j': "002", 'z': "-0700", 'Z': "MST", 'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'D': "01/02/06", 'R': "15:04",
	'I': "03", 'p': "PM", 'e': "_2",
}

// formatted applies a format; words reports whether the format has names, such as those of days.
func formatted(format string, at time.Time) (text string, words, ok bool) {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' {
			if c >= 0x80 {
				return "", false, false
			}
			out.WriteByte(c)
			continue
		}
		if i++; i == len(format) {
			return "", false, false
		}
		rest := format[i:]
		c = rest[0]
		words = words || strings.IndexByte("aAbBp", c) >= 0
		switch {
		case c == '%':
			out.WriteByte('%')
		case c == 's':
			fmt.Fprint(&out, at.Unix())
		case c == 'N':
			fmt.Fprintf(&out, "%09d", at.Nanosecond())
		case strings.HasPrefix(rest, "3N"):
			fmt.Fprintf(&out, "%03d", at.Nanosecond()/1e6)
			i++
		case strings.HasPrefix(rest, ":z"):
			out.WriteString(at.Format("-07:00"))
			i++
		case conversions[c] != "":
			out.WriteString(at.Format(conversions[c]))
		default:
			return "", false, false
		}
	}
	return out.String(), words, true
}
