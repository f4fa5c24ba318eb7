import type { HookAPI } from "@mariozechner/pi-coding-agent";

/** Wants what is for tools. */
export default function (pi: HookAPI) {
	const { Type } = pi.typebox;
	pi.logger.debug(Type.Object({}));
}
