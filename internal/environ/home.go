package environ

import (
	"os"
	"os/user"
)

// Home is the user's home directory. Where the environment does not name it, as for a
// service, it is that of the system's list of users: what the user wants of hooks lies there.
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
