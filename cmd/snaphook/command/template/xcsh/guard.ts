// Refuses forced pushes. The call is the event; what is returned decides.
export default function (pi) {
  pi.on("tool_call", (event) => {
    if (event.toolName === "bash" && /git push.*--force/.test(event.input.command)) {
      return { block: true, reason: "a forced push is for a person to do: ask the user" };
    }
  });
}
