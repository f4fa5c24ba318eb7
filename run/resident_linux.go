package run

// Size returns how many bytes of memory the process holds, 0 if that is not known.
func (r *Resident) Size() int64 { return residentSize(r.proc.Pid) }
