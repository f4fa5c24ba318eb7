/** /fork-off TITLE: goes on in a new session that starts with a note. */
export default function (pi: any) {
	pi.registerCommand("fork-off", {
		description: "Go on in a new session",
		prefix: "fork: ",
		async handler(args: string, ctx: any) {
			const { prefix } = this as any;
			await ctx.waitForIdle();
			const { cancelled } = await ctx.newSession({
				parentSession: ctx.sessionManager.getSessionFile(),
				setup: async (session: any) => {
					session.appendMessage({ role: "user", content: prefix + args });
				},
			});
			pi.sendMessage({ customType: "forked", content: cancelled ? "not forked" : "forked", display: true });
		},
	});
}
