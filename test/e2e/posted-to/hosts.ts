import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { generate } from 'selfsigned';
import { inWorkspace } from '../workspace';

/** A request to a stand-in, with its body read. */
export interface HostRequest {
	method: string;
	/** Percent-decoded, without the query. */
	path: string;
	headers: IncomingMessage['headers'];
	/** Parsed JSON; undefined without a body. */
	body: unknown;
}

export interface HostAnswer {
	status: number;
	json: unknown;
}

export type Host = (request: HostRequest) => HostAnswer;

export interface Hosts {
	/** Environment variables that make n8n reach the stand-ins under the hosts' own names, and nothing else by https. */
	readonly env: Record<string, string>;
	close(): Promise<void>;
}

async function readRequest(request: IncomingMessage): Promise<HostRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
	const body = Buffer.concat(chunks).toString();
	return {
		method: request.method!,
		path: decodeURIComponent(request.url!.split('?')[0]!),
		headers: request.headers,
		body: body === '' ? undefined : JSON.parse(body),
	};
}

/**
 * Plays hosts of the internet on 127.0.0.1: a proxy whose CONNECT (RFC 9110, 9.3.6) ends here, behind a certificate of
 * our own in the hosts' names.
 * @param name of the file that holds the certificate
 * @param hosts what answers, by host name
 */
export async function standInFor(name: string, hosts: Record<string, Host>): Promise<Hosts> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'stand-ins' }], {
		keyType: 'ec',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{
				name: 'subjectAltName',
				altNames: Object.keys(hosts).map((value) => ({ type: 2 as const, value })),
			},
		],
	});
	const certificate = inWorkspace('certificates', `${name}.pem`);
	writeFileSync(certificate, cert);

	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const host = hosts[request.headers.host ?? '']!;
		const { status, json } = host(await readRequest(request));
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(json));
	};
	const tls = createTlsServer({ key, cert }, (request, response) => {
		answer(request, response).catch((error: Error) => {
			response.writeHead(500, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ message: `The stand-in cannot do that: ${error.message}` }));
		});
	});

	const open = new Set<Socket>();
	const proxy = createServer();
	proxy.on('connection', (socket: Socket) => {
		open.add(socket);
		socket.once('close', () => open.delete(socket)).on('error', () => socket.destroy());
	});
	proxy.on('connect', ({ url }: IncomingMessage, socket: Socket) => {
		const host = url!.replace(/:443$/, '');
		if (!Object.hasOwn(hosts, host)) {
			socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
			return;
		}
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		tls.emit('connection', socket);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	const { port } = proxy.address() as AddressInfo;

	return {
		env: {
			HTTPS_PROXY: `http://127.0.0.1:${port}`,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
		},
		async close() {
			proxy.close();
			for (const socket of open) socket.destroy();
			await once(proxy, 'close');
		},
	};
}
