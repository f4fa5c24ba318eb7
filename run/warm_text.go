package run

import _ "embed"

// The variables hold texts that interpreters load before the script of a warm hook.
var (
	//go:embed warm_python.py
	warmPython string
	//go:embed warm_python_end.py
	warmPythonEnd string
	//go:embed warm_node.cjs
	warmNode string
)
