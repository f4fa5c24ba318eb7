package main

func Example() {
	main()
	// Output:
	// problem: line 3: there is no event "after_run"; write "on": "before_run"
	// shell ["ls"]: blocked false, stop false, reason ""
	// shell ["rm" "-rf" "/"]: blocked true, stop false, reason "nothing is removed here"
	// shell ["shutdown"]: blocked true, stop true, reason "the machine stays on"
	// editor []: blocked false, stop false, reason ""
}
