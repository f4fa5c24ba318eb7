import type { HookAPI } from "@oh-my-pi/pi-coding-agent";

/** Asks the environment whether it is to do anything. */
export default function (pi: HookAPI) {
	pi.on("tool_call", () => {
		if (process.env.GATE === "off") return;
		return { block: true, reason: "the gate is on" };
	});
}
