package browser_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium starts a browser with an empty profile that asks nobody for anything.
// It ends with the test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if file, err := exec.LookPath(name); err == nil {
			program = file
			break
		}
	}
	if program == "" {
		t.Skip("no browser: install chromium (apt-get install chromium), or have google-chrome in PATH")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"), // no name is looked up
		chromedp.Flag("font-render-hinting", "none"),
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // there is none for root
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx), "the browser starts")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
	})
	return ctx
}

// tab shows one file and keeps what it does.
type tab struct {
	t    *testing.T
	ctx  context.Context
	file string

	mu       sync.Mutex
	requests []string // URLs asked for
	console  []string // messages, exceptions, entries of the browser's log
}

// patience is how long everything that is done with one tab may take.
const patience = 5 * time.Minute

func open(t *testing.T, browser context.Context, file string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, file: file}
	require.NoError(t, chromedp.Listen(ctx, p.note))
	return p
}

// note is called for every event of the tab, in their order.
func (p *tab) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *network.EventWebSocketCreated:
		p.requests = append(p.requests, e.URL)
	case *runtime.EventConsoleAPICalled:
		p.console = append(p.console, fmt.Sprintf("%s of a script", e.Type))
	case *runtime.EventExceptionThrown:
		p.console = append(p.console, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		p.console = append(p.console, e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		p.console = append(p.console, "dialog: "+e.Message)
	}
}

// url is that of the file.
func (p *tab) url() string { return (&url.URL{Scheme: "file", Path: p.file}).String() }

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, actions...))
}

func (p *tab) load() {
	p.t.Helper()
	p.do(chromedp.Navigate(p.url()))
}

// look sets how the page is looked at: media and colour scheme, and the width.
func (p *tab) look(media, scheme string, width int64) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
	if width == phone {
		p.do(chromedp.EmulateViewport(width, 844, chromedp.EmulateMobile, chromedp.EmulatePortrait))
		return
	}
	p.do(chromedp.EmulateViewport(width, 900))
}

// scripts allows the page to run scripts, or forbids it.
func (p *tab) scripts(allowed bool) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !allowed})
		return err
	}))
}

// run runs an action that returns a value.
func run[T any](p *tab, a chromedp.Action[T]) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, a)
	require.NoError(p.t, err)
	return v
}

// strangers are the requests for anything but the file.
func (p *tab) strangers() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.requests), func(u string) bool { return u == p.url() })
}

// said is what stands in the console.
func (p *tab) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.console)
}
