import type { OnError } from 'n8n-workflow';
import { createEngine, type Engine } from '../engine/engine';
import type { Body, Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { CREDENTIAL, itemsWith, seaFarm, siteNode } from '../helpers/sea-farm';

// A busy machine takes its time
jest.setTimeout(30_000);

let service: Service;
let engine: Engine;

beforeAll(async () => {
	service = await startService();
});
beforeEach(async () => {
	service.reset();
	engine = await seaFarm(service);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.close());

const operations = [
	['get', { operation: 'get', siteId: '={{ $json.id }}' }],
	['getAll', { operation: 'getAll', siteIds: '={{ $json.id }}' }],
	['getUnits', { operation: 'getUnits', siteIds: '={{ $json.id }}' }],
	['getGeoJson', { operation: 'getGeoJson', siteIds: '={{ $json.id }}' }],
] as const;
const [[, getParameters], [, getAllParameters]] = operations;

/** What a person would read where the request for site 1042 goes wrong so. */
async function told(fault: Fault, options = {}) {
	service.faults.site.push(fault);
	const { error } = await engine.run({
		node: siteNode({ operation: 'get', siteId: 1042, options: { maxRetries: 0, ...options } }),
	});
	const [ownWords] = `${error?.message} ${error?.description}`.split('The service says');
	expect(ownWords).not.toMatch(
		/ENOTFOUND|ECONN|ETIMEDOUT|AxiosError|Unauthorized|Bad request|undefined|\[object/,
	);
	expect(error?.message).not.toMatch(/https?:|127\.0\.0\.1/);
	return error;
}

describe('an answer of the service that is no site has its own sentence', () => {
	test.each([
		[400, 'The service rejected the request for site 1042 (status 400)'],
		[401, `The service rejected a newly issued access token: credential "${CREDENTIAL}"`],
		[402, 'The service rejected the request for site 1042 (status 402)'],
		[403, 'This user has no access to site 1042'],
		[404, 'Site 1042 was not found'],
		[410, 'The service rejected the request for site 1042 (status 410)'],
		[422, 'The service rejected the request for site 1042 (status 422)'],
		[429, 'The service is receiving too many requests'],
		[500, 'The service is unavailable (status 500)'],
		[502, 'The service is unavailable (status 502)'],
		[503, 'The service is unavailable (status 503)'],
		[504, 'The service is unavailable (status 504)'],
	])('status %i', async (status, sentence) => {
		const error = await told({ status });
		expect(error?.message).toBe(sentence);
		expect(error?.description).toContain('The service says: "The service says: ');
		expect(error?.httpCode).toBe(String(status));
	});

	const unreadable = 'The response for site 1042 is not valid';
	const empty = 'The response for site 1042 is empty';
	test.each<[string, Body, string]>([
		['HTML', 'html', 'The service returned a web page instead of site 1042'],
		['nothing', 'empty', empty],
		['null', { json: null }, empty],
		['JSON that ends too early', 'broken', unreadable],
		['plain text', 'text', unreadable],
		['a list', { json: [{ siteId: 1042 }] }, unreadable],
		['a number', { json: 1042 }, unreadable],
		['true', { json: true }, unreadable],
		['bytes that are no text', new Uint8Array([0xff, 0xfe, 0, 1]), unreadable],
	])('200 with %s', async (_, body, sentence) => {
		expect((await told({ body }))?.message).toBe(sentence);
	});

	test('204: there is nothing in it', async () => {
		expect((await told({ status: 204 }))?.message).toBe(empty);
	});

	test.each<[string, Fault, string]>([
		['no answer in time', { connection: 'hang' }, 'The service did not respond in time'],
		['an answer too late', { latencyMs: 5000 }, 'The service did not respond in time'],
		['a reset', { connection: 'reset' }, 'The connection to the service was lost'],
		['an end in mid-answer', { connection: 'cut' }, 'The connection to the service was lost'],
	])('%s', async (_, fault, sentence) => {
		const tooLate = fault.connection === 'hang' || fault.latencyMs !== undefined;
		const error = await told(fault, tooLate ? { timeout: 150 } : {});
		expect(error?.message).toBe(sentence);
		expect(error?.httpCode).toBeNull();
		expect(error?.description).toContain(`The address is ${service.baseUrl}`);
	});

	test('HTML of a proxy does not get into the message', async () => {
		const error = await told({ status: 502, body: 'html' });
		expect(`${error?.message} ${error?.description}`).not.toMatch(/<|Bad Gateway/);
	});
});

describe('the service’s own words stand in the description', () => {
	test.each<[string, unknown, string]>([
		['message', { message: 'Closed.' }, 'Closed.'],
		['error', { error: 'Closed.' }, 'Closed.'],
		['title', { title: 'Closed.' }, 'Closed.'],
		['detail', { detail: 'Closed.' }, 'Closed.'],
		['nested', { error: { code: 7, message: 'Closed.' } }, 'Closed.'],
		['nested twice', { errors: [{ error: { detail: 'Closed.' } }] }, 'Closed.'],
		['a list', { errors: [{ message: 'Closed.' }, 'Ask later.'] }, 'Closed.; Ask later.'],
		['the first that says something', { message: ' ', detail: 'Closed.' }, 'Closed.'],
		['line breaks', { message: 'Closed.\r\n\tAsk later.' }, 'Closed. Ask later.'],
	])('%s', async (_, json, words) => {
		const error = await told({ status: 403, body: { json } });
		expect(error?.message).toBe('This user has no access to site 1042');
		expect(error?.description).toBe(
			`Ask the service operator for access to the site, or take its ID out of the list. The service says: "${words}"`,
		);
	});

	test.each<[string, Body]>([
		['no body', 'empty'],
		['a body that is no JSON', 'text'],
		['a body without words', { json: { code: 7, message: null } }],
	])('but not for %s', async (_, body) => {
		expect((await told({ status: 403, body }))?.description).toBe(
			'Ask the service operator for access to the site, or take its ID out of the list.',
		);
	});

	test('without the password or the token, should it echo them', async () => {
		await engine.run({ node: siteNode({ operation: 'get', siteId: 1042 }) });
		const [token] = service.issuedTokens;
		const { password } = service.login;
		const error = await told({
			status: 403,
			body: { json: { message: `Bearer ${token} of ${password}` } },
		});
		expect(error?.description).toContain('The service says: "Bearer ••• of •••"');
		expect(JSON.stringify(error)).not.toContain(token);
		expect(JSON.stringify(error)).not.toContain(password);
	});
});

describe.each(operations)('a site ID is checked before anything is sent: %s', (operation, node) => {
	const name = operation === 'get' ? 'Site ID' : 'Site IDs';

	test.each([
		'../auth/token',
		'1/2',
		'1042/../1057',
		'%2e%2e',
		'1042%2F',
		'1042?x=1',
		'1042#x',
		'1e3',
		'0x10',
		'-1',
		'+1',
		'1.5',
		'١٠٤٢',
		'１０４２',
		'Storholmen',
		'1042\u0000',
		'12345678901234567890',
		-1,
		1.5,
		1e21,
		Number.MAX_SAFE_INTEGER + 1,
		true,
		{ siteId: 1042 },
	])('%j', async (id) => {
		const { error } = await engine.run({ node: siteNode(node), items: itemsWith([id]) });
		expect(error?.message).toContain(`'${name}': "`);
		expect(error?.message).toContain('is not a site ID');
		expect(error?.description).toBe(
			'A site ID is a whole number in digits only, e.g. 1042. Several are separated by commas, spaces or lines.',
		);
		expect(service.counts.requests).toBe(0);
	});

	test.each(['', '  \n', ',', [], null, undefined])('empty: %j', async (id) => {
		const { error } = await engine.run({ node: siteNode(node), items: itemsWith([id]) });
		expect(error?.message).toBe(`'${name}' is empty`);
		expect(service.counts.requests).toBe(0);
	});

	test('one bad ID among many items stops the run before the first request', async () => {
		const ids = [1042, 1057, 'x', 1063];
		const { error } = await engine.run({ node: siteNode(node), items: itemsWith(ids) });
		expect(error?.message).toContain(`'${name}': "x" is not a site ID`);
		expect(error?.context?.itemIndex).toBe(2);
		expect(service.counts.requests).toBe(0);
	});
});

describe('a list of site IDs', () => {
	test('names the entry that is none, and its place', async () => {
		const node = siteNode({ operation: 'getAll', siteIds: '1042, 1057, 10x3, 1088' });
		const { error } = await engine.run({ node });
		expect(error?.message).toBe(`'Site IDs': "10x3" is not a site ID (entry 3 of 4)`);
	});

	test('is one too many for the operation «Get»', async () => {
		const { error } = await engine.run({
			node: siteNode({ operation: 'get', siteId: '1042, 1057' }),
		});
		expect(error?.message).toBe("'Site ID' accepts only one site ID");
		expect(service.counts.requests).toBe(0);
	});
});

describe('options that an expression has spoilt', () => {
	test.each([
		['maxConcurrency', 0, "'Max Concurrency' is not a whole number from 1 to 100"],
		['maxConcurrency', 101, "'Max Concurrency' is not a whole number from 1 to 100"],
		['maxConcurrency', 'many', "'Max Concurrency' is not a whole number from 1 to 100"],
		['maxRetries', -1, "'Max Retries' is not a whole number from 0 to 10"],
		['maxRetries', 1.5, "'Max Retries' is not a whole number from 0 to 10"],
		['timeout', 0, "'Timeout' is not a whole number from 1 to 3600000"],
		['timeout', '', "'Timeout' is not a whole number from 1 to 3600000"],
	])('%s: %j', async (option, value, sentence) => {
		const { error } = await engine.run({
			node: siteNode({
				operation: 'get',
				siteId: 1042,
				options: { [option]: '={{ $json.id }}' },
			}),
			items: itemsWith([value]),
		});
		expect(error?.message).toBe(sentence);
		expect(service.counts.requests).toBe(0);
	});
});

describe('On Error', () => {
	const ids = [1042, 77, 1057, 'x', 1063];
	const run = (onError: OnError, parameters: typeof getParameters | typeof getAllParameters) =>
		engine.run({
			node: siteNode({ ...parameters, include: [] }, { onError }),
			items: itemsWith(ids),
		});
	const sites = [
		{ siteId: 1042, siteName: 'Storholmen' },
		{ siteId: 1057, siteName: 'Ørnesvika' },
		{ siteId: 1063, siteName: 'Gåsøya Sør' },
	];

	test('«Stop Workflow»: the first failure ends the run, with the item it belongs to', async () => {
		const { status, error, items } = await engine.run({
			node: siteNode(getParameters),
			items: itemsWith([1042, 77, 1057]),
		});
		expect(status).toBe('error');
		expect(items).toEqual([]);
		expect(error?.message).toContain('Site 77 was not found');
		expect(error?.context?.itemIndex).toBe(1);
	});

	test('«Stop Workflow»: the sites that are left are not asked for', async () => {
		service.sites.push(...manySites(200));
		const many = [77, ...manySites(200).map(({ siteId }) => siteId)];
		const { error } = await engine.run({ node: siteNode(getParameters), items: itemsWith(many) });
		expect(error?.message).toContain('Site 77 was not found');
		expect(service.counts.siteRequests).toBeLessThan(50);
	});

	test.each([getParameters, getAllParameters])(
		'«Continue»: each failed item is told in its place, the others are kept (%j)',
		async (parameters) => {
			const { status, items } = await run('continueRegularOutput', parameters);
			expect(status).toBe('success');
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
			expect([0, 2, 4].map((place) => items[place]?.json)).toEqual(sites);
			expect(items[1]?.json).toEqual({
				error: expect.stringContaining('Site 77 was not found'),
				message: expect.stringContaining('The service says: "There is no site 77."'),
			});
			expect(items[3]?.json.error).toContain('"x" is not a site ID');
		},
	);

	test.each([getParameters, getAllParameters])(
		'«Continue (using error output)»: both outputs hold what belongs there (%j)',
		async (parameters) => {
			const { status, outputs } = await run('continueErrorOutput', parameters);
			expect(status).toBe('success');
			expect(outputs[0]?.map(({ json }) => json)).toEqual(sites);
			expect(outputs[1]?.map(({ json, pairedItem }) => [json.id, json.error, pairedItem])).toEqual([
				[77, expect.stringContaining('Site 77 was not found'), { item: 1 }],
				['x', expect.stringContaining('"x" is not a site ID'), { item: 3 }],
			]);
		},
	);

	test.each<[OnError, number]>([
		['continueRegularOutput', 0],
		['continueErrorOutput', 1],
	])('%s: of a list with one bad site the good ones are kept', async (onError, errorOutput) => {
		const { outputs } = await engine.run({
			node: siteNode({ operation: 'getAll', siteIds: '1042 77 1057', include: [] }, { onError }),
		});
		expect(outputs[0]?.slice(0, 2).map(({ json }) => json)).toEqual(sites.slice(0, 2));
		expect(outputs[errorOutput]?.at(-1)?.json.error).toBe('Site 77 was not found');
	});

	test.each<OnError>(['continueRegularOutput', 'continueErrorOutput'])(
		'%s: where nothing can be read, each item is told',
		async (onError) => {
			engine.editCredential(CREDENTIAL, { baseUrl: 'sea farm' });
			const { status, outputs } = await run(onError, getParameters);
			expect(status).toBe('success');
			expect(outputs.at(-1)).toHaveLength(ids.length);
			expect(service.counts.requests).toBe(0);
		},
	);

	test('no error item gives a secret away', async () => {
		engine.editCredential(CREDENTIAL, { password: 'odd-secret-77' });
		const { run: record } = await run('continueRegularOutput', getParameters);
		expect(JSON.stringify(record)).not.toContain('odd-secret-77');
	});
});

describe('a message stays as it was written, whatever words are in it', () => {
	test('a credential with the name of an error code', async () => {
		const name = 'ENOTFOUND ECONNREFUSED';
		const odd = await createEngine({
			credentials: { [name]: { baseUrl: 'sea-farm', ...service.login } },
		});
		const { error } = await odd.run({ node: siteNode({ operation: 'get', siteId: 1042 }) });
		expect(error?.message).toBe(
			`'Base URL' must start with https:// or http://: credential "${name}"`,
		);
		expect(error?.description).toMatch(`Open the credential "${name}" and `);
	});

	test('a site ID with the name of an error code', async () => {
		const { error } = await engine.run({
			node: siteNode({ operation: 'get', siteId: 'ECONNREFUSED' }),
		});
		expect(error?.message).toBe(`'Site ID': "ECONNREFUSED" is not a site ID`);
	});
});

test('a node without a credential says so', async () => {
	const node = { ...siteNode({ operation: 'get', siteId: 1042 }), credential: null };
	const { error } = await engine.run({ node });
	expect(error?.message).toBe('Node does not have any credentials set');
	expect(service.counts.requests).toBe(0);
});

test('no items in, none out, and nothing is sent', async () => {
	const { items, status } = await engine.run({ node: siteNode(getParameters), items: [] });
	expect({ items, status }).toEqual({ items: [], status: 'success' });
	expect(service.counts.requests).toBe(0);
});
