import type { HookAPI, ToolCallEvent } from "@mariozechner/pi-coding-agent/hooks";
import { isToolCallEventType } from "@mariozechner/pi-coding-agent";

const enum Verdict {
	Allow,
	Block,
}

type Rule = Readonly<{ test: (path: string) => boolean; name: string }>;

const protectedPaths = [".env", ".git/", "node_modules/"] as const;
const rules: Rule[] = protectedPaths.map(name => ({ name, test: path => path.includes(name) }));

function judge(path: string): [Verdict, Rule?] {
	const rule = rules.find(({ test }) => test(path));
	return rule ? [Verdict.Block, rule] : [Verdict.Allow];
}

/** Blocks writes to protected paths. */
export default function (pi: HookAPI) {
	pi.on("tool_call", async (event: ToolCallEvent, ctx) => {
		if (!isToolCallEventType("write", event) && !isToolCallEventType("edit", event)) {
			return undefined;
		}
		const path = event.input.path as string;
		const [verdict, rule] = judge(path);
		if (verdict === Verdict.Block) {
			if (ctx.hasUI) {
				ctx.ui.notify(`Blocked write to protected path: ${path}`, "warning");
			}
			return { block: true, reason: `Path "${path}" is protected by ${rule!.name}` };
		}
		return undefined;
	});
}
