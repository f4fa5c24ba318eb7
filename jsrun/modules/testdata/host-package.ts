import type { HookAPI } from "@mariozechner/pi-coding-agent";

/** Wants the package of its host. */
export default function (pi: HookAPI) {
	pi.logger.debug(pi.pi.VERSION);
}
