#!/usr/bin/env node
// A guard that stays up: it refuses commands that write below /etc.
import { refuse, serve } from './snaphook_worker.mjs';

serve(payload => {
	if (payload.tool_input?.command?.includes('/etc/')) throw refuse('writing to /etc is prohibited');
}, { concurrency: 8 });
