// This module replaces the packages of the agents: it exports the names that hook modules can import from them.
const is = name => event => event.toolName === name;

export const isBashToolResult = is("bash");
export const isEditToolResult = is("edit");
export const isFindToolResult = is("find");
export const isGrepToolResult = is("grep");
export const isLsToolResult = is("ls");
export const isReadToolResult = is("read");
export const isWriteToolResult = is("write");
export const isToolCallEventType = (name, event) => event.type === "tool_call" && event.toolName === name;
export const getMarkdownTheme = () => ({});

// getAgentDir returns the user's directory of the agent.
export const getAgentDir = () => {
  const { PI_CODING_AGENT_DIR: dir, PI_CONFIG_DIR: name, HOME, USERPROFILE } = process.env;
  const home = HOME || USERPROFILE || "~";
  return dir ? dir.replace(/^~(?=\/|$)/, home) : `${home}/${name || OWN_DIR}/agent`;
};
