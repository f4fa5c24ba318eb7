import rules from "./rules.json";

const patterns: RegExp[] = rules.map((rule: string) => new RegExp(rule, "u"));

export const isDestructive = (command: string): boolean => patterns.some(pattern => pattern.test(command));
