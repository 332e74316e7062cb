// Package offline runs a program that must not reach the network, for tests.
package offline

import "errors"

// ErrSocket says that a program asked for an internet socket, and died of it.
var ErrSocket = errors.New("the program opens an internet socket")
