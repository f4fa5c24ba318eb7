/**
 * Git checkpoints: stashes the state of the working tree at each turn, and
 * offers to restore it when the session branches off.
 */
import type { HookAPI } from "@mariozechner/pi-coding-agent";

interface Checkpoint {
	ref: string;
	at: number;
}

class Store<K, V> {
	readonly #all = new Map<K, V>();
	set(key: K, value: V): this {
		this.#all.set(key, value);
		return this;
	}
	get(key: K): V | undefined {
		return this.#all.get(key);
	}
	get size(): number {
		return this.#all.size;
	}
}

export default function (pi: HookAPI) {
	const checkpoints = new Store<string, Checkpoint>();
	let currentEntryId: string | undefined;

	pi.on("tool_result", async (_event, ctx) => {
		const leaf = ctx.sessionManager.getLeafEntry();
		if (leaf) currentEntryId = leaf.id;
	});

	pi.on("turn_start", async ({ timestamp }) => {
		const { stdout, code } = await pi.exec("git", ["stash", "create"]);
		const ref = stdout.trim();
		if (code === 0 && ref && currentEntryId) {
			checkpoints.set(currentEntryId, { ref, at: timestamp });
		}
	});

	pi.on("session_before_branch", async (event, ctx) => {
		const checkpoint = checkpoints.get(event.entryId);
		if (!checkpoint || !ctx.hasUI) return;

		const choice = await ctx.ui.select("Restore code state?", [
			"Yes, restore code to that point",
			"No, keep current code",
		]);

		if (choice?.startsWith("Yes")) {
			await pi.exec("git", ["stash", "apply", checkpoint.ref]);
			ctx.ui.notify("Code restored to checkpoint", "info");
		}
	});
}
