package llxprt

// The types are inputs and outputs that several events share.
type (
	BeforeToolSelectionInput = BeforeModelInput

	AfterToolOutput    = BasicOutput
	BeforeAgentOutput  = BasicOutput
	SessionStartOutput = BasicOutput
	SessionEndOutput   = BasicOutput
	PreCompressOutput  = BasicOutput
	NotificationOutput = BasicOutput
)
