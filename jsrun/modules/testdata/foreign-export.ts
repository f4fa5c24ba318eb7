import { type HookAPI, compact } from "@mariozechner/pi-coding-agent";

/** Wants a part of its agent that is not there. */
export default function (pi: HookAPI) {
	pi.on("session_before_compact", compact);
}
