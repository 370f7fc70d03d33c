import fc from 'fast-check';
import {
	API_VERSION,
	parseApiVersion,
} from '../../../../nodes/AquacultureSite/service/login/apiVersion';
import { forAll } from '../../../tools/helpers/fuzz';
import { given } from '../../../tools/helpers/operation';
import { attempt, refusalOf } from '../../../tools/helpers/refusal';
import { anyJson } from '../../../tools/helpers/site-json';

const versionOf = (apiVersion: unknown) =>
	parseApiVersion(given(apiVersion === undefined ? {} : { apiVersion }));

test('the version is the current one unless another is chosen (docs/service.md#versioning)', () => {
	expect([API_VERSION, versionOf(undefined)]).toEqual(['2025-01-01', '2025-01-01']);
});

test('any date is a version, spaces around it aside', () => {
	expect(versionOf(' 2024-02-29\n')).toBe('2024-02-29');
	const min = new Date('0001-01-01');
	const max = new Date('9999-12-31');
	forAll([fc.date({ min, max, noInvalidDate: true })], (date) => {
		const day = date.toISOString().slice(0, 10);
		expect(versionOf(day)).toBe(day);
	});
});

test.each<[unknown]>([
	['2025-02-30'],
	['2025-01-01T00:00:00.000Z'],
	['2025-01-01\r\nX-Header: 1'],
	['２０２５-01-01'],
	[20250101],
	[['2025-01-01']],
])('%j is not a version', (value) => {
	const { message } = refusalOf(() => versionOf(value));
	expect(message).toMatch(/^'API Version' must be a date as YYYY-MM-DD, e\.g\. 2025-01-01, not /);
});

test('nothing but a date gets into a header', () => {
	const near = fc.stringMatching(/^[\d\-T: \r\n]{0,12}$/);
	forAll([fc.oneof(near, anyJson(1))], (value) => {
		const version = attempt(() => versionOf(value));
		if (!(version instanceof Error)) expect(version).toMatch(/^\d{4}-\d{2}-\d{2}$/);
	});
});
