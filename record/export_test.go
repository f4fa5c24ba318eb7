package record

// Allocated is for tests of the package from outside.
var Allocated = allocated
