package run

// Size returns the resident memory of the process in bytes, or 0 if it is not known.
func (r *Resident) Size() int64 { return residentSize(r.proc.Pid) }
