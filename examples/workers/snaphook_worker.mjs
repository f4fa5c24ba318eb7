// Turns a hook written for Node into a worker of snaphook.
//
//   import { serve } from './snaphook_worker.mjs';
//   serve(async (payload, call) => ({ decision: 'block', reason: 'no' }), { concurrency: 8 });
//
// The handler returns an answer, or nothing. One that throws has failed: status 1,
// or the error's own "exit", with its text on standard error; exit 2 refuses.
// call.signal is aborted when the call is cancelled.
import readline from 'node:readline';

const print = process.stdout.write.bind(process.stdout);

export function serve(handler, { concurrency = 1 } = {}) {
	console.log = console.info = console.error; // standard output is the protocol's
	const running = new Map();
	const send = answer => print(JSON.stringify(answer) + '\n');

	async function run(call) {
		const abort = new AbortController();
		running.set(call.id, abort);
		try {
			const output = await handler(call.payload, { ...call, signal: abort.signal });
			send({ id: call.id, output: output ?? null });
		} catch (e) {
			send({ id: call.id, exit: Number.isInteger(e?.exit) ? e.exit : 1, stderr: String(e?.message ?? e) + '\n' });
		} finally {
			running.delete(call.id);
		}
	}

	const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
	lines.on('line', line => {
		const message = JSON.parse(line);
		if (message.cancel !== undefined) running.get(message.cancel)?.abort();
		else run(message);
	});
	lines.on('close', () => process.exit(0));
	send({ ready: { concurrency } });
}

// refuse is an error with which a handler denies what is about to happen.
export function refuse(reason) {
	return Object.assign(new Error(reason), { exit: 2 });
}
