package lineage

import "slices"

// Resolve returns the links of every item, ascending by turn, each turn once:
// its own links and those of its parents, transitively. When parents form a
// cycle it returns the items of one cycle, in order, instead.
func Resolve(own Table[Link], parents Table[int32]) (resolved Table[Link], cycle []int32) {
	order, cycle := parentsFirst(parents)
	if cycle != nil {
		return Table[Link]{}, cycle
	}
	lists := make([][]Link, own.Len())
	total := 0
	for _, i := range order {
		links := own.List(int(i))
		if ps := parents.List(int(i)); len(ps) > 0 {
			links = slices.Clone(links)
			for _, p := range ps {
				links = append(links, lists[p]...)
			}
		}
		lists[i] = merge(slices.Clone(links))
		total += len(lists[i])
	}
	resolved = Table[Link]{Start: make([]int32, 1, len(lists)+1), Items: make([]Link, 0, total)}
	for _, l := range lists {
		resolved.Items = append(resolved.Items, l...)
		resolved.Add()
	}
	return resolved, nil
}
