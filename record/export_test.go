package record

// Allocated exports allocated to the external tests.
var Allocated = allocated
