package environ

import (
	"os"
	"os/user"
)

// Home returns the user's home directory, which holds the user's settings of hooks. If the environment does not name
// the directory, as for a service, Home takes it from the system's list of users.
func Home() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil && home != "" {
		return home, nil
	}
	if u, unknown := user.Current(); unknown == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", err
}
