export default chosen;
export { posix, win32 };
export const { sep, delimiter, normalize, join, isAbsolute, resolve, relative, dirname, basename, extname, parse, format, toNamespacedPath } = chosen;
