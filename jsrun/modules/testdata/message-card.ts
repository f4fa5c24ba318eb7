import { getMarkdownTheme, type HookAPI } from "@oh-my-pi/pi-coding-agent";
import { Box, type Component, Container, Markdown, Spacer, Text } from "@oh-my-pi/pi-tui";

/** Draws its messages as cards. */
export default function (pi: HookAPI) {
	pi.registerMessageRenderer("card", (message, { expanded }, theme): Component => {
		const title = new Text("", 0, 0);
		title.setText(theme.fg("accent", theme.bold("Card")));
		if (!expanded) return title;
		const box = new Box(1, 1, (line: string) => theme.bg("customMessageBg", line));
		box.addChild(title);
		box.addChild(new Spacer(1));
		const body = new Container();
		if (typeof message.content === "string") body.addChild(new Text(message.content, 0, 0));
		else for (const part of message.content) if (part.type === "text") body.addChild(new Markdown(part.text, 0, 0, getMarkdownTheme()));
		box.addChild(body);
		return box;
	});
}
