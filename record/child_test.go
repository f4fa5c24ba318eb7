package record_test

func child(string) {}
