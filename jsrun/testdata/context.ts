interface Message {
	role: string;
	customType?: string;
	content: unknown;
}

/** Keeps notes to oneself out of what the model reads. */
export default async function (pi: any) {
	const noise = new Set<string>(await Promise.resolve(["debug", "scratch"]));
	pi.on("context", ({ messages }: { messages: Message[] }) => ({
		messages: messages.filter(({ role, customType }) => role !== "custom" || !noise.has(customType!)),
	}));
}
