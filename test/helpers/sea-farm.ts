import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { createEngine, type Engine, type NodeResult, type TestNode } from '../engine/engine';
import type { Service } from '../fake-service/service';

/** What the user of these tests calls the credential. */
export const CREDENTIAL = 'Sea farm';

/** An n8n just started, whose user has entered the address and the login of a service in one credential. */
export async function seaFarm(
	{ baseUrl, login }: Pick<Service, 'baseUrl' | 'login'>,
	typedInstead: ICredentialDataDecryptedObject = {},
): Promise<Engine> {
	return await createEngine({
		credentials: { [CREDENTIAL]: { baseUrl, ...login, ...typedInstead } },
	});
}

/** The node «Aquaculture Site»; `rest` holds its settings (On Error, …). */
export function siteNode(parameters: INodeParameters, rest: Partial<TestNode> = {}): TestNode {
	return { type: 'n8n-nodes-aquaculture.aquacultureSite', parameters, ...rest };
}

/** n8n's HTTP Request node with this credential as its «Predefined Credential Type». */
export function httpRequestNode(url: string, rest: Partial<TestNode> = {}): TestNode {
	const parameters = { url, nodeCredentialType: 'aquacultureApi' };
	return { type: 'n8n-nodes-base.httpRequest', parameters, ...rest };
}

/** One input item for each value, as its field `id`. */
export function itemsWith(ids: readonly unknown[]) {
	return ids.map((id) => ({ json: { id: id as never } }));
}

/** The data of the items on the regular output. */
export function dataOf({ items }: Pick<NodeResult, 'items'>): IDataObject[] {
	return items.map(({ json }) => json);
}
