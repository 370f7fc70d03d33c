import { generate } from 'selfsigned';

/** A key and a certificate (PEM) that nobody vouches for; made anew at each call. */
export async function selfSignedCertificate(): Promise<{ key: string; cert: string }> {
	const name = [{ name: 'commonName', value: 'localhost' }];
	const { private: key, cert } = await generate(name, { keyType: 'ec' });
	return { key, cert };
}
