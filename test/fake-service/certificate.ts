import { generate } from 'selfsigned';

/** A key and a certificate for 127.0.0.1 and localhost (PEM) that nobody vouches for; made anew at each call. */
export async function selfSignedCertificate(): Promise<{ key: string; cert: string }> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
		keyType: 'ec',
		extensions: [
			{
				name: 'subjectAltName',
				altNames: [
					{ type: 2, value: 'localhost' },
					{ type: 7, ip: '127.0.0.1' },
				],
			},
		],
	});
	return { key, cert };
}
