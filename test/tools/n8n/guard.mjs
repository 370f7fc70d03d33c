/**
 * `node guard.mjs <command> <arguments…>` runs a command in a process group of its own, and ends the whole group when
 * the process that forked it is gone, however that one ended. Plain JavaScript, so that every Node can start it.
 * It sends its parent `{ pid }` at the start and `{ code }` at the end: 127, as a shell does, where there is no such
 * command.
 */
import { spawn } from 'node:child_process';

/** How long the command may take to end by itself once its parent is gone. */
const GRACE_MS = 10_000;

const [command, ...args] = process.argv.slice(2);
const endGroup = () => process.kill(-process.pid, 'SIGKILL');
const reportAndEnd = (message) =>
	process.connected ? process.send(message, () => endGroup()) : endGroup();

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('spawn', () => process.connected && process.send({ pid: child.pid }));
child.on('error', ({ message }) => {
	console.error(message);
	reportAndEnd({ code: 127 });
});
child.on('exit', (code) => reportAndEnd({ code }));
// Ctrl-C goes to the whole group; the command decides what it makes of it
process.on('SIGINT', () => undefined);
process.on('disconnect', () => {
	child.kill('SIGTERM');
	setTimeout(endGroup, GRACE_MS);
});
