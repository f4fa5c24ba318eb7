// Loaded by Node before a warm hook's script, with --require. It waits for the
// call, and makes the process what a cold start would have been; then Node goes
// on to the script by itself.
'use strict';
if (process.env.SNAPHOOK_WARM !== undefined) { // a worker thread of the script has no call of its own
	const fs = require('fs');
	const [fd] = process.env.SNAPHOOK_WARM.split(':');
	if (fd === 'probe') process.exit(77);
	delete process.env.SNAPHOOK_WARM;
	// What writes to the call's streams, and what most hooks start programs with: Node's
	// own modules, which take a quarter of a call when it has to load them first.
	for (const name of ['net', 'child_process']) require(name);
	// The way of an ECMAScript module through Node is long; an empty one goes it first, to
	// its end, unless an option or a variable makes that way the user's.
	const plain = process.execArgv.length === 2 && !Object.keys(process.env).some((name) => name.startsWith('NODE_'));
	if (plain && process.argv[1].endsWith('.mjs') && process._tickCallback) {
		import('data:text/javascript,import "node:fs"').catch(() => {});
		process._tickCallback();
	}
	const chunks = [];
	const chunk = Buffer.alloc(65536);
	for (;;) {
		let n;
		try {
			n = fs.readSync(Number(fd), chunk, 0, chunk.length, null);
		} catch (e) {
			if (e.code === 'EINTR' || e.code === 'EAGAIN') continue;
			process.reallyExit(75);
		}
		if (n === 0) break;
		chunks.push(Buffer.from(chunk.subarray(0, n)));
	}
	fs.closeSync(Number(fd));
	const parts = Buffer.concat(chunks).toString().split('\0');
	if (parts.pop() !== 'run') process.reallyExit(75); // the host is gone
	for (const part of parts) {
		const at = part.indexOf('=');
		if (part[0] === '+') process.env[part.slice(1, at)] = part.slice(at + 1);
		else delete process.env[part.slice(1)];
	}
	const at = process.execArgv.indexOf('--require');
	if (at >= 0) process.execArgv.splice(at, 2);
}
delete require.cache[__filename];
