import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { toNodeError } from '../../nodes/AquacultureSite/nodeErrors';
import { type FailureSubject, ServiceFailure } from '../../nodes/AquacultureSite/service/failures';
import { ParameterError } from '../../nodes/AquacultureSite/site/parameters';

// n8n replaces a message that contains such a word
const CODE = 'ECONNREFUSED';

function node(credential?: string): INode {
	const credentials = credential && { aquacultureApi: { id: '1', name: credential } };
	return {
		...{ id: '1', name: 'Site', type: 'site', typeVersion: 1, position: [0, 0], parameters: {} },
		...(credentials && { credentials }),
	};
}

const failure = (subject: FailureSubject, httpStatus?: number) =>
	new ServiceFailure('It failed', 'Open the credential and fix it', {
		...{ subject, httpStatus, optionAdvice: 'Raise a limit' },
	});

test('a failure of the service has its words, its status and its item', () => {
	const error = toNodeError(node('Farm'), failure('site', 404), 3);
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error).toMatchObject({
		message: 'It failed',
		description: 'Open the credential "Farm" and fix it. Raise a limit',
		httpCode: '404',
		context: { itemIndex: 3 },
	});
});

test('advice about an option stands only where there is one, and an item', () => {
	const plain = new ServiceFailure('It failed', 'Fix it', { subject: 'site' });
	expect(toNodeError(node(), plain, 3).description).toBe('Fix it');
	expect(toNodeError(node(), failure('site')).description).toBe('Open the credential and fix it');
});

test('a failure of a node with another credential names none', () => {
	const other = { ...node(), credentials: { otherApi: { id: '1', name: 'Other' } } };
	expect(toNodeError(other, failure('credential')).message).toBe('It failed');
});

test('a failure without a status has no code', () => {
	expect(toNodeError(node('Farm'), failure('service'))).toMatchObject({ httpCode: null });
});

test.each([
	['Farm', ': credential "Farm"', ' "Farm"'],
	[CODE, `: credential "${CODE}"`, ` "${CODE}"`],
	['$& $1', ': credential "$& $1"', ' "$& $1"'],
	[undefined, '', ''],
])('a failure about the credential names it: %s', (name, inMessage, inAdvice) => {
	expect(toNodeError(node(name), failure('credential'))).toMatchObject({
		message: `It failed${inMessage}`,
		description: `Open the credential${inAdvice} and fix it`,
	});
});

test('a parameter that is wrong keeps its words', () => {
	const wrong = new ParameterError(`'Site ID': "${CODE}" is not a site ID`, 'Fix it');
	const error = toNodeError(node('Farm'), wrong, 3);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({
		message: wrong.message,
		description: 'Fix it',
		context: { itemIndex: 3 },
	});
});

test('an error of n8n itself stays what it is', () => {
	const error = toNodeError(node('Farm'), new Error('An expression failed'), 0);
	expect(error).toMatchObject({ message: 'An expression failed', context: { itemIndex: 0 } });
	// Also where n8n has its own words for it
	expect(toNodeError(node('Farm'), new Error(CODE)).message).toMatch(/refused the connection/);
});
