// Package lock keeps processes from writing in one place at the same time. A lock
// ends with the process that holds it, however that ends, so there are no stale
// ones, and no clock decides. It is advisory: it binds those that ask for it. Where
// the system has no such locks, every call succeeds.
package lock

import (
	"errors"
	"fmt"
	"time"
)

// ErrHeld says that another process, or another part of this one, has the lock.
var ErrHeld = errors.New("it is being written at this moment")

// patience is how long Wait waits.
const patience = time.Minute

// Wait is Try that waits for the lock, up to a minute.
func Wait(path string) (release func(), err error) {
	const pause = 2 * time.Millisecond
	for range int(patience / pause) {
		release, err = Try(path)
		if !errors.Is(err, ErrHeld) {
			return release, err
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("%w, for %v", err, patience)
}
