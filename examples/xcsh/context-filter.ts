import type { HookAPI } from "@f5xc-salesdemos/xcsh/hooks";

/** Keeps messages for debugging from the model. */
export default function (pi: HookAPI): void {
	pi.on("context", ({ messages }) => ({
		messages: messages.filter(m => !(m.role === "custom" && m.customType === "debug-only")),
	}));
}
