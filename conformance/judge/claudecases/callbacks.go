package claudecases

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Reply is one reply of the scripted model: a text, or an error.
type Reply struct {
	Reply   *string `json:"reply"`
	Error   *string `json:"error"`
	DelayMS float64 `json:"delay_ms"`
}

// LLM is the scripted model of one case. It may be asked from many goroutines
// at once.
type LLM struct {
	mu      sync.Mutex
	replies []Reply
	asked   []llmRequest
}

type llmRequest struct {
	Kind   string `json:"kind"`
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
}

// Generate returns the case's next reply, after its delay. kind is prompt or
// agent, and an empty model is the host's default. Once ctx ends, it returns the
// context's error; a case without a further reply is an error.
func (l *LLM) Generate(ctx context.Context, kind, model, prompt string) (reply string, err error) {
	next, ok := l.next(llmRequest{Kind: kind, Model: model, Prompt: prompt})
	if !ok {
		return "", errors.New("the case has no further reply")
	}
	delay := time.NewTimer(time.Duration(next.DelayMS * float64(time.Millisecond)))
	defer delay.Stop()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-delay.C:
	}
	if next.Error != nil {
		return "", errors.New(*next.Error)
	}
	return *next.Reply, nil
}

func (l *LLM) next(r llmRequest) (next Reply, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, r)
	if len(l.replies) == 0 {
		return next, false
	}
	next, l.replies = l.replies[0], l.replies[1:]
	return next, true
}

func (l *LLM) requests() []llmRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]llmRequest{}, l.asked...)
}

// User is the scripted user of one case. It may be asked from many goroutines
// at once.
type User struct {
	mu    sync.Mutex
	picks []string
	asked []userPrompt
}

type userPrompt struct {
	Message string   `json:"message"`
	Keys    []string `json:"keys"`
}

// Select returns the key that the user picks. Without a further pick in the case, ok is false: the
// user has left.
func (u *User) Select(message string, keys []string) (key string, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, userPrompt{Message: message, Keys: slices.Clone(keys)})
	if len(u.picks) == 0 {
		return "", false
	}
	key, u.picks = u.picks[0], u.picks[1:]
	return key, true
}

func (u *User) prompts() []userPrompt {
	if u == nil {
		return []userPrompt{}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]userPrompt{}, u.asked...)
}
