package einohooks

import (
	"errors"
	"io"
	"strings"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/snaphook-go/snaphook/internal/adapter"
)

type outputParts = []schema.ToolOutputPart

var part = adapter.Parts[schema.ToolOutputPart]{
	Text: func(p schema.ToolOutputPart) (text string, ok bool) { return p.Text, p.Text != "" },
	Part: func(text string) schema.ToolOutputPart {
		return schema.ToolOutputPart{Type: schema.ToolPartTypeText, Text: text}
	},
}

func textPart(text string) outputParts { return outputParts{part.Part(text)} }

func readText(out *compose.ToolOutput) (outputParts, error) { return textPart(out.Result), nil }

func makeText(p outputParts) *compose.ToolOutput {
	return &compose.ToolOutput{Result: part.Join(p, "\n\n")}
}

func readStream(out *compose.StreamToolOutput) (outputParts, error) {
	chunks, err := all(out.Result)
	return textPart(strings.Join(chunks, "")), err
}

func makeStream(p outputParts) *compose.StreamToolOutput {
	return &compose.StreamToolOutput{Result: schema.StreamReaderFromArray([]string{part.Join(p, "\n\n")})}
}

func readParts(out *compose.EnhancedInvokableToolOutput) (outputParts, error) {
	return out.Result.Parts, nil
}

func makeParts(p outputParts) *compose.EnhancedInvokableToolOutput {
	return &compose.EnhancedInvokableToolOutput{Result: &schema.ToolResult{Parts: p}}
}

func readPartStream(out *compose.EnhancedStreamableToolOutput) (outputParts, error) {
	chunks, err := all(out.Result)
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	whole, err := schema.ConcatToolResults(chunks)
	if err != nil {
		return nil, err
	}
	return whole.Parts, nil
}

func makePartStream(p outputParts) *compose.EnhancedStreamableToolOutput {
	whole := []*schema.ToolResult{{Parts: p}}
	return &compose.EnhancedStreamableToolOutput{Result: schema.StreamReaderFromArray(whole)}
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
