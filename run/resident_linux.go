package run

// Size returns the resident memory of the process in bytes, or 0 if unknown.
func (r *Resident) Size() int64 { return residentSize(r.proc.Pid) }
