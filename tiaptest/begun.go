package tiaptest

import "sync"

// begun begins to make a value, and returns what waits for it.
func begun[T any](value func() T) (wait func() T) {
	wait = sync.OnceValue(value)
	go wait()
	return wait
}
