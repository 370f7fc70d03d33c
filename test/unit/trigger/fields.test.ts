import { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import type { Site } from '../../../nodes/AquacultureSite/site/site';
import { DEFAULT_EVENTS } from '../../../nodes/AquacultureSite/trigger/events';
import {
	checkIgnoredFields,
	parseSettings,
	triggerFields,
} from '../../../nodes/AquacultureSite/trigger/fields';
import type { Reading } from '../../../nodes/AquacultureSite/trigger/reading';
import { given } from '../../tools/helpers/operation';
import { type Field, fieldsOf } from '../../tools/helpers/panel';
import { refusalOf } from '../../tools/helpers/refusal';

test('every field of the trigger is what saved workflows depend on', () => {
	const required = true;
	const events = ['siteChanged', 'unitAdded', 'unitChanged', 'unitRemoved'];
	const choices = expect.arrayContaining(events) as unknown;
	const options: Field[] = [
		['apiVersion', 'options', '2025-01-01', { options: ['2025-01-01', '2023-01-01'] }],
		['ignoreFields', 'string', ''],
		['minimumDistance', 'number', 0, { typeOptions: { minValue: 0 } }],
	];
	expect(fieldsOf(triggerFields)).toEqual<Field[]>([
		['siteIds', 'string', '', { required }],
		['events', 'multiOptions', events, { required, options: choices }],
		['options', 'collection', {}, { options }],
	]);
});

const settings = (parameters: Record<string, unknown>) => parseSettings(given(parameters));

describe('the settings', () => {
	test('are each change once, all fields and any distance, unless something else is chosen', () => {
		expect(settings({ siteIds: '1042 1057' })).toEqual({
			siteIds: ['1042', '1057'],
			events: DEFAULT_EVENTS,
			ignoreFields: [],
			minimumDistance: 0,
			apiVersion: '2025-01-01',
		});
	});

	test('are what is chosen', () => {
		const events = ['unitAdded'];
		const options = { ignoreFields: 'license', minimumDistance: '12.5', apiVersion: '2023-01-01' };
		const { siteIds: _ids, ...chosen } = settings({ siteIds: 1042, events, options });
		expect(chosen).toEqual({
			...options,
			events,
			ignoreFields: ['license'],
			minimumDistance: 12.5,
		});
	});
});

describe('a name that no field has', () => {
	const site = { siteId: 1, info: { license: 'A' }, units: [{ unitId: 1 }, { owner: 'A' }] };
	const results: Reading['results'] = new Map([['1', site]]);
	const check = (names: string) => () => {
		const { ignoreFields } = settings({ siteIds: 1, options: { ignoreFields: names } });
		checkIgnoredFields(ignoreFields, { results });
	};

	test.each([
		['licens', '"licens"'],
		['license; unitNmae', '"unitNmae"'],
		['info, cense, name', '"info", "cense", and "name"'],
		['info.unitName', '"info.unitName"'],
		['a b c d', '"a", "b", "c", and 1 more'],
		['<b>', '"‹b›"'],
	])('is told, with the fields that there are: %s', (names, shown) => {
		const { message, description } = refusalOf(check(names));
		expect(message).toBe(
			`'Ignore Fields': these sites have no field ${shown}. Enter names such as license, unitName or latitude.`,
		);
		expect(description).toMatch(
			/^Correct the name, or remove it\. The fields are siteId, siteName, /,
		);
		expect(description).toMatch(/info\.timezone, and owner\.$/);
	});

	test.each([
		[''],
		['LICENSE Owner siteName'],
		// Of the contract, also if no site has it for now
		['maxTotalBiomass, info.code, unitId, latitude'],
	])('is not among: %j', (names) => {
		expect(check(names)).not.toThrow();
	});

	test('may be one of a site that could not be read', () => {
		const failure = new ServiceFailure('Failed', 'Wait', { subject: 'site' });
		const withFailure = new Map<string, Site | ServiceFailure>([...results, ['2', failure]]);
		for (const reading of [{ results: withFailure }, { results, interruption: failure }]) {
			expect(() => checkIgnoredFields(['licens'], reading)).not.toThrow();
		}
	});
});
