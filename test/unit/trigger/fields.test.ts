import { SITE_EVENTS } from '../../../nodes/AquacultureSite/trigger/changes';
import {
	parseMinimumDistance,
	parseSettings,
	triggerFields,
} from '../../../nodes/AquacultureSite/trigger/fields';
import { type Field, fieldsOf } from '../../tools/helpers/panel';
import { refusalOf } from '../../tools/helpers/refusal';

test('every field of the trigger is what saved workflows depend on', () => {
	const required = true;
	const events = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'];
	const options: Field[] = [
		['apiVersion', 'options', '2025-01-01', { options: ['2025-01-01', '2023-01-01'] }],
		['ignoreFields', 'string', ''],
		['minimumDistance', 'number', 0, { typeOptions: { minValue: 0 } }],
	];
	expect(fieldsOf(triggerFields)).toEqual<Field[]>([
		['siteIds', 'string', '', { required }],
		['events', 'multiOptions', events, { required, options: [...events].sort() }],
		['options', 'collection', {}, { options }],
	]);
});

describe('the settings', () => {
	const settings = (parameters: Record<string, unknown>) =>
		parseSettings((name, fallback) => parameters[name] ?? fallback);
	test('are all events, all fields and any distance, unless something else is chosen', () => {
		expect(settings({ siteIds: '1042 1057' })).toEqual({
			siteIds: ['1042', '1057'],
			events: SITE_EVENTS,
			ignoreFields: [],
			minimumDistance: 0,
			apiVersion: '2025-01-01',
		});
	});

	test('are what is chosen', () => {
		const events = ['unitAdded'];
		const options = { ignoreFields: 'license', minimumDistance: '25', apiVersion: '2023-01-01' };
		const { siteIds: _ids, ...chosen } = settings({ siteIds: 1042, events, options });
		expect(chosen).toEqual({ ...options, events, ignoreFields: ['license'], minimumDistance: 25 });
	});

	test.each([
		[{ siteIds: '' }, "'Site IDs' is empty"],
		[{ siteIds: 1042, options: { apiVersion: 'latest' } }, "'API Version' is not a date"],
	])('%j is refused', (parameters, message) => {
		expect(refusalOf(() => settings(parameters)).message).toBe(message);
	});
});

describe('the minimum distance', () => {
	test.each([0, 12.5, '25'])('%j is a number of meters', (value) => {
		expect(parseMinimumDistance(value)).toBe(Number(value));
	});

	test.each<[unknown]>([[-1], [NaN], [Infinity], ['far'], [''], [' '], [null], [[5]]])(
		'%j is refused',
		(value) => {
			const { message, description } = refusalOf(() => parseMinimumDistance(value));
			expect(message).toBe("'Minimum Distance' is not a number of meters");
			expect(description).toBe("Correct it, e.g. 25, or remove 'Minimum Distance' from 'Options'.");
		},
	);
});
