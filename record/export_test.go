package record

// Allocated exports allocated to the external tests.
var Allocated = allocated

// Reopens opens a record at a path, calls replace, and opens the record again, as after another program has renamed it.
func Reopens(path string, replace func() error) error {
	f, err := openFile(path, Config{})
	if err != nil {
		return err
	}
	defer f.Close()
	if err := replace(); err != nil {
		return err
	}
	return f.open()
}
