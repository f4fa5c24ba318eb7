package fleet

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"
	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/policy"
)

// Limits of a bundle.
const (
	MaxBundle    = 8 << 20 // bytes of all files together
	maxFiles     = 4096
	maxPacked    = MaxBundle + 4<<20 // bytes with the headers of the files
	maxSignature = 4 << 10
	maxManifest  = 1 << 20
	manifestName = "manifest.json"
	filesPrefix  = "files/"
)

// Manifest is the first file of a bundle. The signature covers it.
type Manifest struct {
	V        int      `json:"v"`        // 1
	Revision uint64   `json:"revision"` // grows with every push
	Events   []string `json:"events"`   // full names of the events for which the bundle has hooks
}

// Bundle is a verified policy whose files lie in a directory.
type Bundle struct {
	Manifest
	Dir     string      // directory of the files: settings, scripts and an overlay, as in a project
	Digest  string      // SHA-256 of the bundle, hexadecimal
	Overlay *policy.Set // the bundle's .snaphook.json, with the rights of the machine's overlay; nil if it sets nothing
}

// Has reports whether the bundle has a hook for an event.
func (b *Bundle) Has(event string) bool { return slices.Contains(b.Events, event) }

// TooLargeError reports a bundle with more than [MaxBundle] bytes.
type TooLargeError struct{ Size int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the policy has at least %d bytes, and the limit is %d (8 MiB): leave files out", e.Size, MaxBundle)
}

// bundleFile is a file of a bundle.
type bundleFile struct {
	name string // with slashes
	mode fs.FileMode
	text []byte
}

// collect reads the files of a directory, except the folder .git.
func collect(dir string) (files []bundleFile, err error) {
	total := int64(0)
	err = filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, at)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is a link or a special file, but a policy may have only regular files; put a copy in its place", at)
		case len(files) == maxFiles:
			return fmt.Errorf("%s has more than %d files; give a directory that has only the policy", dir, maxFiles)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > MaxBundle {
			return &TooLargeError{total}
		}
		text, err := bounded.ReadFile(context.Background(), at, MaxBundle)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		files = append(files, bundleFile{name, info.Mode().Perm(), text})
		return nil
	})
	return files, err
}

// pack returns the bytes of a bundle; equal files give equal bytes.
func pack(m Manifest, files []bundleFile) ([]byte, error) {
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(name string, mode fs.FileMode, text []byte) {
		if err == nil {
			err = w.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: name, Mode: int64(mode & 0o755), Size: int64(len(text)), Format: tar.FormatPAX,
			})
		}
		if err == nil {
			_, err = w.Write(text)
		}
	}
	add(manifestName, 0o644, head)
	slices.SortFunc(files, func(a, b bundleFile) int { return cmp.Compare(a.name, b.name) })
	for _, f := range files {
		add(filesPrefix+f.name, f.mode, f.text)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// unpack reads a bundle and checks each name in it; it writes nothing. Call it only for verified bytes.
func unpack(text []byte) (m Manifest, files []bundleFile, err error) {
	r := tar.NewReader(bytes.NewReader(text))
	total, seen := int64(0), map[string]bool{}
	for first := true; ; first = false {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, nil, fmt.Errorf("the bundle is broken: %w", err)
		}
		limit := int64(MaxBundle)
		if first {
			limit = maxManifest
		}
		if head.Size > limit {
			return m, nil, &TooLargeError{head.Size}
		}
		body, err := io.ReadAll(io.LimitReader(r, limit))
		if err != nil {
			return m, nil, fmt.Errorf("the bundle is broken: %w", err)
		}
		if first {
			if m, err = readManifest(head, body); err != nil {
				return m, nil, err
			}
			continue
		}
		name, err := fileName(head)
		switch total += int64(len(body)); {
		case err != nil:
			return m, nil, err
		case seen[name]:
			return m, nil, fmt.Errorf("the bundle has the file %q twice", name)
		case total > MaxBundle:
			return m, nil, &TooLargeError{total}
		case len(files) == maxFiles:
			return m, nil, fmt.Errorf("the bundle has more than %d files", maxFiles)
		}
		seen[name] = true
		files = append(files, bundleFile{name, fs.FileMode(head.Mode) & 0o755, body})
	}
	if m.V == 0 {
		return m, nil, errors.New("the bundle is empty")
	}
	return m, files, nil
}

func readManifest(head *tar.Header, text []byte) (m Manifest, err error) {
	if head.Name != manifestName || head.Typeflag != tar.TypeReg {
		return m, fmt.Errorf("the bundle begins with %.100q; it has to begin with %s", head.Name, manifestName)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("the manifest of the bundle: %w", err)
	}
	if m.V != 1 || m.Revision == 0 {
		return m, fmt.Errorf("the manifest of the bundle has version %d and revision %d; this program reads version 1", m.V, m.Revision)
	}
	for _, name := range m.Events {
		dialect, event, _ := strings.Cut(name, ".")
		if _, err := Subject(dialect, event); err != nil {
			return m, fmt.Errorf("the manifest of the bundle: %w", err)
		}
	}
	return m, nil
}

// fileName returns the name of a file below the directory of the bundle. A name that could lead elsewhere is
// an error.
func fileName(head *tar.Header) (string, error) {
	name, below := strings.CutPrefix(head.Name, filesPrefix)
	switch {
	case head.Typeflag != tar.TypeReg:
		return "", fmt.Errorf("the bundle has %.200q, which is not a regular file", head.Name)
	case !below || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || strings.ContainsAny(name, "\\:\x00"):
		return "", fmt.Errorf("the bundle has the file %.200q, which would lie outside of its directory", head.Name)
	}
	return name, nil
}

// writeFiles writes the files of a bundle to a directory, and creates the directory if it does not exist.
func writeFiles(dir string, files []bundleFile) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if err := root.MkdirAll(path.Dir(f.name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(f.name, f.text, f.mode|0o400); err != nil {
			return err
		}
	}
	return nil
}

// verify checks the signature of a bundle, in the format of minisign.
func verify(key minisign.PublicKey, text, signature []byte) error {
	switch {
	case len(text) > maxPacked:
		return &TooLargeError{int64(len(text))}
	case len(signature) == 0:
		return errors.New("the bundle has no signature; push it with snaphook fleet push")
	case len(signature) > maxSignature || !minisign.Verify(key, text, signature):
		return fmt.Errorf("the signature of the bundle was not made with the key %X; push it with that key", key.ID())
	}
	return nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ReadPublicKey reads the public key of a policy, as minisign writes it: a comment and a line of base64, or that
// line alone.
func ReadPublicKey(name string) (key minisign.PublicKey, err error) {
	text, err := bounded.ReadFile(context.Background(), name, maxSignature)
	if err != nil {
		return key, fmt.Errorf("the public key: %w; name the .pub file of the policy's key", err)
	}
	if err := key.UnmarshalText(bytes.TrimSpace(text)); err != nil {
		return key, fmt.Errorf("the public key %s: %w; name the .pub file of the policy's key", name, err)
	}
	return key, nil
}

// ReadPrivateKey reads the secret key of a policy, as minisign writes it. password is called for a key that
// is encrypted.
func ReadPrivateKey(name string, password func() (string, error)) (key minisign.PrivateKey, err error) {
	text, err := bounded.ReadFile(context.Background(), name, maxSignature)
	if err != nil {
		return key, fmt.Errorf("the secret key: %w; snaphook serve --embedded makes one, and so does minisign -G", err)
	}
	if !minisign.IsEncrypted(text) {
		if err = key.UnmarshalText(bytes.TrimSpace(text)); err != nil {
			return key, fmt.Errorf("the secret key %s: %w; name the .key file and not the .pub file", name, err)
		}
		return key, nil
	}
	secret, err := password()
	if err != nil {
		return key, fmt.Errorf("the secret key %s: %w", name, err)
	}
	if key, err = minisign.DecryptKey(secret, text); err != nil {
		return key, fmt.Errorf("the secret key %s: %w; the password is wrong", name, err)
	}
	return key, nil
}
