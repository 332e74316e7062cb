package tiaptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tiaptest/tiap/tiaptest"
)

func TestNilInBundle(t *testing.T) {
	t.Parallel()
	holes := density()
	holes.Systems[1].Ingests = append(holes.Systems[1].Ingests, nil)
	holes.Systems = append(holes.Systems, nil)
	for _, c := range []struct {
		name   string
		bundle *tiaptest.Bundle
		want   string
	}{
		{"bundle", nil, "the bundle is nil; open or build one"},
		{"parts", holes, "system D5: ingest 2 is nil; leave it out\nsystem 3 of the bundle is nil; leave it out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tiaptest.Rescore(c.bundle)
			assert.EqualError(t, err, c.want)
			assert.EqualError(t, c.bundle.WriteDir(t.TempDir()), c.want)
		})
	}
}
