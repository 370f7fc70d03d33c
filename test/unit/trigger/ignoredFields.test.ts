import {
	checkIgnoredFields,
	parseIgnoredFields,
} from '../../../nodes/AquacultureSite/trigger/ignoredFields';
import { refusalOf } from '../../tools/helpers/refusal';

test.each<[unknown]>([
	['license, unitName info.type'],
	['license; unitName;info.type;'],
	[' license\nunitName\r\ninfo.type\n'],
	['["license", \'unitName\', info.type]'],
	[['license', ['unitName , info.type']]],
])('names are separated as people separate them: %j', (value) => {
	expect(parseIgnoredFields(value)).toEqual(['license', 'unitName', 'info.type']);
});

test.each<[unknown, string[]]>([
	[undefined, []],
	[null, []],
	[' ; ', []],
	[7, ['7']],
])('%j holds the names %j', (value, names) => {
	expect(parseIgnoredFields(value)).toEqual(names);
});

describe('a name that no field has', () => {
	const own = ['siteName', 'info.license', 'owner'];
	const check = (names: string) => () => checkIgnoredFields(parseIgnoredFields(names), own);

	test.each([
		['licens', '"licens"'],
		['license; unitNmae', '"unitNmae"'],
		['info, cense, name', '"info", "cense", and "name"'],
		['info.unitName', '"info.unitName"'],
		['a b c d', '"a", "b", and "c"'],
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
		expect(() => checkIgnoredFields(['licens'], undefined)).not.toThrow();
	});
});
