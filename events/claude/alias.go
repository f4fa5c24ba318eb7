package claude

// The types are inputs and outputs that several events share.
type (
	TaskCompletedInput   = TaskCreatedInput
	PostModelSwitchInput = PreModelSwitchInput

	UserPromptExpansionOutput = UserPromptSubmitOutput
	CwdChangedOutput          = FileChangedOutput
	ElicitationResultOutput   = ElicitationOutput

	PostToolUseFailureOutput = BasicOutput
	PostToolBatchOutput      = BasicOutput
	PostModelSwitchOutput    = BasicOutput
	SetupOutput              = BasicOutput
	SessionEndOutput         = BasicOutput
	ConfigChangeOutput       = BasicOutput
	InstructionsLoadedOutput = BasicOutput
	DirectoryAddedOutput     = BasicOutput
	WorktreeRemoveOutput     = BasicOutput
	PreCompactOutput         = BasicOutput
	PostCompactOutput        = BasicOutput
	StopOutput               = BasicOutput
	StopFailureOutput        = BasicOutput
	SubagentStopOutput       = BasicOutput
	SubagentStartOutput      = BasicOutput
	TeammateIdleOutput       = BasicOutput
	TaskCreatedOutput        = BasicOutput
	TaskCompletedOutput      = BasicOutput
	NotificationOutput       = BasicOutput
)
