package llxprt

import (
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/reducers"
)

// SessionStart fires when a session begins or is resumed. Its contexts go to the model.
var SessionStart *pipeline.Event[SessionStartInput, SessionStartOutput] = declare(
	lostAnswer{denied: "the session starts; \"continue\": false stops it"},
	pipeline.Spec[SessionStartInput, BasicOutput]{
		Name:        "SessionStart",
		Doc:         "when a session begins or is taken up again",
		Can:         pipeline.CanStop | pipeline.CanAddContext,
		Rules:       equal("startup", "resume", "clear", "compress"),
		Subject:     func(s *SessionStartInput) *string { return &s.Source },
		SubjectName: "source",
		Check:       func(s SessionStartInput) error { return required("source", s.Source) },
		Reduce:      reducers.BlockWins(addPlain),
		Effects:     plainEffects[SessionStartInput],
	},
)

// SessionEnd fires when a session ends.
var SessionEnd *pipeline.Event[SessionEndInput, SessionEndOutput] = declare(
	lostAnswer{denied: "the session ends"},
	pipeline.Spec[SessionEndInput, BasicOutput]{
		Name:        "SessionEnd",
		Doc:         "when a session ends",
		Rules:       equal("exit", "clear", "logout", "prompt_input_exit", "other"),
		Subject:     func(e *SessionEndInput) *string { return &e.Reason },
		SubjectName: "reason",
		Check:       func(e SessionEndInput) error { return required("reason", e.Reason) },
		Reduce:      reducers.Last[BasicOutput],
		Effects:     plainEffects[SessionEndInput],
	},
)

// PreCompress fires before the conversation is compressed.
var PreCompress *pipeline.Event[PreCompressInput, PreCompressOutput] = declare(
	lostAnswer{denied: "the conversation is compressed"},
	pipeline.Spec[PreCompressInput, BasicOutput]{
		Name:        "PreCompress",
		Doc:         "before the conversation is compressed",
		Rules:       equal("manual", "auto"),
		Subject:     func(c *PreCompressInput) *string { return &c.Trigger },
		SubjectName: "trigger",
		Check:       func(c PreCompressInput) error { return required("trigger", c.Trigger) },
		Reduce:      reducers.Last[BasicOutput],
		Effects:     plainEffects[PreCompressInput],
	},
)

// Notification fires when the agent wants the user's attention.
var Notification *pipeline.Event[NotificationInput, NotificationOutput] = declare(
	lostAnswer{denied: "the user is notified"},
	pipeline.Spec[NotificationInput, BasicOutput]{
		Name:    "Notification",
		Doc:     "when the agent wants the user's attention",
		Rules:   everything,
		Check:   NotificationInput.check,
		Reduce:  reducers.Last[BasicOutput],
		Effects: plainEffects[NotificationInput],
	},
)
