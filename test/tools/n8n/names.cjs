/**
 * Loaded by n8n's Node before n8n (`node --require`): a host name below `.test` (RFC 6761) is found, at 127.0.0.1, as
 * long as a file of that name is in the folder HOST_NAMES.
 */
const dns = require('node:dns');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const { lookup } = dns;
dns.lookup = (hostname, ...rest) => {
	if (!hostname.endsWith('.test')) return lookup(hostname, ...rest);
	if (existsSync(join(process.env.HOST_NAMES, hostname))) return lookup('127.0.0.1', ...rest);
	const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
	const details = { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname };
	return process.nextTick(rest.at(-1), Object.assign(error, details));
};
