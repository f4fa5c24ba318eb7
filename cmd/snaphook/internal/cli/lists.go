package cli

// OrEmpty returns the list, or an empty one for nil: JSON shows it as [].
func OrEmpty[T any](texts []T) []T {
	if texts == nil {
		return []T{}
	}
	return texts
}
