package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// mostKept limits the text of a script that is kept in memory to be run, in bytes.
const mostKept = 128 << 10

// opened opens a covered file and reads it from the descriptor. It returns an error if the file has changed. text is
// the whole file, or nil if the file is empty or longer than mostKept.
func opened(ctx context.Context, file File) (f *os.File, text []byte, err error) {
	f, _, err = bounded.Open(file.File)
	if err != nil {
		return nil, nil, hasChanged(file.File)
	}
	if err = hold(f); err == nil {
		text, err = read(ctx, f, file)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, text, nil
}

func read(ctx context.Context, f *os.File, file File) (text []byte, err error) {
	hash, long := sha256.New(), false
	err = bounded.Copy(ctx, f, mostBytes, func(part []byte) {
		hash.Write(part)
		if long = long || len(text)+len(part) > mostKept; !long {
			text = append(text, part...)
		}
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil || hex.EncodeToString(hash.Sum(nil)) != file.SHA256:
		return nil, hasChanged(file.File)
	case long:
		return nil, nil
	}
	return text, nil
}
