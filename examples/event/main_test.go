package main

func Example() {
	main()
	// Output:
	// blocked true "1 of 2 votes", replicas 3, 2 hooks
	// blocked false "", replicas 3, 3 hooks
}
