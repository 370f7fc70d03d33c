import { isIP, Socket } from 'node:net';

const HERE = ['127.0.0.1', '::1', 'localhost'];

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/** The connections that this process has opened, until it knows of their end. */
const open = new Set<Socket>();

/** Those whose other end leaves them waiting on purpose, by the ports of both ends. */
const held = new Set<string>();

const key = (client?: number, server?: number) => `${String(client)} ${String(server)}`;

/**
 * To be called by a server that lets its client wait.
 * @returns how to say that it goes on
 */
export function hold({ remotePort, localPort }: Socket): () => void {
	const connection = key(remotePort, localPort);
	held.add(connection);
	return () => held.delete(connection);
}

/** Whether something is on its way through a connection, looked up, or has its turn in this turn of the event loop. */
export function isUnderWay(): boolean {
	const waits = ({ localPort, remotePort }: Socket) => held.has(key(localPort, remotePort));
	return (
		[...open].some((socket) => !waits(socket)) ||
		process.getActiveResourcesInfo().some((name) => /Immediate|Req/.test(name))
	);
}

/** What Node's error says of a host that nobody knows, or of an address that nobody can reach. */
function refusal(host: string, port: unknown): Error {
	const [code, message] = isIP(host)
		? ['ENETUNREACH', `connect ENETUNREACH ${host}:${String(port)}`]
		: ['ENOTFOUND', `getaddrinfo ENOTFOUND ${host}`];
	return Object.assign(new Error(`${message} - no test leaves this machine`), { code });
}

/**
 * As if this machine had no network: no connection leaves it, and no name is looked up.
 * @returns how to undo that
 */
export function withoutNetwork(): () => void {
	const prototype = Socket.prototype as { connect: Connect };
	const { connect } = prototype;
	prototype.connect = function (...args) {
		const [target] = args.flat() as [{ host?: string; port?: unknown }];
		open.add(this.once('close', () => open.delete(this)));
		if (target.host === undefined || HERE.includes(target.host)) return connect.apply(this, args);
		process.nextTick(() => this.destroy(refusal(String(target.host), target.port)));
		return this;
	};
	return () => (prototype.connect = connect);
}
