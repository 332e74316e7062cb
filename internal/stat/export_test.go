package stat

var StudentP = studentP
