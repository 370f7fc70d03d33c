import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeCredentialTestResult,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import type { LoadedTypes } from './package-types';

/**
 * The test that n8n runs when a credential is saved: a method of the first node that names one for this type. Returns
 * what the credential dialog shows.
 *
 * @param data the credential as it is stored, defaults filled in
 */
export async function testCredential(
	nodes: LoadedTypes['nodes'],
	{ name }: ICredentialType,
	data: ICredentialDataDecryptedObject,
	additionalData: IWorkflowExecuteAdditionalData,
): Promise<INodeCredentialTestResult> {
	for (const node of Object.values(nodes)) {
		if (!('execute' in node || 'poll' in node)) continue;
		const { testedBy } = node.description.credentials?.find((each) => each.name === name) ?? {};
		const test = typeof testedBy === 'string' && node.methods?.credentialTest?.[testedBy];
		if (!test) continue;
		const credential = { id: '', name: '', type: name, data };
		return await test.call(new CredentialTestContext(additionalData), credential);
	}
	return { status: 'Error', message: 'No testing function found for this credential.' };
}
