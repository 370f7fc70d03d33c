import { ExecuteContext, RoutingNode } from 'n8n-core';
import { createRunExecutionData, Workflow } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INode,
	INodeCredentialTestResult,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { asNodeTypes } from './package-types';
import { describeNode, field } from './stand-in-nodes';

// n8n skips the login of a test for nodes of this type: it expects the full name, n8n-nodes-base.noOp
const testNodeType = 'noOp';

/**
 * The test that n8n runs when a credential is saved, through n8n-core's RoutingNode: the login, then the type's `test`
 * request. Returns what the credential dialog shows.
 *
 * @param data the credential as it is stored, defaults filled in
 * @param reference the `credentials` entry of a node that uses it
 */
export async function testCredential(
	type: ICredentialType,
	data: ICredentialDataDecryptedObject,
	reference: NonNullable<INode['credentials']>,
	additionalData: IWorkflowExecuteAdditionalData,
): Promise<INodeCredentialTestResult> {
	const { test } = type;
	if (!test) return { status: 'Error', message: 'No testing function found for this credential.' };

	const nodeType: INodeType = {
		description: {
			...describeNode(testNodeType),
			credentials: [{ name: type.name, required: true }],
			properties: [{ ...field('temp'), routing: { request: test.request } }],
		},
	};
	const node: INode = {
		id: 'temp',
		name: 'Temp-Node',
		type: testNodeType,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: reference,
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: asNodeTypes({ [testNodeType]: nodeType }),
	});
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		createRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	const saved = { id: '', name: '', ...reference[type.name], type: type.name, data };
	const router = new RoutingNode(context, nodeType, { ...saved, id: saved.id ?? '' });

	try {
		await router.runNode();
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: shown(error as Refusal, type) };
	}
}

interface Refusal {
	message: string;
	cause?: { response?: { status: number } };
}

/** The text in the dialog: the rule's for this status, or the message. */
const shown = ({ message, cause }: Refusal, { test }: ICredentialType): string =>
	test?.rules?.find(
		({ properties }) => 'value' in properties && properties.value === cause?.response?.status,
	)?.properties.message ?? message;
