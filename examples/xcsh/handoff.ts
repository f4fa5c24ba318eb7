import type { HookAPI, HookCommandContext } from "@f5xc-salesdemos/xcsh/hooks";

/** Adds /handoff, which goes on in a new session. */
export default function (pi: HookAPI): void {
	pi.registerCommand("handoff", {
		description: "go on in a new session",
		handler: async (args: string, ctx: HookCommandContext) => {
			await ctx.waitForIdle();
			const { cancelled } = await ctx.newSession({ parentSession: ctx.sessionManager.getSessionFile() });
			if (cancelled) return;
			pi.sendMessage({ customType: "handoff", content: `Continue: ${args}`, display: true }, { triggerTurn: true });
		},
	});
}
