import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { defined } from '../helpers/at';
import type { Cleanup } from '../helpers/cleanup';
import { inWorkspace } from './workspace';

/** A request to a fake host. */
interface HostRequest {
	method: string;
	/** Percent-decoded, without the query. */
	path: string;
	headers: IncomingMessage['headers'];
	/** Parsed JSON; undefined without a body. */
	body: unknown;
}

/** Returns the JSON of a response with status 200; throws for status 500. */
export type Host = (request: HostRequest) => object;

async function readRequest(request: IncomingMessage): Promise<HostRequest> {
	const { method = '', headers, url = '' } = request;
	const [path = ''] = url.split('?');
	const body = method === 'GET' ? undefined : await json(request);
	return { method, path: decodeURIComponent(path), headers, body };
}

/**
 * A certificate of our own in the names of hosts.
 * @param name of the file that holds it, for NODE_EXTRA_CA_CERTS
 */
export async function certificateFor(name: string, hosts: string[]) {
	const altNames = hosts.map((value) => ({ type: 2 as const, value }));
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'fakes' }], {
		keyType: 'ec',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames },
		],
	});
	const file = inWorkspace('certificates', `${name}.pem`);
	writeFileSync(file, cert);
	return { tls: { key, cert }, file };
}

/**
 * Plays hosts of the internet on 127.0.0.1: a proxy that answers CONNECT (RFC 9110, 9.3.6) itself, behind a certificate
 * of our own in the hosts' names.
 * @param name of the file that holds the certificate
 * @param hosts by host name
 * @returns environment variables with which n8n reaches the fakes by the hosts' names, and nothing else by HTTPS
 */
export async function fakeHosts(
	cleanup: Cleanup,
	name: string,
	hosts: Record<string, Host>,
): Promise<Record<string, string>> {
	return await playHosts(cleanup, name, Object.keys(hosts), (request, response) => {
		const respond = (status: number, body: object) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		readRequest(request)
			.then((read) => respond(200, defined(hosts[request.headers.host ?? ''])(read)))
			.catch((error: unknown) => respond(500, { message: String(error) }));
	});
}

/** Like `fakeHosts`, with one listener for the requests to all hosts. */
export async function playHosts(
	cleanup: Cleanup,
	name: string,
	hosts: string[],
	listener: RequestListener,
): Promise<Record<string, string>> {
	const certificate = await certificateFor(name, hosts);
	const tls = createTlsServer(certificate.tls, listener);

	const proxy = createServer();
	proxy.on('connection', (socket) => socket.on('error', () => socket.destroy()));
	proxy.on('connect', ({ url = '' }, socket) => {
		if (!hosts.includes(url.replace(/:443$/, ''))) {
			socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
			return;
		}
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		tls.emit('connection', socket);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	// n8n, which keeps connections open, has ended by then
	cleanup.defer(() => proxy.close());
	return {
		HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		NO_PROXY: '127.0.0.1,localhost',
		NODE_EXTRA_CA_CERTS: certificate.file,
	};
}
