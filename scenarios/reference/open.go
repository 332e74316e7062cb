package reference

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tiaptest/tiap/tiaptest/record"
)

// open is the state of a searcher: in use until it is closed. The zero value is
// open.
type open struct {
	mu     sync.RWMutex // held for reading while a query is answered
	closed bool
}

// enter begins the answer to a query, which ends with leave.
func (o *open) enter() error {
	o.mu.RLock()
	if o.closed {
		o.mu.RUnlock()
		return errors.New("the searcher is closed; ask before Close")
	}
	return nil
}

func (o *open) leave() { o.mu.RUnlock() }

// close calls f when no query is being answered any more, and never again.
func (o *open) close(f func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	return f()
}

// asked checks a query.
func asked(q record.Query) error {
	if q.K < 1 {
		return fmt.Errorf("query %q asks for %d memories; set K to 1 or more", q.ID, q.K)
	}
	return nil
}
