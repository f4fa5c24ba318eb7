package einohooks

import (
	"errors"
	"io"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// The four kinds of tools.
var (
	plain = form[compose.ToolOutput]{
		read: func(out *compose.ToolOutput) ([]schema.ToolOutputPart, error) { return textPart(out.Result), nil },
		make: func(parts []schema.ToolOutputPart) *compose.ToolOutput {
			return &compose.ToolOutput{Result: joined(parts)}
		},
	}
	stream = form[compose.StreamToolOutput]{
		read: func(out *compose.StreamToolOutput) ([]schema.ToolOutputPart, error) {
			chunks, err := all(out.Result)
			return textPart(strings.Join(chunks, "")), err
		},
		make: func(parts []schema.ToolOutputPart) *compose.StreamToolOutput {
			return &compose.StreamToolOutput{Result: schema.StreamReaderFromArray([]string{joined(parts)})}
		},
	}
	enhanced = form[compose.EnhancedInvokableToolOutput]{
		read: func(out *compose.EnhancedInvokableToolOutput) ([]schema.ToolOutputPart, error) {
			return out.Result.Parts, nil
		},
		make: func(parts []schema.ToolOutputPart) *compose.EnhancedInvokableToolOutput {
			return &compose.EnhancedInvokableToolOutput{Result: &schema.ToolResult{Parts: parts}}
		},
	}
	enhancedStream = form[compose.EnhancedStreamableToolOutput]{
		read: func(out *compose.EnhancedStreamableToolOutput) ([]schema.ToolOutputPart, error) {
			chunks, err := all(out.Result)
			if err != nil || len(chunks) == 0 {
				return nil, err
			}
			whole, err := schema.ConcatToolResults(chunks)
			if err != nil {
				return nil, err
			}
			return whole.Parts, nil
		},
		make: func(parts []schema.ToolOutputPart) *compose.EnhancedStreamableToolOutput {
			whole := []*schema.ToolResult{{Parts: parts}}
			return &compose.EnhancedStreamableToolOutput{Result: schema.StreamReaderFromArray(whole)}
		},
	}
)

func textPart(text string) []schema.ToolOutputPart {
	return []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: text}}
}

// joined is one text of parts of text.
func joined(parts []schema.ToolOutputPart) string {
	var paragraphs []string
	for _, part := range parts {
		if part.Text != "" {
			paragraphs = append(paragraphs, part.Text)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// all reads a stream to its end.
func all[T any](stream *schema.StreamReader[T]) (chunks []T, err error) {
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return chunks, nil
		}
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, chunk)
	}
}
