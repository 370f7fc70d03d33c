import { isIP, Socket } from 'node:net';

const HERE = ['127.0.0.1', '::1', 'localhost'];

type Connect = (this: Socket, ...args: unknown[]) => Socket;

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
		if (target.host === undefined || HERE.includes(target.host)) return connect.apply(this, args);
		process.nextTick(() => this.destroy(refusal(String(target.host), target.port)));
		return this;
	};
	return () => (prototype.connect = connect);
}
