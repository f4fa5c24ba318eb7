package run

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a job object with a hook's program and its descendants, except those started before adopt was called.
type family struct{ job windows.Handle }

// adopt creates the job object of a process that has just started. If that fails, end kills only the process.
// When this program is killed, the family is killed too.
func (f *family) adopt(p *os.Process) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		_ = windows.CloseHandle(process)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	f.job = job
	f.endsWithHandle(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
}

// endsWithHandle sets, in the job's limit flags, whether closing the handle kills the family.
func (f *family) endsWithHandle(flags uint32) {
	limit := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: flags},
	}
	_, _ = windows.SetInformationJobObject(f.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limit)), uint32(unsafe.Sizeof(limit)))
}

// end kills the family, or only p if there is no family.
func (f *family) end(p *os.Process) {
	if f.job == 0 || windows.TerminateJobObject(f.job, 1) != nil {
		_ = p.Kill()
	}
}

// leave closes the family. Processes that the program has left running continue.
func (f *family) leave() {
	if f.job != 0 {
		f.endsWithHandle(0)
		_ = windows.CloseHandle(f.job)
		f.job = 0
	}
}
