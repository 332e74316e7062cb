package semantic

import (
	"cmp"
	"fmt"

	"github.com/tiaptest/tiap/internal/stat"
)

// Prevalences are the shares of the classes of a view among the memories that
// models labelled.
type Prevalences struct {
	View      View                `json:"view"`
	N         int                 `json:"n"`         // memories with a verdict of models
	Humans    int                 `json:"humans"`    // of these, with a verdict of people too
	Model     map[string]Estimate `json:"model"`     // as the models say, with Wilson's interval
	Corrected map[string]Estimate `json:"corrected"` // by what people say
}

// Prevalence corrects the shares that models give by a sample that people labelled
// too. It is the estimator of double sampling (A. Tenenbein, A Double Sampling
// Scheme for Estimating from Binomial Data with Misclassifications, JASA 65, 1970),
// post-stratified by the models' class: p(c) = Σ w(m)·r(c|m), with w(m) the share
// of class m among all memories and r(c|m) the share that people call c among those
// that models call m. Its variance is Σ w²·r(1-r)/h + (Σ w·r² - p²)/N with h the
// human labels of class m (W. G. Cochran, Sampling Techniques, 1977, 12.6), where
// the r of the first term is (x+1)/(h+2), so that a few equal labels are no
// certainty. It assumes that within each class of the models' the memories that
// people label are a random sample, which those that models dispute are not, and
// takes the human labels for true.
//
// It is an error when nothing is labelled by models, and when of a class that
// models give no memory is labelled by people.
func Prevalence(ls *Labels, v View, o Options) (*Prevalences, error) {
	if err := cmp.Or(v.check(), o.check()); err != nil {
		return nil, err
	}
	classes := v.classes()
	k := len(classes)
	given := make([]int, k) // by models
	both := square(k)       // [model][human]
	p := &Prevalences{View: v, Model: make(map[string]Estimate, k), Corrected: make(map[string]Estimate, k)}
	for _, key := range ls.keys {
		var byModels, byHumans []*Judgement
		for _, j := range ls.judgements(key) {
			if j.Kind == Model {
				byModels = append(byModels, j)
			} else {
				byHumans = append(byHumans, j)
			}
		}
		m, _ := o.verdict(byModels, v)
		if m == undecided {
			continue
		}
		p.N++
		given[m]++
		if h, _ := o.verdict(byHumans, v); h != undecided {
			p.Humans++
			both[m][h]++
		}
	}
	if p.N == 0 {
		return nil, fmt.Errorf("no memory has a label of a model; there is nothing to correct")
	}
	n := float64(p.N)
	labelled := make([]float64, k)
	for m, row := range both {
		for _, x := range row {
			labelled[m] += float64(x)
		}
		if given[m] > 0 && labelled[m] == 0 {
			return nil, fmt.Errorf("of the %d memories that models label %s none is labelled by people; label a random sample of them", given[m], classes[m])
		}
	}
	for c, name := range classes {
		p.Model[name] = *share(given[c], p.N)
		var value, squares, within []float64
		for m := range classes {
			if given[m] == 0 {
				continue
			}
			w, x, h := float64(given[m])/n, float64(both[m][c]), labelled[m]
			r, safe := x/h, (x+1)/(h+2)
			value = append(value, w*r)
			squares = append(squares, w*float64(r*r))
			within = append(within, float64(w*w)*float64(safe*(1-safe))/h)
		}
		corrected := stat.Sum(value)
		variance := stat.Sum(within) + max(0, stat.Sum(squares)-float64(corrected*corrected))/n
		p.Corrected[name] = *normal(corrected, variance, p.N, 0, 1)
	}
	return p, nil
}
