import { type HookAPI, isReadToolResult } from "@f5xc-salesdemos/xcsh/hooks";

const key = /API_KEY=\S+/g;

/** Keeps keys in files from the model. */
export default function (pi: HookAPI): void {
	pi.on("tool_result", event => {
		if (!isReadToolResult(event) || event.isError) return;
		const redacted = event.content.map(part =>
			part.type === "text" ? { ...part, text: part.text.replace(key, "API_KEY=[REDACTED]") } : part,
		);
		return { content: redacted };
	});
}
