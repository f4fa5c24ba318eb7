import { complete } from "@mariozechner/pi-ai";
import { convertToLlm, type HookAPI } from "@mariozechner/pi-coding-agent";

/** Lets a small model summarise. */
export default function (pi: HookAPI) {
	pi.on("session_before_compact", async ({ preparation, signal }) => {
		const response = await complete(convertToLlm(preparation.messagesToSummarize), { signal });
		return { compaction: { summary: response.text, firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: preparation.tokensBefore } };
	});
}
