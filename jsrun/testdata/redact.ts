type Part = { type: "text"; text: string } | { type: "image"; data: string };

const secret = /\b(?<name>[A-Z][A-Z0-9_]*(?:TOKEN|KEY|SECRET))=(?<value>\S+)/g;

/** Hides the values of variables that look like secrets in what tools print. */
export default (pi: any) => {
	let hidden = 0;
	pi.on("tool_result", (event: { content: Part[]; isError: boolean }) => {
		if (event.isError) return;
		const content = event.content.map(part =>
			part.type === "text" ? { ...part, text: part.text.replace(secret, (_, name) => (hidden++, `${name}=***`)) } : part,
		);
		pi.appendEntry("hidden", { hidden });
		return { content };
	});
};
