import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { toNodeError, toPlainError } from '../../nodes/AquacultureSite/nodeErrors';
import { inCredential, inOptions } from '../../nodes/AquacultureSite/service/messages/advice';
import {
	type FailureSubject,
	ServiceFailure,
} from '../../nodes/AquacultureSite/service/messages/failures';
import { ParameterError } from '../../nodes/AquacultureSite/utils/parameters';

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
	new ServiceFailure('It failed', [inCredential('fix it'), inOptions('Raise a limit')], {
		subject,
		httpStatus,
	});

test('a failure of the service has its words, its status and its item', () => {
	const error = toPlainError(node('Farm'), failure('site', 404), 3);
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
	expect(toPlainError(node(), plain, 3).description).toBe('Fix it');
	expect(toPlainError(node(), failure('site')).description).toBe('Open the credential and fix it');
});

test('a failure of a node with another credential names none', () => {
	const other = { ...node(), credentials: { otherApi: { id: '1', name: 'Other' } } };
	expect(toNodeError(other, failure('credential')).message).toBe('It failed');
});

test('a failure without a status has no code', () => {
	expect(toPlainError(node('Farm'), failure('service'))).toMatchObject({ httpCode: null });
});

test.each([
	['Farm', ': credential "Farm"', ' "Farm"'],
	[CODE, `: credential "${CODE}"`, ` "${CODE}"`],
	['$& $1', ': credential "$& $1"', ' "$& $1"'],
	[undefined, '', ''],
])('a failure about the credential names it: %s', (name, inMessage, inAdvice) => {
	expect(toPlainError(node(name), failure('credential'))).toMatchObject({
		message: `It failed${inMessage}`,
		description: `Open the credential${inAdvice} and fix it`,
	});
});

test('a parameter that is wrong keeps its words', () => {
	const wrong = new ParameterError(`'Site ID': "${CODE}" is not a site ID`, 'Fix it');
	const error = toPlainError(node('Farm'), wrong, 3);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({
		message: wrong.message,
		description: 'Fix it',
		context: { itemIndex: 3 },
	});
});

test('an error of n8n itself stays what it is', () => {
	const error = toPlainError(node('Farm'), new Error('An expression failed'), 0);
	expect(error).toMatchObject({ message: 'An expression failed', context: { itemIndex: 0 } });
	// Also where n8n has its own words for it
	expect(toPlainError(node('Farm'), new Error(CODE)).message).toMatch(/refused the connection/);
});

describe("n8n's editor renders the description of a thrown error as HTML", () => {
	const said = 'The service says: "<b>2</b> &lt; `3`".';
	const shown = 'The service says: "&#60;b>2&#60;/b> &#38;lt; &#96;3&#96;".';

	test.each<[string, Error]>([
		['a failure of the service', new ServiceFailure('It failed', said, { subject: 'site' })],
		['a parameter that is wrong', new ParameterError('It is wrong', said)],
	])("%s: nobody else's words become HTML", (_what, error) => {
		expect(toPlainError(node(), error).description).toBe(said);
		expect(toNodeError(node(), error).description).toBe(shown);
	});

	test('a message, which is HTML in a pop-up and text in the panel, has no tags', () => {
		const wrong = new ParameterError('"<b>x</b>" is not a site ID', 'Fix it');
		expect(toPlainError(node(), wrong).message).toBe('"<b>x</b>" is not a site ID');
		expect(toNodeError(node(), wrong).message).toBe('"‹b›x‹/b›" is not a site ID');
	});

	test("n8n's own errors keep their HTML", () => {
		const own = new NodeOperationError(node(), 'It failed', { description: '<a>Help</a>' });
		expect(toNodeError(node(), own).description).toBe('<a>Help</a>');
	});
});
