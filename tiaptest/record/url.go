package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/tiaptest/tiap/internal/limit"
)

// URL connects to a memory system behind an HTTP address: every request of the
// protocol (see the package documentation) is the body of a POST to it, the reply
// the body of the answer. Nothing else is called; redirects are errors. A user
// and a password in the address become basic authentication. Status 429 and those
// from 500 on are errors that may pass.
func URL(address string) Builder {
	return func(ctx context.Context, repeat int) (Searcher, *IngestLog, error) {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, nil, fmt.Errorf("%q is no HTTP address; use one such as http://localhost:8080/search", address)
		}
		connections := http.DefaultTransport.(*http.Transport).Clone()
		connections.MaxIdleConnsPerHost = connections.MaxIdleConns
		a := &adapter{transport: &web{address, &http.Client{
			Transport:     connections,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}}
		log, err := a.greet(ctx, repeat)
		if err != nil {
			return nil, nil, errors.Join(err, a.Close())
		}
		return a, log, nil
	}
}

type web struct {
	address string
	client  *http.Client
}

func (w *web) exchange(ctx context.Context, request any) ([]byte, error) {
	body, err := encode(request)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := limit.ReadAll(resp.Body, largest(request))
	if over, ok := errors.AsType[*limit.Error](err); ok {
		return nil, fmt.Errorf("the reply is too large: %w", over)
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, statusError{resp.StatusCode, fmt.Sprintf("status %s: %s", resp.Status, excerpt(text))}
	}
	return text, nil
}

func (w *web) Close() error {
	w.client.CloseIdleConnections()
	return nil
}

// statusError says that a service answered with a status other than 200.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }
func (e statusError) Temporary() bool {
	return e.status == http.StatusTooManyRequests || e.status >= 500
}
