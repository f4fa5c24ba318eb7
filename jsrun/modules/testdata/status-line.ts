import type { HookAPI, HookContext } from "@mariozechner/pi-coding-agent";

enum State {
	Ready = "ready",
	Working = "working",
	Done = "done",
}

const icons: Record<State, { colour: string; icon: string }> = {
	[State.Ready]: { colour: "dim", icon: "○" },
	[State.Working]: { colour: "accent", icon: "●" },
	[State.Done]: { colour: "success", icon: "✓" },
};

/** Shows in the status line what the agent is doing. */
export default function (pi: HookAPI) {
	let turnCount = 0;

	function show(ctx: HookContext, state: State, text: string) {
		const { theme } = ctx.ui;
		const { colour, icon } = icons[state];
		ctx.ui.setStatus("status-demo", theme.fg(colour, icon) + theme.fg("dim", ` ${text}`));
	}

	pi.on("session_start", async (_event, ctx) => show(ctx, State.Ready, "Ready"));

	pi.on("turn_start", async (_event, ctx) => {
		turnCount++;
		show(ctx, State.Working, `Turn ${turnCount}...`);
	});

	pi.on("turn_end", async (_event, ctx) => show(ctx, State.Done, `Turn ${turnCount} complete`));

	pi.on("session_switch", async (event, ctx) => {
		if (event.reason === "new") {
			turnCount = 0;
			ctx.ui.setStatus("status-demo", undefined);
		}
	});
}
