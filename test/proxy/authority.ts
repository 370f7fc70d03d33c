import { generate } from 'selfsigned';

const name = (value: string) => [{ name: 'commonName', value }];

/** A certificate authority of one's own, and what a server at localhost has from it (PEM); made anew at each call. */
export async function privateAuthority(): Promise<{
	/** For NODE_EXTRA_CA_CERTS. */
	authority: string;
	tls: { key: string; cert: string };
}> {
	const authority = await generate(name('Sample authority'), {
		keyType: 'ec',
		algorithm: 'sha256',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'keyUsage', keyCertSign: true },
		],
	});
	const { private: key, cert } = await generate(name('localhost'), {
		keyType: 'ec',
		algorithm: 'sha256',
		ca: { key: authority.private, cert: authority.cert },
		extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
	});
	return { authority: authority.cert, tls: { key, cert } };
}
