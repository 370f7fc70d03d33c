import { once } from 'node:events';
import * as http from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hold } from './connections';

/** What the proxy does instead of its work. */
export interface ProxyFault {
	/** Responds with this itself. */
	response?: { status: number; headers?: Record<string, string>; body?: string };
	/** `close` ends the connection without a response, `hang` never responds. */
	connection?: 'close' | 'hang';
}

export type ForwardProxy = Awaited<ReturnType<typeof startProxy>>;

/** The response as bytes: there is no http.ServerResponse for CONNECT. */
function responseText({ status, headers, body = '' }: NonNullable<ProxyFault['response']>): string {
	const lines = Object.entries({ ...headers, connection: 'close' });
	const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
	return `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`;
}

/**
 * Starts a forward proxy on 127.0.0.1, which requires no login: HTTP in absolute form (RFC 9112, section 3.2.2), anything
 * else through CONNECT (RFC 9110, section 9.3.6).
 *
 * @param only the one host with its port that it knows; whatever is for another one gets a 502, and is not written down
 */
export async function startProxy(only?: string) {
	const open = new Set<Duplex>();
	const server = http.createServer();
	server.on('connection', (socket: Socket) => {
		open.add(socket.once('close', () => open.delete(socket)));
	});

	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;

	const proxy = {
		/** For HTTP_PROXY and HTTPS_PROXY. */
		url: `http://127.0.0.1:${port}`,
		/** The method and target of each request, oldest first. */
		requests: [] as string[],
		/** What goes wrong from now on. */
		fault: undefined as ProxyFault | undefined,
		async close(): Promise<void> {
			const closed = new Promise((resolve) => server.close(resolve));
			for (const socket of open) socket.destroy();
			await closed;
		},
	};

	/** Writes the request down; true where it is not to be forwarded. */
	function isFaulty({ method, url = '' }: http.IncomingMessage, socket: Duplex): boolean {
		const host = url.replace(/^http:\/\/([^/]*).*/, '$1');
		if (only !== undefined && host !== only) {
			socket.end(responseText({ status: 502 }));
			return true;
		}
		proxy.requests.push(`${method} ${url}`);
		const { fault } = proxy;
		if (!fault) return false;
		if (fault.response) socket.end(responseText(fault.response));
		else if (fault.connection === 'close') socket.end();
		else if (socket instanceof Socket) socket.once('close', hold(socket));
		return true;
	}

	server.on('connect', (request: http.IncomingMessage, client: Duplex, head: Buffer) => {
		client.on('error', () => undefined);
		if (isFaulty(request, client)) return;
		const { hostname, port } = new URL(`http://${request.url}`);
		const target = connect(Number(port), hostname, () => {
			client.write('HTTP/1.1 200 Connection established\r\n\r\n');
			target.write(head);
			target.pipe(client).pipe(target);
		});
		open.add(target);
		target.on('error', () => client.end(responseText({ status: 502 })));
	});

	server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
		if (isFaulty(request, request.socket)) return;
		const { method, url = '' } = request;
		// Those are for the proxy alone (RFC 9110, section 7.6.1)
		const { connection: _, 'proxy-connection': __, ...headers } = request.headers;
		const forwarded = http.request(url, { method, headers, agent: false }, (received) => {
			// It names itself (RFC 9110, section 7.6.3)
			const headers = { ...received.headers, via: '1.1 test-proxy' };
			response.writeHead(received.statusCode ?? 502, headers);
			received.pipe(response);
		});
		forwarded.on('error', () => response.writeHead(502).end());
		request.pipe(forwarded);
	});

	return proxy;
}
