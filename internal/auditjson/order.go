package auditjson

import (
	"slices"
	"strings"
)

// CommonTargets leaves in each order the targets that all of them have. Orders of
// fewer than two targets say nothing and are dropped.
func CommonTargets(orders []TargetOrder) []TargetOrder {
	count := make(map[string]int)
	for _, o := range orders {
		for _, tied := range o.Order {
			for _, t := range strings.Split(tied, "=") {
				count[t]++
			}
		}
	}
	var out []TargetOrder
	for _, o := range orders {
		var order []string
		n := 0
		for _, tied := range o.Order {
			ts := slices.DeleteFunc(strings.Split(tied, "="), func(t string) bool { return count[t] < len(orders) })
			if len(ts) > 0 {
				order = append(order, strings.Join(ts, "="))
			}
			n += len(ts)
		}
		if n > 1 {
			o.Order = order
			out = append(out, o)
		}
	}
	return out
}
