/**
 * Runs `node guard.mjs <command> <arguments…>` as the head of a process group of its own and ends the whole group as
 * soon as the process that forked it is gone, however that one died. Plain JavaScript, so that every Node starts it
 * at once. It tells its parent `{ pid }` at the start and `{ code, signal }` or `{ error }` at the end.
 */
import { spawn } from 'node:child_process';

/** How long the command may take to end by itself once its parent is gone, in milliseconds. */
const GRACE = 10_000;

const [command, ...args] = process.argv.slice(2);
const endGroup = () => process.kill(-process.pid, 'SIGKILL');
const tellAndEnd = (message) =>
	process.connected ? process.send(message, () => endGroup()) : endGroup();

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('spawn', () => process.connected && process.send({ pid: child.pid }));
child.on('error', (error) => tellAndEnd({ error: error.message }));
child.on('exit', (code, signal) => tellAndEnd({ code, signal }));
process.on('disconnect', () => {
	child.kill('SIGTERM');
	setTimeout(endGroup, GRACE);
});
