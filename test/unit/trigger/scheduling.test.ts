import type { WorkflowActivateMode, WorkflowExecuteMode } from 'n8n-workflow';
import {
	activate,
	oneAtATime,
	pollReasonOf,
} from '../../../nodes/AquacultureSite/trigger/scheduling';
import { stopTime } from '../../tools/helpers/fake-clock';

const contextOf = (mode: WorkflowExecuteMode, activation: WorkflowActivateMode) => ({
	getMode: () => mode,
	getActivationMode: () => activation,
});

test.each<[WorkflowActivateMode, first: string]>([
	['activate', 'activation'],
	['update', 'activation'],
	['init', 'startup'],
	['leadershipChange', 'startup'],
])('why n8n polls: %s, for %s; then by the schedule', (mode, first) => {
	const context = contextOf('trigger', mode);
	expect([1, 2, 3].map(() => pollReasonOf(context))).toEqual([first, 'schedule', 'schedule']);
});

test('why n8n polls: each test event is one', () => {
	const context = contextOf('manual', 'manual');
	expect([1, 2].map(() => pollReasonOf(context))).toEqual(['test', 'test']);
});

describe('an activation', () => {
	test('that failed fails again, without another poll, while n8n repeats it', async () => {
		const clock = stopTime();
		const [staticData, failure] = [{}, new Error('Failed')];
		const poll = jest.fn().mockRejectedValue(failure);
		// n8n waits for twice as long each time
		for (const wait of [0, 1000, 2000, 4000, 8000, 5000]) {
			clock.skip(wait);
			await expect(activate(staticData, poll)).rejects.toBe(failure);
		}
		expect(poll).toHaveBeenCalledTimes(1);
		clock.skip(1);
		await expect(activate(staticData, poll)).rejects.toBe(failure);
		expect(poll).toHaveBeenCalledTimes(2);
	});

	test('of another workflow polls, and one that has worked polls again', async () => {
		await expect(activate({}, () => Promise.reject(new Error('Failed')))).rejects.toThrow();
		const [staticData, poll] = [{}, jest.fn().mockResolvedValue('polled')];
		for (let tries = 0; tries < 2; tries++) expect(await activate(staticData, poll)).toBe('polled');
		expect(poll).toHaveBeenCalledTimes(2);
	});
});

describe('one poll of a trigger at a time', () => {
	test.each([
		['has ended', Promise.resolve([])],
		['has failed', Promise.reject(new Error('Failed'))],
	])('another one finds nothing until the first %s', async (_how, end) => {
		const [staticData, other] = [{}, {}];
		const polled = () => Promise.resolve(['polled']);
		const first = oneAtATime(staticData, () => end);
		expect(await oneAtATime(staticData, polled)).toEqual([]);
		expect(await oneAtATime(other, polled)).toEqual(['polled']);
		await first.catch(() => undefined);
		expect(await oneAtATime(staticData, polled)).toEqual(['polled']);
	});
});
